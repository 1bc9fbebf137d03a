# A row that the worker has asked a server for may have another source by the
# time that the answer is there, and be locked. Then it is as with any locked
# row: the worker gives up after idgen.worker_timeout, and takes pauses until
# then.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre], conf => q{idgen.worker_timeout = '1s'});
$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('w', 5001, 20)});
create_remote('w', q{refill => 'worker'}, $node);

my $centre_holder = $centre->background_psql('postgres');
$centre_holder->query_safe('BEGIN; SELECT FROM id_sequences FOR UPDATE');
my $session = start_statement($node, q{SELECT idgen_next('w')}, '\set VERBOSITY sqlstate', q{SET idgen.worker_timeout = '100s'});
wait_for_waiters($centre, 1, 'id_sequences');

my $offset = -s $node->logfile;
my $transactions = q{SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'postgres'};
$node->safe_psql('postgres', q{UPDATE id_sequences SET source = 'table', source_name = NULL});
my $holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN; SELECT FROM id_sequences FOR UPDATE');
my $before = $node->safe_psql('postgres', $transactions);
$centre_holder->query_safe('COMMIT');
$node->wait_for_log(qr/could not lock the row of id sequence "w", or what it draws from, within 1000 ms/, $offset);
pass('it gives up');
$holder->query_safe('COMMIT');
is(answer($session, ''), '1', 'who waits has an id when the row is free');
cmp_ok($node->safe_psql('postgres', $transactions) - $before, '<', 300, 'it has not spun');

$_->quit for ($centre_holder, $holder, $session);
$node->stop;
$centre->stop;
done_testing();

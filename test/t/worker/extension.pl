# The extension can be dropped and created anew while there is a worker, and
# while sessions wait for it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('extension', conf => q{
idgen.worker_idle_timeout = '100s'
idgen.worker_timeout = '100s'
});

$node->safe_psql('postgres', q{SELECT idgen_create('x', block_size => 5, refill => 'worker')});
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '1', 'first id');
my $pid = worker_pid($node, 'postgres');

# Dropped, and not dropped after all, while a session waits
my $session = $node->background_psql('postgres');
$session->query_safe(q{BEGIN; SELECT FROM id_sequences WHERE name = 'x' FOR UPDATE});
my $last = use_up($node, 'x');
my @waiters = (start_statement($node, q{SELECT idgen_next('x')}));
wait_for_waiters($node, 1, 'idgen_next', 'Extension');
$session->query_safe('DROP EXTENSION idgen; ROLLBACK');
is($waiters[0]->query_safe(''), $last + 1, 'not dropped');
$_->quit for @waiters;

$session->query_safe(q{BEGIN; SELECT FROM id_sequences WHERE name = 'x' FOR UPDATE});
use_up($node, 'x');
@waiters = (start_statement($node, q{SELECT idgen_next('x')}, '\set VERBOSITY sqlstate'));
wait_for_waiters($node, 1, 'idgen_next', 'Extension');
$session->query_safe('DROP EXTENSION idgen; COMMIT');
like(answer($waiters[0], ''), qr/^42/, 'who has waited is told that it is dropped');
$_->quit for ($session, @waiters);

# Created anew, with the worker that is still there, and one after the other
foreach my $round (1 .. 5)
{
	$node->safe_psql(
		'postgres', qq{
		CREATE EXTENSION idgen;
		SELECT idgen_create('x', $round, block_size => 5, refill => 'worker')});
	is($node->safe_psql('postgres', q{SELECT max(idgen_next('x')) FROM generate_series(1, 20)}), $round + 19, "created anew, $round");
	$node->safe_psql('postgres', 'DROP EXTENSION idgen');
}
is(worker_pid($node, 'postgres'), $pid, 'the worker has not ended');
unlike(slurp_file($node->logfile), qr/LOG:.*could not refill/, 'nor found anything wrong');

$node->stop;
done_testing();

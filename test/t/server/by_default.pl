# Rows with source "server" are refilled by the worker, whatever their refill
# is. Sessions need no connection, and none of them asks if the centre is away:
# they share the worker's failure. Where no worker is to be had, or a session
# wants none, it asks itself.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Proxy;
use Test::More;

my $centre = central_server('centre');
my $proxy = Proxy->new($centre);
my ($node) = idgen_nodes(1, workers => 1, centres => [$proxy], conf => q{
idgen.server_timeout = '3s'
idgen.worker_idle_timeout = '1000s'
deadlock_timeout = '1000s'
});
my $workers = q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'idgen worker'};

$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 20), ('y', 1, 1), ('z', 1, 20), ('k/1', 1, 20)});
create_remote($_, '', $node) for ('x', 'y', 'z');
create_remote('k/*', '', $node);

# Who has asked, as the centre sees it
sub connections
{
	return $centre->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'idgen'});
}

# An id each, by the worker's connection
my @sessions = map { $node->background_psql('postgres', on_error_stop => 0) } 1 .. 5;
$_->query_safe('\set VERBOSITY sqlstate') foreach @sessions;
is(join(' ', map { answer($_, q{SELECT idgen_next('x')}) } @sessions), '1 2 3 4 5', 'sessions draw');
is(answer($sessions[0], q{SELECT idgen_next('y')}), '1', 'with block_size 1');
is($node->safe_psql('postgres', $workers), '1', 'one worker refills');
is(connections(), '1', 'over one connection');
is(answer($sessions[0], q{BEGIN; SELECT idgen_next('x'); ROLLBACK; SELECT idgen_next('x')}), "6\n7", 'a rollback takes nothing back');

# The centre is away: one attempt for all.
$proxy->hold;
begin_statement($_, q{SELECT idgen_next('z')}) foreach @sessions;
like(join(' ', map { answer($_, '') } @sessions), qr/^0800[16]( 0800[16]){4}$/, 'they fail along with the worker');
$proxy->pass;
like(join(' ', map { answer($_, q{SELECT idgen_next('z')}) } @sessions), qr/^\d+( \d+){4}$/, 'and draw when it is back');
is($node->safe_psql('postgres', $workers), '1', 'nobody else has asked');

# The transaction that makes the row asks itself; so does a session that asks no
# worker.
is(answer($sessions[1], q{SELECT idgen_next('k/1')}), '1', 'the child of a template');
is(connections(), '2', 'over a connection of its own');
$sessions[2]->query_safe('SET idgen.worker_start_timeout = -1; DELETE FROM id_sequences WHERE name = $$x$$');
create_remote('x', '', $node);
like(answer($sessions[2], q{SELECT idgen_next('x')}), qr/^\d+$/, 'a session asks itself');
is(connections(), '3', 'over a connection of its own');
$_->quit foreach @sessions;

# There is no place for a worker.
$node->append_conf('postgresql.conf', 'max_worker_processes = 0');
$node->restart;
is($node->safe_psql('postgres', q{SELECT count(DISTINCT idgen_next('y')) FROM generate_series(1, 3)}), '3', 'without a worker');
is($node->safe_psql('postgres', $workers), '0', 'of which there is none');

$node->stop;
$centre->stop;
done_testing();

# A worker is there when it is needed. It goes when it has had nothing to do for
# a while, and comes back.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('idle', conf => q{
idgen.worker_idle_timeout = '300ms'
autovacuum = off
});

sub workers
{
	return $node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'idgen worker'});
}

sub set_idle_timeout
{
	my ($timeout) = @_;

	$node->append_conf('postgresql.conf', "idgen.worker_idle_timeout = '$timeout'");
	$node->reload;
	$node->poll_query_until('postgres', "SELECT current_setting('idgen.worker_idle_timeout') = '$timeout'")
	  or die 'not reloaded';
	return;
}

is(workers(), '0', 'no worker before there is anything to do');
$node->safe_psql('postgres', q{
	SELECT idgen_create('x', block_size => 2, refill => 'worker'), idgen_create('t', block_size => 2)});
$node->safe_psql('postgres', q{SELECT count(idgen_next('t')) FROM generate_series(1, 10)});
is(workers(), '0', 'nor for an id sequence that does without');
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '1', 'the first request');
wait_for_no_worker($node);
pass('the worker goes');

my $session = $node->background_psql('postgres');
is($session->query_safe(q{SELECT max(idgen_next('x')) FROM generate_series(1, 20)}), '21', 'the next requests');
wait_for_no_worker($node);
is($session->query_safe(q{SELECT max(idgen_next('x')) FROM generate_series(1, 1000)}), '1021', 'and more of the same session');

# The setting counts for a worker that is there already. While idle, it does not
# do anything.
set_idle_timeout('1000s');
is($session->query_safe(q{SELECT max(idgen_next('x')) FROM generate_series(1, 1000)}), '2021', 'a worker that stays');
my $pid = worker_pid($node, 'postgres');
$node->poll_query_until('postgres', "SELECT state = 'idle' AND wait_event IS NOT NULL FROM pg_stat_activity WHERE pid = $pid")
  or die 'the worker always has something to do';
my $before = $node->safe_psql('postgres', q{SELECT pg_current_xact_id()});
$node->safe_psql('postgres', q{SELECT pg_sleep(0.5)});
is($node->safe_psql('postgres', q{SELECT pg_current_xact_id()}), $before + 1, 'it does nothing by itself');
is(worker_pid($node, 'postgres'), $pid, 'it is still there');

# Gone after every request, so that requests come while it goes
set_idle_timeout('0');
wait_for_no_worker($node);
my @clients = start_clients($node, 4, "SELECT 'x ' || idgen_next('x');\n");
wait_for_lines(60, @clients);
terminate_clients($node, @clients);
my @ids = seen_ids(@clients);
cmp_ok(scalar @ids, '>=', 240, 'a worker that goes at once is there at once');
is(duplicates(@ids), '', 'no id was issued twice');
wait_for_no_worker($node);

$session->quit;
$node->stop;
done_testing();

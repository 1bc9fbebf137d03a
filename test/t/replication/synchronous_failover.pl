# With a synchronous standby, no id that a client has got is issued again after
# a failover, wherever replication was when the primary ended: what is cached
# there was allocated on the standby before. Sessions that do not wait for the
# standby endanger what others draw and do not write, but no id in a transaction
# that has waited.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Those who wait for the worker, which waits for the standby, do so until the
# server ends. By default, an error would end them if that takes others long.
my $primary = idgen_server('primary', init => [ allows_streaming => 1 ], conf => q{
max_connections = 40
idgen.worker_timeout = '1000s'
});
create_all_kinds($primary);
my %kinds = all_kinds();

# Have nothing sent to the standby any more, and wait until these clients have
# used up what they can get without.
sub stop_sending
{
	my @clients = @_;
	my $before = () = seen_ids(@clients);
	my $pid = run_sql($primary, 'SELECT pid FROM pg_stat_replication');

	stop_waiting($primary, $pid, "wait_event_type = 'Activity'");
	wait_until(sub {
		my $waiting = $primary->safe_psql('postgres', q{
			SELECT count(*) FROM pg_stat_activity
			WHERE application_name = 'client' AND wait_event_type IN ('IPC', 'Extension', 'Lock')});
		foreach my $client (@clients)
		{
			die 'client ended early: ' . slurp_file($client->{err}) unless $client->{run}->pumpable;
			$client->{run}->pump_nb;
		}
		return $waiting >= @clients || seen_ids(@clients) > $before + 5000;
	}, 'clients to wait');
	return;
}

# All clients wait for the standby. Each draws of one kind, so that none comes
# to its end because another one has.
my $standby = start_standby($primary, 'standby1');
make_synchronous($primary, $standby);
my @clients = map {
	start_clients($primary, 2, "SELECT '$_ ' || $kinds{$_} FROM pg_sleep(0.001);\n", times => 20_000)
} sort keys %kinds;
wait_for_ids(50, @clients);
stop_sending(@clients);
kill_server($primary);
finish_clients(@clients);
$standby->promote;
my @ids = issued_ids(@clients);
is(duplicates(@ids), '', 'all wait: no id twice');
goes_on($standby, 'all wait', [ @ids, drawn_ids($standby) ]);

# Two do not wait, and refill for others.
$primary = $standby;
$standby = start_standby($primary, 'standby2');
make_synchronous($primary, $standby);
my $inserts = join('', map { "INSERT INTO drawn VALUES ('$_', $kinds{$_}) RETURNING name || ' ' || id;\n" } sort keys %kinds);
my @hasty = map {
	local $ENV{PGOPTIONS} = "-c synchronous_commit=$_";
	start_clients($primary, 1, $inserts);
} ('local', 'off');
@clients = start_clients($primary, 2, $inserts);
wait_for_ids(100, @clients);
stop_sending(@clients, @hasty);
kill_server($primary);
finish_clients(@clients, @hasty);
$standby->promote;
@ids = seen_ids(@clients);
my %on_standby = map { $_ => 1 } drawn_ids($standby);
is(join(' ', grep { !$on_standby{$_} } @ids), '', 'some wait: what has waited is there');
goes_on($standby, 'some wait', [ @ids, keys %on_standby ]);

# The new primary is one in every respect.
@clients = start_all_kinds($standby, 2);
wait_for_ids(50, @clients);
terminate_clients($standby, @clients);
is(duplicates(issued_ids(@clients), keys %on_standby), '', 'the new primary issues new ids');
isnt(worker_pid($standby, 'postgres'), '', 'and has a worker');

$standby->stop;
done_testing();

# More servers than numbers: four for three. They are stopped for longer than a
# lease in turn, killed, and cut off from the centre, so numbers go from one to
# the other all the time. No time-ordered id is issued twice.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $centre = idgen_server('centre');
my @nodes = map {
	idgen_server("node$_",
		conf => "idgen.node_id = auto\nidgen.min_node_id = 1021\nidgen.node_lease = 2\nidgen.worker_timeout = 100\n")
} 1 .. 4;
my @clients;

# A client of a node goes on when there is no number, and is started again when
# the node was.
sub start_client
{
	my ($i) = @_;

	push @clients, start_clients($nodes[$i], 1, "SELECT idgen_unique_id() FROM generate_series(1, 5);\n\\! sleep 0.01\n",
		on_error_stop => 0, times => 20_000);
	$clients[-1]{of} = $i;
	return;
}

# All processes of a server, and its postmaster
sub processes
{
	my ($node) = @_;
	my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;

	return ($postmaster, split /\n/, run_sql($node, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()'));
}

# Waits until that lease has ended, and for the server that has no number to
# take it over.
sub wait_for_change
{
	my ($of) = @_;

	wait_for_true($centre, "SELECT count(*) = 0 FROM idgen_node_numbers WHERE holder = '$of'", 'another server to take it over');
	return;
}

sub holder_of
{
	my ($node) = @_;
	my $number = run_sql($node, 'SELECT node_id FROM idgen_server');

	return $number eq '' ? '' : run_sql($centre, "SELECT holder FROM idgen_node_numbers WHERE number = $number");
}

# A server that has a number, and as which holder. The centre counts a lease for
# a while longer than its holder does: after an outage, it may be of a server
# that has no number any more and has not asked yet.
sub any_holder
{
	for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		foreach my $i (sort { rand() <=> 0.5 } 0 .. $#nodes)
		{
			my $holder = holder_of($nodes[$i]);
			return ($i, $holder) if $holder ne '';
		}
		sleep 0.1;
	}
	die 'no server has a number';
}

lead_to_centre($_, $centre) foreach @nodes;
start_client($_) foreach 0 .. $#nodes;
wait_for_true($centre, q{SELECT count(*) = 3 FROM idgen_nodes WHERE state = 'leased'}, 'three leases');

foreach my $deed (qw(stop kill centre stop))
{
	my ($i, $holder) = any_holder();
	my $node = $nodes[$i];

	if ($deed eq 'stop')
	{
		my @pids = processes($node);
		kill 'STOP', @pids;
		wait_for_change($holder);
		kill 'CONT', @pids;
	}
	elsif ($deed eq 'kill')
	{
		kill_server($node);
		wait_for_change($holder);
		$_->{run}->finish foreach grep { $_->{of} == $i } @clients;
		$node->start;
		start_client($i);
	}
	else
	{
		$centre->stop('immediate');
		wait_for_true($_, 'SELECT node_id IS NULL FROM idgen_server', 'the lease to end') foreach @nodes;
		$centre->start;
	}
	wait_for_true($centre, q{SELECT count(*) = 3 FROM idgen_nodes WHERE state = 'leased'}, 'three leases');
}
wait_for_lines(1, $clients[0]);
terminate_clients($_) foreach @nodes;
$_->{run}->finish foreach @clients;

my @ids = map { slurp_file($_->{out}) =~ /^(\d+)$/mg } @clients;
my %servers;
foreach my $client (@clients)
{
	$servers{ ($_ >> 12) & 1023 }{ $client->{of} } = 1 foreach slurp_file($client->{out}) =~ /^(\d+)$/mg;
}
is(duplicates(@ids), '', 'no id was issued twice, of ' . @ids);
is(join(' ', sort keys %servers), '1021 1022 1023', 'three numbers');
cmp_ok(scalar(grep { keys %{ $servers{$_} } > 1 } keys %servers), '>', 0, 'which different servers have had');

$_->stop foreach ($centre, @nodes);
done_testing();

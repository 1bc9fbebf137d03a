# Nodes draw from a centre that Patroni keeps available, by each way that leads
# there: through HAProxy, by a list of hosts, through pgbouncer. The leader
# crashes, is switched, is lost, falls silent, and comes back with what it had
# before. No id is issued twice, and a planned switchover fails nobody's call.
#
# "make test" runs the short form, one switchover and one crash; "make
# test-cluster" all of it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib", "$FindBin::RealBin/../../cluster";

use IdgenTest;
use Patroni;
use Pooler;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Trial;

my $all = $ENV{CLUSTER};
my @missing = (Patroni::missing(), $all && !Pooler::is_here() ? 'pgbouncer' : ());

plan skip_all => "not here: @missing" if @missing;

my $centre = Patroni->new($all ? 3 : 2);

# The ways to the centre: label => what leads there. The worker goes by the list
# of hosts.
my %ways = (proxy => "host '127.0.0.1', port '" . $centre->port . "'", hosts => hosts($centre->ports));
my @poolers;

if ($all)
{
	$ways{worker} = $ways{hosts};
	foreach my $mode ('session', 'transaction')
	{
		# By default, pgbouncer tries only every 15 seconds to reach a server
		# that it could not reach.
		my $pooler = Pooler->new($centre, $mode, users => ['idgen_node'], tcp => 1, conf => "server_login_retry = 1\n");

		push @poolers, $pooler;
		$ways{"pgbouncer, $mode"} = "host '127.0.0.1', port '" . $pooler->port . "'";
	}
}

# The options of a server that lead to the first of these ports of this machine
# that takes writes
sub hosts
{
	return sprintf "host '%s', port '%s'", join(',', map { '127.0.0.1' } @_), join(',', @_);
}

$centre->psql(q{
	CREATE TABLE id_sequences (
		name varchar(255) PRIMARY KEY,
		next_block_start bigint NOT NULL,
		block_size integer NOT NULL,
		exhausted smallint NOT NULL DEFAULT 0);
	CREATE ROLE idgen_node LOGIN PASSWORD 'secret';
	GRANT SELECT, UPDATE (next_block_start, exhausted) ON id_sequences TO idgen_node});

my $conf = q{
max_connections = 60
log_line_prefix = '%m [%p] %b '
idgen.bridge_seconds = 30
};

# In the short form, a call may take as long as a slow machine needs.
$conf .= "idgen.server_timeout = '100s'\n" unless $all;

my @nodes = map { idgen_server("node$_", conf => $conf) } 1 .. 2;
my $trial = Trial->new('patroni');

# HAProxy may take a connection and lead it nowhere, while it has no leader.
foreach my $way (sort keys %ways)
{
	my $name = $way =~ s/\W+/_/gr;
	my $refill = $way eq 'worker' ? 'worker' : 'transaction';

	$centre->psql("INSERT INTO id_sequences VALUES ('$name', 1, 10)");
	foreach my $node (@nodes)
	{
		$node->safe_psql(
			'postgres', qq{
			CREATE SERVER $name FOREIGN DATA WRAPPER idgen_fdw OPTIONS ($ways{$way}, dbname 'postgres', connect_timeout '2');
			CREATE USER MAPPING FOR CURRENT_USER SERVER $name OPTIONS (user 'idgen_node', password 'secret');
			SELECT idgen_create('$name', source => 'server', refill => '$refill')});
		$trial->draw($way, $name, $node->connstr('postgres'), "SELECT idgen_next('$name')", calls => 200);
	}
}

# run(event, what): does it, waits until the centre is healthy and ids flow
# again by each way, and looks on for a moment.
sub run
{
	my ($event, $what) = @_;

	$trial->event($event);
	$what->();
	$centre->wait_until_healthy;
	my @without = $trial->wait_for_ids(200, $all ? 60 : $PostgreSQL::Test::Utils::timeout_default);
	is("@without", '', "$event: ids by each way again");
	return;
}

# Something happens to the leader's host; another member leads, and goes on
# without it for a while. Answers the member that has led.
sub without_leaders_host
{
	my ($what) = @_;
	my $leader = $centre->leader;

	$what->($leader);
	$centre->wait_for_another_leader($leader);
	$trial->wait_for_ids(200, 30);
	return $leader;
}

sub switchover
{
	run('planned switchover', sub { $centre->switch_over });
	return;
}

run('nothing happens', sub { });
run("leader's server: kill -9", sub { $centre->crash_server($centre->leader) });
switchover();

if ($all)
{
	run("leader's host lost", sub {
		my $leader = without_leaders_host(sub { $centre->lose_host(@_) });

		$centre->start_member($leader);
	});

	# the hardest place for a silent host is the first one of the list
	my $leader = $centre->leader;

	foreach my $server ('hosts', 'worker')
	{
		my $options = hosts($centre->ports($leader)) =~ s/(\w+ ')/SET $1/gr;

		$_->safe_psql('postgres', "ALTER SERVER $server OPTIONS ($options)") foreach @nodes;
	}
	run("leader's host silent", sub { without_leaders_host(sub { $centre->silence_host(@_) }) });
	run('it is still silent', sub { sleep 8 });
	run('it is started again', sub { $centre->lose_host($leader); $centre->start_member($leader) });
	switchover();
	run('node 1: kill -9', sub { kill_server($nodes[0]); $nodes[0]->start });

	# It comes last, since a human has to decide what follows.
	$leader = $centre->leader;
	$trial->event("leader's agent hangs");
	$centre->hang_agent($leader);
	$centre->wait_for_another_leader($leader);
	$trial->wait_for_ids(500, 12);
	$trial->event('it goes on');
	$centre->wake_agent($leader);
	$centre->wait_until_healthy;
	$trial->wait_for_ids(500, 10);
	$trial->remark('In the end, ' . ($centre->leader == $leader
		? 'the old leader led again, and what the other one had committed was lost.' : 'the other one led.'));
	run('nodes step over 1,000,000 ids', sub {
		$_->safe_psql('postgres', 'ALTER SYSTEM SET idgen.step_over = 1000000') foreach @nodes;
		$_->reload foreach @nodes;
	});
}
foreach my $event ($trial->end)
{
	is($event->{duplicates}, 0, "$event->{text}: no id was issued twice");
	is(join(' ', %{ $event->{errors} }), '', "$event->{text}: no call failed") if $event->{text} =~ /^(?:planned|nothing)/;
}

my @lines = map { slurp_file($_->logfile) =~ /^\S+ \S+ \S+ \[\d+\] (idgen worker) /mg } @nodes;

$trial->remark('Workers logged ' . @lines . ' lines.');
$trial->report;

$_->stop foreach (@poolers, @nodes);
done_testing();

# When the lease of a node number has ended, the server issues no ids with it:
# neither composed nor time-ordered ones, in whatever state its processes are.
# UUIDs and plain ids go on. When the centre is there again, so is the number.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = idgen_server('centre');
my $node = leasing_server('node', $centre, 10, conf => "idgen.worker_timeout = 100s\nidgen.server_timeout = 1s");

sub error_of
{
	my ($sql) = @_;
	my (undef, undef, $stderr) = $node->psql('postgres', "SELECT $sql", extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	return $stderr;
}

# The lease is renewed as long as the centre is there.
my $renewed = run_sql($node, 'SELECT node_renewed_at FROM idgen_server');
wait_for_true($node, "SELECT node_renewed_at > '$renewed'::timestamptz + '10 s' FROM idgen_server", 'renewals');
is(node_number($node), '1', 'the number lasts for longer than a lease');

# The centre is away: the number lasts until the lease ends, in the sessions
# that have drawn already, too.
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('\set VERBOSITY sqlstate');
isnt(answer($session, q{SELECT idgen_next('x'), idgen_unique_id()}), '55000', 'a session has drawn');
$centre->stop('immediate');
is(answer($session, q{SELECT (idgen_unique_id_parts(idgen_unique_id())).node}), '1', 'the centre has just gone');
wait_for_true($node, 'SELECT node_failing_since IS NOT NULL FROM idgen_server', 'a failure');
like(run_sql($node, q{SELECT problem FROM idgen_health WHERE name = 'x'}),
	qr/^The lease of node number 1, which ends at .*, cannot be renewed: could not connect to server/, 'while it lasts');
like(run_sql($node, 'SELECT node_problem FROM idgen_server'), qr/^could not connect to server "idgen_default"/, 'the view says so');
run_sql($node, q{SELECT idgen_create('plain')});
is( run_sql($node, q{SELECT name, problem_kind FROM idgen_health ORDER BY name}),
	"plain|\nx|no_node_number", 'idgen_health, of id sequences that need the number');
wait_for_true($node, 'SELECT node_id IS NULL AND node_leased_until <= clock_timestamp() FROM idgen_server', 'the lease to end');
is(answer($session, "SELECT $_"), '55000', "ended, in a session: $_") foreach (q{idgen_next('x')}, 'idgen_unique_id()');
is(node_number($node), '55000', 'ended, in another one');
like(
	error_of('idgen_unique_id()'),
	qr/ERROR:  55000: the lease of node number 1 has ended\nDETAIL:  It could not be renewed: could not connect to server "idgen_default"/m,
	'what the error says');
like(run_sql($node, q{SELECT problem FROM idgen_health WHERE name = 'x'}),
	qr/^This server has no node number: could not connect to server/, 'idgen_health: ended');
is(sqlstate($node, 'SELECT idgen_unique_uuid()'), '', 'UUIDs have no node');
run_sql($node, q{UPDATE id_sequences SET layout = 'plain' WHERE name = 'x'});
is(sqlstate($node, q{SELECT idgen_next('x')}), '', 'neither have plain ids');
run_sql($node, q{UPDATE id_sequences SET layout = 'prefixed' WHERE name = 'x'});
my $lines = () = slurp_file($node->logfile) =~ /LOG:  could not renew the lease of the node number/g;
cmp_ok($lines, '<=', 4, 'the log has a line for each reason, not for each try');

$centre->start;
is(wait_for_number($node), '1', 'the centre is back, and so is the number');
is(run_sql($node, q{SELECT count(*) FROM idgen_health WHERE problem IS NOT NULL}), '0', 'idgen_health: all is well');
like(slurp_file($node->logfile), qr/LOG:  the lease of node number 1 is renewed again/, 'the log says so');

# The process that renews is stopped: nobody tells the sessions, but they see.
my $process = lease_process($node);
kill 'STOP', $process;
wait_for_true($node, 'SELECT node_id IS NULL FROM idgen_server', 'the lease to end');
$session->query_safe(q{SET idgen.worker_timeout = 10});
is(answer($session, "SELECT $_"), '55000', "nobody renews: $_") foreach (q{idgen_next('x')}, 'idgen_unique_id()');

# In the meantime, all that a copy of the server would have to show is taken
# for another server's.
wait_for_true($centre, q{SELECT state = 'ended' FROM idgen_nodes WHERE number = 1}, 'the lease to end at the centre');
run_sql($centre, 'SELECT idgen_reserve_node(1, NULL)');
my $other = leasing_server('other', $centre, 300);
is(node_number($other), '1', 'another server gets the number');
kill 'CONT', $process;
is(wait_for_number($node), '2', 'this one gets another');
is(answer($session, q{SELECT (idgen_parts(idgen_next('x'), 'prefixed')).node, (idgen_unique_id_parts(idgen_unique_id())).node}),
	'2|2', 'in sessions that have had the first one, too');
like(slurp_file($node->logfile), qr/LOG:  this server has node number 2\n.*DETAIL:  It had 1 before/, 'the log says so');

# The whole server is stopped, and goes on after the lease: it looks at the
# clock first. All sessions of a load see it.
my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
my @clients = start_clients($node, 2, "SELECT idgen_unique_id();\nSELECT idgen_next('x');\n");
wait_for_lines(100, @clients);
my @pids = split /\n/, run_sql($node, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
kill 'STOP', @pids, $postmaster;
my @seen = map { scalar(() = slurp_file($_->{out}) =~ /\n/g) } @clients;
wait_for_true($centre, q{SELECT state = 'ended' FROM idgen_nodes WHERE number = 2}, 'the lease to end at the centre');
wait_for_true($centre, q{SELECT used_until < clock_timestamp() FROM idgen_nodes WHERE number = 2}, 'its time-ordered ids to be of the past');
run_sql($centre, 'SELECT idgen_reserve_node(2, NULL)');
my $third = leasing_server('third', $centre, 300);
is(node_number($third), '2', 'its number goes to a third server');
my $first = run_sql($third, 'SELECT idgen_unique_id()');
kill 'CONT', @pids, $postmaster;
is(wait_for_number($node), '3', 'the one that was stopped gets another');
terminate_clients($node, @clients);
my @ids = grep { /^\d+$/ } map { my @lines = split /\n/, slurp_file($clients[$_]->{out}); @lines[ $seen[$_] .. $#lines ] } 0 .. $#clients;
cmp_ok(scalar(grep { /^2\d{18}$/ } @ids), '<=', 2, 'composed ids with that number: only those that were just being drawn');
is(scalar(grep { $_ < 1_000_000_000_000_000_000 && (($_ >> 12) & 1023) == 2 && $_ > $first } @ids), 0, 'no time-ordered id has the number of the third server in its time');

$session->quit;
$_->stop foreach ($centre, $node, $other, $third);
done_testing();

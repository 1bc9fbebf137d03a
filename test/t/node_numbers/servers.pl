# With idgen.node_id = auto, each server gets the lowest node number that nobody
# has, and keeps it: over restarts, crashes and renewals. The operator sees who
# has which, and can release and reserve numbers.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = idgen_server('centre');
my @nodes = map { leasing_server("node$_", $centre, 300, conf => 'restart_after_crash = on') } 1 .. 3;

sub at_centre
{
	return run_sql($centre, @_);
}

is(node_numbers(@nodes), '1 2 3', 'each server gets the lowest number that is free');
is(run_sql($nodes[1], 'SHOW idgen.node_id'), 'auto', 'the setting stays as it is');
is( run_sql($nodes[1], q{SELECT node_setting, node_id, node_leased_until - node_renewed_at <= '270 s', node_failing_since, node_problem FROM idgen_server}),
	'auto|2|t||', 'the server knows its number');
is( at_centre(q{
		SELECT number, state, system_identifier IS NOT NULL, data_directory ~ 'node', leased_until - renewed_at, used_until < leased_until, reserved_for
		FROM idgen_nodes ORDER BY number}),
	join("\n", '0|reserved|f||||servers without a number', map { "$_|leased|t|t|00:05:00|t|" } 1 .. 3),
	'so does the centre');
is( run_sql($nodes[2], q{SELECT system_identifier FROM pg_control_system()}),
	at_centre('SELECT system_identifier FROM idgen_nodes WHERE number = 3'), 'by the system identifier');

# Restarts, of whatever kind, change nothing, and need not wait for the lease to
# end. So does a crash of a process, and one of the process that leases.
foreach my $stop (qw(fast immediate))
{
	$_->stop($stop) foreach @nodes;
	$_->start foreach reverse @nodes;
	wait_for_number($_) foreach reverse @nodes;
	is(node_numbers(@nodes), '1 2 3', "restarted, stopped $stop");
}
kill_server($nodes[0]);
$nodes[0]->start;
is(wait_for_number($nodes[0]), '1', 'killed');

my $offset = -s $nodes[1]->logfile;
kill 'KILL', lease_process($nodes[1]);
wait_for_restart($nodes[1], $offset);
is(wait_for_number($nodes[1]), '2', 'the process that leases was killed');
kill 'TERM', lease_process($nodes[2]);
is(wait_for_number($nodes[2]), '3', 'it was ended');

# Each server start is another holder, and each renewal has a token of its own.
my $before = at_centre('SELECT holder, token FROM idgen_node_numbers WHERE number = 1');
run_sql($nodes[0], 'SELECT pg_reload_conf()');
at_centre("SELECT 1") until at_centre("SELECT token FROM idgen_node_numbers WHERE number = 1") ne (split /\|/, $before)[1];
is(at_centre('SELECT holder FROM idgen_node_numbers WHERE number = 1'), (split /\|/, $before)[0], 'a reload renews the lease');
$nodes[0]->restart;
wait_for_renewal($nodes[0]);
isnt(at_centre('SELECT holder FROM idgen_node_numbers WHERE number = 1'), (split /\|/, $before)[0], 'a start is another holder');

# A number by setting, and back
run_sql($nodes[1], 'ALTER SYSTEM SET idgen.node_id = 7');
run_sql($nodes[1], 'SELECT pg_reload_conf()');
wait_for_true($nodes[1], q{SELECT current_setting('idgen.node_id') = '7'}, 'the setting');
is(node_number($nodes[1]), '7', 'a number that is set');
is(run_sql($nodes[1], 'SELECT node_setting, node_id, node_leased_until, node_renewed_at, node_failing_since, node_problem FROM idgen_server'), '7|7||||', 'view of that');
wait_for_true($nodes[1], q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'idgen worker'}, 'the process to end');
run_sql($nodes[1], 'ALTER SYSTEM RESET idgen.node_id');
run_sql($nodes[1], 'SELECT pg_reload_conf()');
wait_for_true($nodes[1], q{SELECT current_setting('idgen.node_id') = 'auto'}, 'the setting');
is(wait_for_number($nodes[1]), '2', 'leased again');

# Reserving numbers, and freeing them
is(sqlstate($centre, "SELECT idgen_reserve_node($_, NULL)"), '22023', "there is no number $_ to free") foreach (-1, 0, 1024);
is(sqlstate($centre, "SELECT idgen_reserve_node($_, 'x')"), '22023', "there is no number $_ to reserve") foreach (-1, 0, 1024);
is(sqlstate($centre, 'SELECT idgen_reserve_node(2, NULL)'), '55006', 'a server has it');
is(sqlstate($centre, q{SELECT idgen_reserve_node(2, 'x')}), '55006', 'so it cannot be reserved');
at_centre(q{SELECT idgen_reserve_node(4, 'a server that sets it')});
is(wait_for_number(leasing_server('node4', $centre, 300)), '5', 'a number that is reserved is left out');

$nodes[1]->stop;
is(sqlstate($centre, 'SELECT idgen_reserve_node(2, NULL)'), '55006', 'as long as the lease lasts');
at_centre(q{UPDATE idgen_node_numbers SET leased_until = clock_timestamp() WHERE number = 2});
is(at_centre('SELECT state FROM idgen_nodes WHERE number = 2'), 'ended', 'a lease that has ended');
is(wait_for_number(leasing_server('node5', $centre, 300)), '6', 'whose number belongs to its server still');
at_centre('SELECT idgen_reserve_node(2, NULL)');
is(at_centre('SELECT state, used_until > now() FROM idgen_nodes WHERE number = 2'), 'free|t', 'until it is freed');
is(wait_for_number(leasing_server('node6', $centre, 300)), '7', 'time-ordered ids may have times to come: nobody gets it yet');

# A server that has its way to the centre at the last moment: it gets the number
# as soon as it can wait for the times that others may have used.
my $node7 = idgen_server('node7', conf => "idgen.node_id = auto\nidgen.node_lease = 300\n");
run_sql($node7, q{SELECT idgen_create('x', layout => 'prefixed')});
my $used_until = at_centre(q{UPDATE idgen_node_numbers SET used_until = clock_timestamp() + '3.9 s' WHERE number = 2 RETURNING used_until});
lead_to_centre($node7, $centre);
is(wait_for_number($node7), '2', 'freed');
is(run_sql($node7, "SELECT (idgen_unique_id_parts(idgen_unique_id())).created_at > '$used_until'"),
	't', 'its ids are later than all with that number before');

# The server that has had it gets another one.
$nodes[1]->start;
is(wait_for_renewal($nodes[1]), '8', 'another server has its number by now');

# Numbers that no composed id begins with are given to others in the end.
my $node8 = leasing_server('node8', $centre, 300, conf => 'idgen.min_node_id = 1022');
my $node9 = leasing_server('node9', $centre, 300, conf => 'idgen.min_node_id = 1022');
is(node_numbers($node8, $node9), '1022 22003 1023 22003', 'the least number is a setting');
is(run_sql($node8, q{SELECT problem_kind, problem FROM idgen_health WHERE name = 'x'}),
	'node_does_not_fit|The node number of this server, 1022, does not fit layout prefixed, which takes 1 to 8. Have the centre release one of these.',
	'idgen_health says so');
my $node10 = idgen_server('node10', conf => "idgen.node_id = auto\nidgen.min_node_id = 1022\n");
lead_to_centre($node10, $centre);
is(sqlstate($node10, 'SELECT idgen_unique_id()'), '55000', 'no number is free');
wait_for_true($node10, q{SELECT node_problem LIKE 'no node number is free%' FROM idgen_server}, 'the problem');
$node9->stop;
at_centre(q{UPDATE idgen_node_numbers SET leased_until = clock_timestamp(), used_until = clock_timestamp() WHERE number = 1023});
is(wait_for_number($node10), '1023 42704', 'a number whose lease has ended');

# Rights at the centre
at_centre('CREATE ROLE regress_monitor IN ROLE pg_monitor; CREATE ROLE regress_other');
is(sqlstate($centre, "SET ROLE regress_other; SELECT $_"), '42501', "not for everybody: $_")
  foreach ('number FROM idgen_nodes', 'number FROM idgen_node_numbers', 'token FROM idgen_leases', q{idgen_reserve_node(1, NULL)}, q{idgen_reserve_node(1, 'x')},
	q{idgen_lease_node(gen_random_uuid(), 1, 'x', 1, 1, 1, 1, gen_random_uuid(), '{}', '{}', '{}', '{}')});
is(at_centre('SET ROLE regress_monitor; SELECT count(*) FROM idgen_nodes'), '11', 'pg_monitor sees who has which');
is(sqlstate($centre, 'SET ROLE regress_monitor; SELECT token FROM idgen_leases'), '42501', 'but no token');

$_->stop foreach ($centre, @nodes[ 0, 2 ]);
done_testing();

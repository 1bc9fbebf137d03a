# With synchronous_commit = on, a refill from a native sequence waits until the
# synchronous standby has it, before any session gets an id. A session that does
# not want to wait for standbys does not.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = idgen_server(
	'primary',
	init => [ allows_streaming => 1 ],
	conf => 'deadlock_timeout = 100s');
my $draw = q{idgen_next('gen', 'sequence')};

run_sql($primary, 'CREATE SEQUENCE gen_seq INCREMENT BY 20; CREATE UNLOGGED SEQUENCE unlogged_seq');
my $standby = start_standby($primary, 'standby');
make_synchronous($primary, $standby);
is(run_sql($primary, "SELECT count($draw) FROM generate_series(1, 20)"),
	'20', 'with the standby, ids come');

# Without it, they do not, before any commit. (The first value after a
# checkpoint is one that nextval() writes WAL for.)
$standby->stop;
run_sql($primary, 'CHECKPOINT');
my $refiller = start_statement($primary, "SELECT $draw", 'BEGIN');
wait_for_waiters($primary, 1, 'idgen_next', 'IPC');
is( run_sql($primary, q{SELECT wait_event FROM pg_stat_activity WHERE query ~ '^SELECT idgen_next'}),
	'SyncRep', 'the refill waits for the standby');
my @waiters = map { start_statement($primary, "SELECT $draw", "SET synchronous_commit = $_") } ('on', 'off');
wait_for_waiters($primary, 2, 'idgen_next', 'Lock');
ok(1, 'others wait for the refill');
is( sqlstate($primary, "SET statement_timeout = '20ms'; SELECT $draw"),
	'57014', 'nobody gets an id');
is(run_sql($primary, q{SELECT idgen_next('unlogged', 'sequence')}),
	'1', 'an unlogged sequence is nothing to standbys');

$standby->start;
is($refiller->query_safe(''), '21', 'the standby is back: the refill goes on');
is(join(' ', sort map { $_->query_safe('') } @waiters), '22 23', 'so do the others');
$refiller->query_safe('ROLLBACK');
$_->quit for ($refiller, @waiters);

# What is cached needs no standby, and no refill does that is not to wait for
# it.
$standby->stop;
is(run_sql($primary, "SELECT count($draw) FROM generate_series(1, 17)"),
	'17', 'cached ids');
foreach my $mode ('local', 'off')
{
	run_sql($primary, 'CHECKPOINT');
	is( run_sql($primary, "SET synchronous_commit = $mode; SELECT count($draw) FROM generate_series(1, 20)"),
		'20', "synchronous_commit = $mode");
}

# Two sessions wait at once for values that one record of the WAL covers. (A
# server with assertions insists that no two wait for the same place.)
run_sql($primary, q{
	SET synchronous_commit = local;
	CREATE SEQUENCE shared_seq INCREMENT BY 20;
	SELECT idgen_create(name, source => 'sequence', source_name => 'shared_seq') FROM (VALUES ('one'), ('two')) AS v(name)});
run_sql($primary, 'CHECKPOINT');
my @sharing = map { start_statement($primary, "SELECT idgen_next('$_')", 'BEGIN') } ('one', 'two');
wait_for_waiters($primary, 2, 'idgen_next', 'IPC');
$standby->start;
is(join(' ', sort map { $_->query_safe('') } @sharing), '1 21', 'two refills wait for one record');
$_->quit for @sharing;

$primary->stop;
done_testing();

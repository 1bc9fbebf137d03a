# Templates and their children in a dump, on a standby, and at a subscriber:
# they go on where they were, and limits count what came along.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = idgen_server('primary', init => [ allows_streaming => 'logical' ]);
my $standby = start_standby($primary, 'standby');
my $subscriber = idgen_server('subscriber', init => [ allows_streaming => 'logical' ]);

# A function that only some roles may name: who restores need not be asked again
# for what a child says.
run_sql($primary, q{
	CREATE FUNCTION allocate(name text, blocks integer, OUT first_id bigint, OUT last_id bigint) LANGUAGE sql AS 'SELECT 1, 2';
	SELECT idgen_create('bill/*', 100, block_size => 1, max_children => 3), idgen_create('auto/*', refill => 'auto'),
		idgen_create('function/*', source => 'function', source_name => 'allocate');
	SELECT idgen_next('bill/a'), idgen_next('bill/a'), idgen_next('bill/b'), idgen_next('auto/x'), idgen_next('function/x')});
my $rows = 'SELECT name, next_block_start, max_children, template, refilled_at, start_value, source FROM id_sequences ORDER BY name';
my $limited = sub {
	my ($node, $db, $what) = @_;
	my ($status, $out, $err) = $node->psql($db, "SELECT idgen_next('bill/c'); SELECT idgen_next('bill/d')");
	is($out, '100', "$what: another child is made");
	like($err, qr/template "bill\/\*" cannot have another child/, "$what: and no more than the limit allows");
	return;
};

# A dump
my $dir = PostgreSQL::Test::Utils::tempdir();
$primary->command_ok([ 'pg_dump', '-f', "$dir/plain.sql", 'postgres' ], 'pg_dump');
run_sql($primary, 'CREATE DATABASE copy TEMPLATE template0');
$primary->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'copy', '-f', "$dir/plain.sql" ], 'restore');
is($primary->safe_psql('copy', $rows), run_sql($primary, $rows), 'the same rows');
is($primary->safe_psql('copy', "SELECT idgen_next('bill/a'), idgen_next('bill/b'), idgen_next('auto/y')"),
	'102|101|1', 'numbers go on');
$limited->($primary, 'copy', 'restored');

# A subscriber
run_sql($primary, 'CREATE PUBLICATION p FOR TABLE id_sequences');
run_sql($subscriber, "CREATE SUBSCRIPTION s CONNECTION '" . $primary->connstr . " dbname=postgres' PUBLICATION p");
$subscriber->wait_for_subscription_sync($primary, 's');
run_sql($primary, "SELECT idgen_next('auto/z')");
$primary->wait_for_catchup('s');
is(run_sql($subscriber, $rows), run_sql($primary, $rows), 'a subscriber has them, new ones included');
run_sql($subscriber, 'DROP SUBSCRIPTION s');
is(run_sql($subscriber, "SELECT idgen_next('bill/a')"), '102', 'and goes on');
$limited->($subscriber, 'postgres', 'subscriber');

# A standby, and what it is when it is promoted
$primary->wait_for_catchup($standby);
my $session = $standby->background_psql('postgres', on_error_stop => 0);
is(answer($session, "SELECT idgen_peek('bill/a'), idgen_peek('bill/c'), idgen_peek('auto/new')"),
	'102|100|1', 'a standby shows what comes next');
like(answer($session, "SELECT idgen_next('bill/c')"),
	qr/cannot execute idgen_next\(\) in a read-only transaction/, 'but makes no child');
$primary->stop('immediate');
$standby->promote;
is(answer($session, "SELECT idgen_next('bill/a')"), '102', 'promoted, it goes on');
$session->quit;
$limited->($standby, 'postgres', 'promoted');
$standby->stop;
$subscriber->stop;
done_testing();

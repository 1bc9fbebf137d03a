# A role that may read a row of id_sequences may draw from it, and may not do
# anything else; row security decides which rows those are.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('roles');

$node->safe_psql(
	'postgres', q{
	CREATE ROLE alice LOGIN;
	CREATE ROLE bob LOGIN;
	CREATE ROLE staff;
	CREATE ROLE owner LOGIN;
	SELECT idgen_create('x'), idgen_create('alice_1'), idgen_create('alice_2'), idgen_create('bob_1');
	CREATE TABLE orders (id bigint DEFAULT idgen_next('x'), what text);
	GRANT INSERT, SELECT ON orders TO alice, bob});

sub connstr
{
	my ($role) = @_;
	return $node->connstr('postgres') . " user=$role";
}

# A session of that role; answer() gives its answer, or the SQLSTATE of its
# error.
sub session
{
	my ($role) = @_;
	my $session = $node->background_psql(
		'postgres',
		on_error_stop => 0,
		extra_params => [ '-U', $role, '-v', 'VERBOSITY=sqlstate' ]);
	is($session->query_safe('SELECT session_user'), $role, "connected as $role");
	return $session;
}

# With the privileges that the extension comes with
my $alice = session('alice');
my $bob = session('bob');

is(answer($alice, "SELECT idgen_next('x')"), '1', 'anybody may draw');
is(answer($alice, "INSERT INTO orders (what) VALUES ('a') RETURNING id"), '2', 'also by a column default');
is(answer($alice, "SELECT idgen_peek('x'), idgen_last('x'), idgen_next_big('x')"), '3|2|3', 'peek and last');
is(answer($bob, "SELECT idgen_last('x')"), '55000', 'idgen_last is about the own session');
is(answer($alice, "SELECT name, ids_issued FROM idgen_stats"), 'x|3', 'idgen_stats');
is(answer($alice, "SELECT * FROM idgen_cache"), 'x|4|20|published', 'idgen_cache');
is(answer($alice, "SELECT cache FROM idgen_server"), 'server', 'idgen_server');

foreach my $refused (
	"INSERT INTO id_sequences (name, next_block_start) VALUES ('new', 1)",
	"UPDATE id_sequences SET block_size = 5 WHERE name = 'x'",
	"DELETE FROM id_sequences",
	"TRUNCATE id_sequences",
	"SELECT 1 FROM id_sequences FOR UPDATE",
	"SELECT idgen_create('new')",
	"SELECT idgen_restart('x', 1)",
	"SELECT idgen_stats_reset()",
	"SET idgen.auto_create = on",
	"SET idgen.warn_remaining = 0")
{
	is(answer($alice, $refused), '42501', "refused: $refused");
}
is(answer($alice, "SELECT idgen_next('new')"), '42704', 'no row was made');
is(answer($alice, "SELECT idgen_next('x')"), '4', 'alice can go on');

# The owner of a database makes new rows for everybody, if told to.
$node->safe_psql('postgres', 'ALTER ROLE bob SET idgen.auto_create = on');
$bob->quit;
$bob = session('bob');
is(answer($bob, "SELECT idgen_next('made')"), '1', 'idgen.auto_create makes rows for bob');
is(answer($alice, "SELECT idgen_next('made')"), '2', 'which others may use');
is(answer($bob, "SELECT idgen_create('made2')"), '42501', 'but bob may not insert');
$node->safe_psql('postgres', 'ALTER ROLE bob RESET idgen.auto_create');
$bob->quit;
$bob = session('bob');

# Without SELECT, and with it through another role
$node->safe_psql('postgres', 'REVOKE SELECT ON id_sequences FROM PUBLIC; GRANT SELECT ON id_sequences TO staff');
foreach my $call (
	"idgen_next('x')", "idgen_next_big('x')", "idgen_peek('x')", "idgen_last('x')",
	"idgen_next('unknown')", "1 FROM idgen_stats")
{
	is(answer($alice, "SELECT $call"), '42501', "without SELECT: $call");
}
is(answer($alice, "INSERT INTO orders (what) VALUES ('b') RETURNING id"), '42501',
	'without SELECT: a column default');
$node->safe_psql('postgres', 'GRANT staff TO alice');
is(answer($alice, "SELECT idgen_next('x')"), '5', 'a member of a role that may draw');
is(answer($bob, "SELECT idgen_next('x')"), '42501', 'bob is none');
$node->safe_psql('postgres', 'REVOKE staff FROM alice');
is(answer($alice, "SELECT idgen_next('x')"), '42501', 'nor is alice any more');

# On behalf of somebody who may
$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION draw() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$SELECT idgen_next('x')$$;
	CREATE VIEW drawing AS SELECT idgen_next('x') AS id;
	GRANT SELECT ON drawing TO alice});
is(answer($alice, 'SELECT draw()'), '6', 'a SECURITY DEFINER function draws as its owner');
is(answer($alice, 'SELECT id FROM drawing'), '42501', 'a view does not');
is(answer($alice, "SELECT draw(), idgen_next('x')"), '42501', 'what one may do does not help the other');

# Like nextval
$node->safe_psql('postgres', 'GRANT SELECT ON id_sequences TO PUBLIC');
is(answer($bob, "SELECT idgen_next('x') > 6"), 't', 'ids are cached');
is(answer($bob, "BEGIN READ ONLY; SELECT idgen_next('x')"), '25006', 'a read-only transaction');
is(answer($bob, "ROLLBACK; SELECT idgen_next('x') > 6"), 't', 'the next one is not');

# Row security
$node->safe_psql(
	'postgres', q{
	CREATE POLICY own ON id_sequences FOR SELECT USING (starts_with(name, current_user || '_'));
	ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY});
is(answer($alice, "SELECT idgen_next('x')"), '42704', 'row security hides a row drawn from before');
is(answer($alice, "SELECT idgen_peek('bob_1')"), '42704', 'from every function');
is(answer($alice, "SELECT idgen_last('x')"), '42704', 'from idgen_last too');
is(answer($alice, "SELECT idgen_next('alice_1')"), '1', 'the own one is there');
is(answer($bob, "SELECT idgen_next('bob_1')"), '1', "bob's too");
is(answer($bob, "SELECT idgen_next('alice_1')"), '42704', "alice's is not bob's");
is(answer($alice, 'SELECT name FROM idgen_stats ORDER BY name'), 'alice_1', 'idgen_stats shows the own');
is(answer($alice, 'SELECT DISTINCT name FROM idgen_cache'), 'alice_1', 'idgen_cache too');
is($node->safe_psql('postgres', "SELECT idgen_next('alice_1')"), '2', 'a superuser sees all rows');

# A session that changes its role, between calls of one prepared statement
$node->safe_psql('postgres', 'GRANT bob TO alice');
is(answer($alice, "PREPARE p AS SELECT idgen_next('alice_1'); EXECUTE p"), '3', 'prepared by alice');
is(answer($alice, 'SET ROLE bob; EXECUTE p'), '42704', 'run by bob');
is(answer($alice, 'RESET ROLE; EXECUTE p'), '4', 'and by alice again');

# Policies that change, or that look elsewhere
$node->safe_psql(
	'postgres', q{
	CREATE TABLE allowed (who name, what text);
	GRANT SELECT ON allowed TO PUBLIC;
	ALTER POLICY own ON id_sequences
		USING (EXISTS (SELECT FROM allowed WHERE who = current_user AND what = name))});
is(answer($alice, "SELECT idgen_next('alice_1')"), '42704', 'another policy: not allowed');
$node->safe_psql('postgres', "INSERT INTO allowed VALUES ('alice', 'alice_1')");
is(answer($alice, "SELECT idgen_next('alice_1')"), '5', 'another policy: allowed');
$node->safe_psql('postgres', 'DELETE FROM allowed');
is(answer($alice, "SELECT idgen_next('alice_1')"), '42704', 'another policy: not any more');
$node->safe_psql('postgres', 'ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY');
is(answer($alice, "SELECT idgen_next('alice_1')"), '6', 'without row security');

# The table's owner need not be a superuser.
$node->safe_psql('postgres', 'ALTER TABLE id_sequences OWNER TO owner');
is(answer($alice, "SELECT idgen_next('alice_1')"), '7', 'with another owner');
my $owner = session('owner');
is(answer($owner, "SELECT idgen_restart('alice_1', 101)"), '', 'the owner may restart');
is(answer($alice, "SELECT idgen_next('alice_1')"), '101', 'and alice notices');

$_->quit for ($alice, $bob, $owner);
$node->stop;
done_testing();

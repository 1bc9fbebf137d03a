# The first draw of a session relies on what an earlier session has found the
# row to say. Whatever changes that, or who may draw, reaches each session that
# begins after the change is committed.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('server', conf => "autovacuum = off\nmax_prepared_transactions = 10\nidgen.node_id = 1\n");

$node->safe_psql(
	'postgres', q{
	CREATE ROLE ordinary LOGIN;
	CREATE SEQUENCE native START 5001 INCREMENT BY 20});

# A session that stays, and locks the table when the others must not look
my $other = $node->background_psql('postgres', on_error_stop => 0);

# What a statement answers in a new session, or the SQLSTATE
sub ask
{
	my ($sql, $user) = @_;
	my ($ret, $stdout, $stderr) = $node->psql(
		'postgres', $sql,
		connstr => $node->connstr('postgres') . ($user ? " user=$user" : ''),
		extra_params => [ '-v', 'VERBOSITY=sqlstate' ]);

	return $stderr =~ /(?:ERROR|FATAL):  (\w{5})/ ? $1 : $stdout;
}

sub draw
{
	my ($name, $user) = @_;
	return ask("SELECT idgen_next('$name')", $user);
}

# A composed id tells that the session has the layout that the row says.
my $plain = qr/^\d{1,2}$/;
my $composed = qr/^1\d{18}$/;

# Makes an id sequence from which two sessions have drawn: the first draw
# refills, so 21 is the first id of the next refill.
my $made = 0;

sub drawn_name
{
	my $name = 'made' . ++$made;

	$node->safe_psql('postgres', "SELECT idgen_create('$name'); SELECT idgen_next('$name')");
	like(draw($name), $plain, $name);
	return $name;
}

sub composed
{
	my ($name) = @_;
	return "UPDATE id_sequences SET layout = 'session' WHERE name = '$name'";
}

# By SQL
my $name = drawn_name();
$node->safe_psql('postgres', composed($name));
like(draw($name), $composed, 'UPDATE');

$name = drawn_name();
$node->safe_psql('postgres', 'BEGIN; ' . composed($name) . '; ROLLBACK');
like(draw($name), $plain, 'UPDATE that is rolled back');

$name = drawn_name();
$other->query_safe('BEGIN');
$other->query_safe(composed($name));
like(draw($name), $plain, 'UPDATE that is not committed');
$other->query_safe('COMMIT');
like(draw($name), $composed, 'and that is');

$name = drawn_name();
$node->safe_psql('postgres', "UPDATE id_sequences SET source = 'sequence', source_name = 'native' WHERE name = '$name'");
is(draw($name), '5001', 'another source');

$name = drawn_name();
$node->safe_psql('postgres', "UPDATE id_sequences SET big_base = 1000 WHERE name = '$name'");
like(ask("SELECT idgen_next_big('$name')"), qr/^10\d\d$/, 'big_base');

$name = drawn_name();
$node->safe_psql('postgres', "UPDATE id_sequences SET block_size = 1 WHERE name = '$name'; SELECT idgen_restart('$name', 101)");
is(ask("BEGIN; SELECT idgen_next('$name'); SELECT idgen_next('$name'); ROLLBACK; SELECT idgen_next('$name')"),
	"101\n102\n101", 'block_size: gapless');

$name = drawn_name();
$node->safe_psql('postgres', "DELETE FROM id_sequences WHERE name = '$name'");
is(draw($name), '42704', 'DELETE');

$name = drawn_name();
$node->safe_psql('postgres', "UPDATE id_sequences SET name = '${name}x' WHERE name = '$name'");
is(draw($name), '42704', 'rename: the old name');
is(draw("${name}x"), '21', 'and the new one');

$name = drawn_name();
$node->safe_psql('postgres', "BEGIN; CREATE TEMP TABLE saved ON COMMIT DROP AS TABLE id_sequences;
	TRUNCATE id_sequences; INSERT INTO id_sequences SELECT * FROM saved WHERE name <> '$name'; COMMIT");
is(draw($name), '42704', 'TRUNCATE');

$name = drawn_name();
my $second = drawn_name();
$node->safe_psql('postgres', "UPDATE id_sequences SET layout = 'session'");
like(draw($_), $composed, "UPDATE of all rows: $_") foreach $name, $second;
$node->safe_psql('postgres', "DELETE FROM id_sequences");

# Of more than 10,000 changes, not each is noted by itself.
$name = drawn_name();
$node->safe_psql(
	'postgres', q{
	INSERT INTO id_sequences (name, next_block_start) SELECT 'a' || i, 1 FROM generate_series(1, 10500) i;
	CLUSTER id_sequences USING id_sequences_pkey});
draw($name);
$node->safe_psql('postgres', "UPDATE id_sequences SET layout = 'session'");
like(draw($name), $composed, 'UPDATE of all these rows');
$node->safe_psql('postgres', "DELETE FROM id_sequences");

$name = drawn_name();
$node->safe_psql('postgres', 'SET session_replication_role = replica; ' . composed($name));
like(draw($name), $composed, 'session_replication_role');

# What a session has changed itself, and nobody else sees
$name = drawn_name();
like(ask('BEGIN; ' . composed($name) . "; SELECT idgen_next('$name')"), $composed, 'UPDATE of its own');
is(ask("BEGIN; DELETE FROM id_sequences WHERE name = '$name'; SELECT idgen_next('$name')"), '42704', 'DELETE of its own');
is(ask("BEGIN; TRUNCATE id_sequences; SELECT idgen_next('$name')"), '42704', 'TRUNCATE of its own');
like(
	ask('BEGIN; ALTER TABLE id_sequences DISABLE TRIGGER USER; ' . composed($name) . "; SELECT idgen_next('$name')"),
	$composed, 'UPDATE of its own, without triggers');
like(draw($name), $plain, 'all that was rolled back');

# In two phases: the commit tells nobody.
$name = drawn_name();
$node->safe_psql('postgres', 'BEGIN; ' . composed($name) . "; PREPARE TRANSACTION 'p'");
is(ask("SET lock_timeout = '10ms'; SELECT idgen_next('$name')"), '55P03', 'UPDATE that is prepared: a refill waits');
$node->safe_psql('postgres', "COMMIT PREPARED 'p'");
like(draw($name), $composed, 'and is committed');

$name = drawn_name();
$node->safe_psql('postgres', 'BEGIN; ' . composed($name) . "; PREPARE TRANSACTION 'p'");
$node->safe_psql('postgres', "ROLLBACK PREPARED 'p'");
like(draw($name), $plain, 'or is rolled back');

$name = drawn_name();
$node->safe_psql('postgres', "BEGIN; UPDATE id_sequences SET name = '${name}x' WHERE name = '$name'; PREPARE TRANSACTION 'p'");
is(ask("SET lock_timeout = '10ms'; SELECT idgen_next('$name')"), '55P03', 'a rename that is prepared: a refill waits');
$node->safe_psql('postgres', "COMMIT PREPARED 'p'");
is(draw($name), '42704', 'and is committed');

# The table
$name = drawn_name();
$node->safe_psql('postgres', "ALTER TABLE id_sequences ALTER COLUMN layout TYPE text USING 'session'");
like(draw($name), $composed, 'ALTER TABLE that rewrites the rows');
$node->safe_psql('postgres', "ALTER TABLE id_sequences ALTER COLUMN layout TYPE text USING 'plain'");

# A change of that row with triggers disabled, as pg_restore does it
sub composed_unnoticed
{
	my ($name) = @_;
	return join('; ',
		'ALTER TABLE id_sequences DISABLE TRIGGER USER',
		composed($name), 'ALTER TABLE id_sequences ENABLE TRIGGER USER');
}

$name = drawn_name();
$node->safe_psql('postgres', composed_unnoticed($name));
like(draw($name), $composed, 'UPDATE while triggers are disabled, as pg_restore does it');

$name = drawn_name();
$node->safe_psql('postgres', 'BEGIN; ' . composed_unnoticed($name) . q{; PREPARE TRANSACTION 'p'});
like(draw($name), $plain, 'the same, prepared');
$node->safe_psql('postgres', "COMMIT PREPARED 'p'");
like(draw($name), $composed, 'and committed');

$name = drawn_name();
$node->safe_psql(
	'postgres', 'BEGIN; ALTER TABLE id_sequences RENAME TO original;
	CREATE TABLE id_sequences (LIKE original INCLUDING ALL); INSERT INTO id_sequences SELECT * FROM original; COMMIT');
like(draw($name), $plain, 'another table in its place');
$node->safe_psql('postgres', composed($name));
like(draw($name), $composed, 'UPDATE there');
$node->safe_psql('postgres', 'DROP TABLE id_sequences; ALTER TABLE original RENAME TO id_sequences');
like(draw($name), $plain, 'the table is back');

$name = drawn_name();
$node->safe_psql('postgres', 'ALTER TABLE id_sequences RENAME COLUMN pooling TO other; ALTER TABLE id_sequences DROP COLUMN other');
is(draw($name), '55000', 'a column is dropped');
$node->safe_psql('postgres', 'DROP EXTENSION idgen CASCADE; CREATE EXTENSION idgen');
is(draw($name), '42704', 'the extension is created again');

$name = drawn_name();
$node->safe_psql(
	'postgres', 'CREATE TABLE parent (LIKE id_sequences) PARTITION BY LIST (name);
	ALTER TABLE parent ATTACH PARTITION id_sequences DEFAULT');
is(draw($name), '42809', 'the table becomes a partition');
$node->safe_psql('postgres', 'ALTER TABLE parent DETACH PARTITION id_sequences');

# Who may draw
$name = drawn_name();
like(draw($name, 'ordinary'), $plain, 'a role that may read the table');
$node->safe_psql('postgres', 'REVOKE SELECT ON id_sequences FROM PUBLIC');
is(draw($name, 'ordinary'), '42501', 'REVOKE');
$node->safe_psql('postgres', 'GRANT SELECT ON id_sequences TO ordinary');
like(draw($name, 'ordinary'), $plain, 'GRANT');

$node->safe_psql('postgres', 'ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY');
is(draw($name, 'ordinary'), '42704', 'row security: no policy');
is(ask("SET row_security = off; SELECT idgen_next('$name')", 'ordinary'), '42501', 'and it is not to be used');
like(draw($name), $plain, 'it is not for superusers');
$node->safe_psql('postgres', "CREATE POLICY p ON id_sequences FOR SELECT USING (name = '$name')");
like(draw($name, 'ordinary'), $plain, 'a policy shows the row');
$node->safe_psql('postgres', q{ALTER POLICY p ON id_sequences USING (false)});
is(draw($name, 'ordinary'), '42704', 'it does not any more');
$node->safe_psql('postgres', 'ALTER ROLE ordinary BYPASSRLS');
like(draw($name, 'ordinary'), $plain, 'the role need not care');
$node->safe_psql('postgres', 'ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY; ALTER ROLE ordinary NOBYPASSRLS');
like(draw($name, 'ordinary'), $plain, 'no row security');

# In a session that has looked at the catalogs before the change
my $session = $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', 'ordinary' ]);
$session->query_safe('\set VERBOSITY sqlstate');
$session->query_safe(q{BEGIN; SELECT has_table_privilege('id_sequences', 'SELECT'), idgen_next('} . drawn_name() . q{')});
$node->safe_psql('postgres', 'ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY');
is(answer($session, "SELECT idgen_next('$name')"), '42704', 'row security, in the middle of a transaction');
$session->quit;
$node->safe_psql('postgres', 'ALTER TABLE id_sequences DISABLE ROW LEVEL SECURITY');

$session = $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', 'ordinary' ]);
$session->query_safe('\set VERBOSITY sqlstate');
$session->query_safe("BEGIN; SELECT idgen_next('$name')");
$second = 'made' . ++$made;
$node->safe_psql('postgres', "SELECT idgen_create('$second'); REVOKE SELECT ON id_sequences FROM ordinary");
is(answer($session, "SELECT idgen_next('$second')"), '42501', 'REVOKE, in the middle of a transaction');
$session->quit;
$node->safe_psql('postgres', 'GRANT SELECT ON id_sequences TO ordinary');

# A table of anybody's that is called as idgen's changes nothing: a new session
# still need not look for the row.
sub looks
{
	my ($name) = @_;
	my $scans = (split /\n/, ask(qq{BEGIN; SELECT idgen_next('$name'); SELECT pg_stat_get_xact_numscans('id_sequences_pkey'::regclass)}))[1];

	return $scans > 0 ? 'yes' : 'no';
}

$name = drawn_name();
$node->safe_psql('postgres', 'CREATE SCHEMA strangers AUTHORIZATION ordinary');
foreach my $change (
	'CREATE TABLE strangers.id_sequences (a integer)',
	'ALTER TABLE strangers.id_sequences ADD b integer',
	'CREATE TRIGGER t BEFORE UPDATE ON strangers.id_sequences FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()',
	'ALTER TABLE strangers.id_sequences RENAME TO other; ALTER TABLE strangers.other RENAME TO id_sequences',
	'DROP TABLE strangers.id_sequences')
{
	is(ask($change, 'ordinary'), '', $change);
	is(looks($name), 'no', 'does not make a session look');
}
$node->safe_psql('postgres', 'ALTER TABLE id_sequences SET (fillfactor = 90)');
is(looks($name), 'yes', 'a change of the table itself does');

# Crash
$name = drawn_name();
$node->safe_psql('postgres', 'BEGIN; ' . composed($name) . "; PREPARE TRANSACTION 'p'");
$other->quit;
$node->stop('immediate');
$node->start;
$other = $node->background_psql('postgres', on_error_stop => 0);
is(ask("SET lock_timeout = '10ms'; SELECT idgen_next('$name')"), '55P03', 'a crash: a refill waits for who has changed the row');
$node->safe_psql('postgres', "COMMIT PREPARED 'p'");
like(draw($name), $composed, 'until it has committed');

# A restart
$name = drawn_name();
$other->quit;
$node->restart;
$other = $node->background_psql('postgres', on_error_stop => 0);
like(draw($name), $plain, 'a restart');

$other->quit;
$node->stop;
done_testing();

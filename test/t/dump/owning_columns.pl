# A dump takes along which column an id sequence belongs to, whatever OIDs and
# column numbers the copy has: there, too, the row goes with the column.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Sessions that drop a table have not loaded the library.
my $node = idgen_server('owning', preload => 0);
my $dir = PostgreSQL::Test::Utils::tempdir();

# In the original, a column has been dropped: the number differs in the copy.
$node->safe_psql('postgres', 'CREATE DATABASE original');
$node->safe_psql(
	'original', q{
	CREATE SCHEMA ids;
	CREATE SCHEMA "My Schema";
	CREATE EXTENSION idgen SCHEMA ids;
	CREATE TABLE orders (gone text, id serial PRIMARY KEY, what text);
	ALTER TABLE orders DROP COLUMN gone;
	CREATE TABLE "My Schema"."Other Table" ("The ""Id""" bigint GENERATED ALWAYS AS IDENTITY);
	CREATE TABLE kept (id bigserial);
	SELECT ids.idgen_adopt('orders', 'id');
	SELECT ids.idgen_adopt('"My Schema"."Other Table"', 'The "Id"', 'other');
	SELECT ids.idgen_adopt('kept', 'id');
	SELECT ids.idgen_create('nobody''s');
	INSERT INTO orders (what) VALUES ('a'), ('b')});

my $rows = 'SELECT * FROM ids.id_sequences ORDER BY name';
my $owned = 'SELECT name, owned_by FROM ids.id_sequences ORDER BY name';

sub new_database
{
	my ($database) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0");
	return;
}

# What every copy must do
sub check
{
	my ($name, $database) = @_;

	is($node->safe_psql($database, $rows), $node->safe_psql('original', $rows), "$name: the same rows");
	$node->safe_psql($database, 'DROP SCHEMA "My Schema" CASCADE');
	$node->safe_psql($database, 'ALTER TABLE orders RENAME id TO number');
	is($node->safe_psql($database, $owned),
		"nobody's|\npublic.kept.id|public.kept.id\npublic.orders.id|public.orders.number",
		"$name: the row goes with its column, others stay");
	$node->safe_psql($database, 'ALTER TABLE orders DROP number');
	is($node->safe_psql($database, $owned), "nobody's|\npublic.kept.id|public.kept.id", "$name: so does another");
	return;
}

$node->command_ok([ 'pg_dump', '-f', "$dir/plain.sql", 'original' ], 'pg_dump, plain');
new_database('plain');
$node->command_ok(
	[ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'plain', '-f', "$dir/plain.sql" ],
	'restore, plain');
check('plain', 'plain');

$node->command_ok([ 'pg_dump', '--inserts', '--clean', '--if-exists', '-f', "$dir/clean.sql", 'original' ],
	'pg_dump --clean --inserts');
$node->command_ok(
	[ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'plain', '-f', "$dir/clean.sql" ],
	'restore in place of the first copy');
check('clean', 'plain');

$node->command_ok([ 'pg_dump', '-Fc', '-f', "$dir/custom.dump", 'original' ], 'pg_dump, custom');
new_database('custom');
$node->command_ok(
	[ 'pg_restore', '--exit-on-error', '-j', '2', '-d', 'custom', "$dir/custom.dump" ],
	'pg_restore, custom');
check('custom', 'custom');

# The data come later, and triggers do not fire for them.
new_database('steps');
$node->command_ok(
	[ 'pg_restore', '--exit-on-error', '--schema-only', '-d', 'steps', "$dir/custom.dump" ],
	'pg_restore, schema only');
$node->command_ok(
	[
		'pg_restore', '--exit-on-error', '--data-only', '--disable-triggers',
		'-d', 'steps', "$dir/custom.dump"
	],
	'pg_restore, data only, triggers disabled');
check('two steps', 'steps');

# Without some of the tables: the other rows are restored all the same.
for my $triggers ('', '--disable-triggers')
{
	my $name = $triggers ? 'without_triggers' : 'with_triggers';

	new_database($name);
	$node->command_ok(
		[ 'pg_dump', '-Fc', '-T', 'orders', '-N', '"My Schema"', '-f', "$dir/part.dump", 'original' ],
		'pg_dump without two tables');
	$node->command_ok(
		[ 'pg_restore', '--exit-on-error', '--schema-only', '-d', $name, "$dir/part.dump" ],
		"its schema, $name");
	$node->command_ok(
		[ 'pg_restore', '--exit-on-error', '--data-only', ($triggers ? $triggers : ()), '-d', $name, "$dir/part.dump" ],
		"its data, $name");
	is( $node->safe_psql($name, "SELECT name, nullif(owned_by::text, '-') FROM ids.id_sequences ORDER BY name"),
		"nobody's|\nother|\npublic.kept.id|public.kept.id\npublic.orders.id|",
		"$name: what is not there owns nothing");

	# and a copy of that copy is as good
	$node->command_ok([ 'pg_dump', '-f', "$dir/again.sql", $name ], 'pg_dump of that');
	new_database("again_$name");
	$node->command_ok(
		[ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', "again_$name", '-f', "$dir/again.sql" ],
		'restore of that');
	is($node->safe_psql("again_$name", $owned),
		"nobody's|\nother|\npublic.kept.id|public.kept.id\npublic.orders.id|", 'the same again');
	$node->safe_psql("again_$name", 'DROP TABLE kept');
	is($node->safe_psql("again_$name", 'SELECT count(*) FROM ids.id_sequences'), '3', 'and works');
}

# COPY in binary format
new_database('by_copy');
$node->safe_psql(
	'by_copy', q{
	CREATE SCHEMA ids;
	CREATE EXTENSION idgen SCHEMA ids;
	CREATE TABLE orders (id serial PRIMARY KEY)});
$node->safe_psql('original', "\\copy ids.id_sequences TO '$dir/binary' (FORMAT binary)");
my (undef, undef, $warnings) =
	$node->psql('by_copy', "\\copy ids.id_sequences FROM '$dir/binary' (FORMAT binary)", on_error_stop => 1);
like($warnings, qr/WARNING/, 'binary COPY: warnings for the columns that are not there');
is($node->safe_psql('by_copy', $owned), "nobody's|\nother|\npublic.kept.id|\npublic.orders.id|public.orders.id",
	'binary COPY: the column that is there owns its id sequence');

# By a role that is not a superuser, who owns the tables, but not all of them
new_database('by_role');
$node->safe_psql(
	'by_role', q{
	CREATE ROLE restorer LOGIN;
	GRANT ALL ON DATABASE by_role TO restorer;
	GRANT ALL ON SCHEMA public TO restorer;
	CREATE SCHEMA ids;
	CREATE EXTENSION idgen SCHEMA ids;
	GRANT USAGE ON SCHEMA ids TO restorer;
	GRANT INSERT ON ids.id_sequences TO restorer;
	CREATE SCHEMA "My Schema";
	CREATE TABLE "My Schema"."Other Table" ("The ""Id""" bigint);
	CREATE TABLE orders (id integer);
	CREATE TABLE kept (id bigint);
	ALTER TABLE orders OWNER TO restorer});
$node->command_ok(
	[
		'pg_restore', '--exit-on-error', '--data-only', '-t', 'id_sequences', '-U', 'restorer',
		'-d', 'by_role', "$dir/custom.dump"
	],
	'pg_restore by a role that owns one of the tables');
is($node->safe_psql('by_role', $owned),
	"nobody's|\nother|\npublic.kept.id|\npublic.orders.id|public.orders.id",
	'only that one owns its id sequence');

$node->stop;
done_testing();

# A database with the extension in schema idgen, which no search_path names:
# a role with the privileges migrates and inserts; a dump and a restore keep
# defaults, id sequences and privileges.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('own_schema');
my $dump = PostgreSQL::Test::Utils::tempdir() . '/dump';

$node->safe_psql('postgres', 'CREATE ROLE app; CREATE DATABASE shop OWNER app');
$node->safe_psql(
	'shop', q{
	CREATE SCHEMA idgen;
	CREATE EXTENSION idgen SCHEMA idgen;
	REVOKE SELECT ON idgen.id_sequences FROM PUBLIC;
	GRANT CREATE ON SCHEMA public TO app;
	GRANT USAGE ON SCHEMA idgen TO app;
	GRANT SELECT, INSERT, UPDATE, DELETE ON idgen.id_sequences TO app});

# Statements of the role app
sub as_app
{
	my ($database, $sql) = @_;

	return $node->safe_psql($database, "SET ROLE app; $sql");
}

as_app(
	'shop', q{
	CREATE TABLE customers (id serial PRIMARY KEY, name text);
	INSERT INTO customers (name) VALUES ('a'), ('b');
	SELECT idgen.idgen_adopt('customers', 'id', refill => 'transaction');
	SELECT idgen.idgen_create('orders');
	CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT idgen.idgen_next('orders'));
	CREATE VIEW waiting AS SELECT name FROM idgen.idgen_stats WHERE waits > 0});

# Each column draws an id; the answer is both
sub draw
{
	my ($database) = @_;

	return as_app($database, q{
		INSERT INTO customers (name) VALUES ('c') RETURNING id;
		INSERT INTO orders DEFAULT VALUES RETURNING id});
}

is(draw('shop'), "3\n1", 'rows get ids');
$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, $node->connstr('shop') ], 'dump');
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE template0');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('copy'), $dump ], 'restore');
is(draw('copy'), "23\n21", 'ids go on behind the blocks that the original had');
is( $node->safe_psql('copy', q{
		SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid IN ('customers'::regclass, 'orders'::regclass) ORDER BY adrelid::regclass::text;
		SELECT owned_by FROM idgen.id_sequences WHERE owned_by IS NOT NULL}),
	"idgen.idgen_next('public.customers.id'::text)\nidgen.idgen_next('orders'::text)\npublic.customers.id",
	'defaults and owner');
like(as_app('copy', q{SELECT idgen.idgen_release('customers', 'id', 'serial')}), qr/beginning with 43/, 'the role moves a column back');
as_app('copy', 'DROP TABLE orders; SELECT * FROM waiting');
is($node->safe_psql('copy', q{SELECT name FROM idgen.id_sequences}), 'orders', 'what belongs to no column stays');

# Nobody has SELECT by PUBLIC, in the copy either.
$node->safe_psql('postgres', 'CREATE ROLE other');
$node->safe_psql('copy', 'GRANT USAGE ON SCHEMA idgen TO other');
is(sqlstate($node, q{SET ROLE other; SELECT idgen.idgen_next('orders')}, 'copy'), '42501', 'privileges that were revoked stay so');

$node->stop;
done_testing();

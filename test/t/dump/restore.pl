# A dump brings id sequences along, and they go on where the original had got
# to: no id that was issued before the dump is issued by the copy.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('dump');
my $dir = PostgreSQL::Test::Utils::tempdir();

# In a schema of its own, so that a restore, which works with an empty
# search_path, has to find everything.
$node->safe_psql('postgres', 'CREATE DATABASE original');
$node->safe_psql(
	'original', q{
	CREATE SCHEMA ids;
	CREATE EXTENSION idgen SCHEMA ids;
	SET search_path = public, ids;
	SELECT idgen_create('orders');
	SELECT idgen_create('it''s "quoted"', block_size => 1);
	SELECT idgen_create('big', big_base => 12345678901234567890123456789012345678);
	SELECT idgen_create('used_up', max_value => 3);
	SELECT idgen_create('unused', 1001);
	CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_next('orders'), what text);
	INSERT INTO orders (what) VALUES ('a'), ('b'), ('c');
	SELECT idgen_next('it''s "quoted"') FROM generate_series(1, 7);
	SELECT idgen_next_big('big');
	SELECT idgen_next('used_up') FROM generate_series(1, 3)});

my $rows = 'SELECT * FROM ids.id_sequences ORDER BY name';

# What every copy must do
sub check
{
	my ($name, $database) = @_;

	is($node->safe_psql($database, $rows), $node->safe_psql('original', $rows), "$name: the same rows");
	is($node->safe_psql($database, 'SELECT * FROM orders ORDER BY id'),
		"1|a\n2|b\n3|c", "$name: the same data");
	$node->safe_psql($database, q{INSERT INTO orders (what) VALUES ('d'), ('e')});
	is($node->safe_psql($database, 'SELECT id FROM orders ORDER BY id'),
		"1\n2\n3\n21\n22", "$name: ids begin after the blocks allocated before the dump");
	is( $node->safe_psql(
			$database, q{
			SELECT ids.idgen_next('it''s "quoted"');
			SELECT ids.idgen_next_big('big');
			SELECT ids.idgen_next('unused')}),
		"8\n12345678901234567890123456789012345699\n1001",
		"$name: so do the others");
	my ($ret, $stdout, $stderr) = $node->psql($database, "SELECT ids.idgen_next('used_up')");
	like($stderr, qr/id sequence "used_up" is exhausted/, "$name: what was exhausted still is");
	return;
}

sub new_database
{
	my ($database) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0");
	return;
}

# Plain SQL
$node->command_ok([ 'pg_dump', '-f', "$dir/plain.sql", 'original' ], 'pg_dump, plain');
new_database('plain');
$node->command_ok(
	[ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'plain', '-f', "$dir/plain.sql" ],
	'restore, plain');
check('plain', 'plain');

# Custom format, restored by several processes
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$dir/custom.dump", 'original' ], 'pg_dump, custom');
new_database('custom');
$node->command_ok(
	[ 'pg_restore', '--exit-on-error', '-j', '2', '-d', 'custom', "$dir/custom.dump" ],
	'pg_restore, custom');
check('custom', 'custom');

# A dump of a restored database is as good.
$node->command_ok([ 'pg_dump', '-f', "$dir/second.sql", 'custom' ], 'pg_dump of a copy');
new_database('second');
$node->command_ok(
	[ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'second', '-f', "$dir/second.sql" ],
	'restore of a copy of a copy');
is( $node->safe_psql(
		'second', q{
		INSERT INTO orders (what) VALUES ('f');
		SELECT max(id) FROM orders}),
	'41', 'copy of a copy: ids go on');

# Schema and data in two steps
$node->command_ok([ 'pg_dump', '--data-only', '-f', "$dir/data.sql", 'original' ], 'pg_dump, data only');
$node->command_ok([ 'pg_dump', '--schema-only', '-f', "$dir/schema.sql", 'original' ],
	'pg_dump, schema only');
new_database('steps');
$node->command_ok(
	[ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'steps', '-f', "$dir/schema.sql", '-f', "$dir/data.sql" ],
	'restore in two steps');
check('two steps', 'steps');

# Data into a database that is in use: its rows are removed before, and the ids
# that it has cached go with them.
$node->safe_psql(
	'plain', q{
	BEGIN;
	DELETE FROM orders;
	DELETE FROM ids.id_sequences;
	COMMIT});
$node->command_ok(
	[ 'pg_restore', '--exit-on-error', '--data-only', '--single-transaction', '-d', 'plain', "$dir/custom.dump" ],
	'pg_restore, data only, triggers fire');
check('data only', 'plain');

$node->safe_psql('plain', 'TRUNCATE orders, ids.id_sequences');
$node->command_ok(
	[
		'pg_restore', '--exit-on-error', '--data-only', '--disable-triggers',
		'-d', 'plain', "$dir/custom.dump"
	],
	'pg_restore, data only, triggers disabled');
check('triggers disabled', 'plain');

$node->stop;
done_testing();

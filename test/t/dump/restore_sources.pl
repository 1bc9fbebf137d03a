# A dump brings along id sequences that draw from native sequences and
# functions, and restores in whatever order the objects come: no id that was
# issued before the dump is issued by the copy. Servers and user mappings come
# along as well, and what was received from them: where a centre has gone back,
# the copy notices it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('dump');
my $centre = central_server('centre');
my $dir = PostgreSQL::Test::Utils::tempdir();

# In schemas of their own, so that a restore, which works with an empty
# search_path, has to find everything.
$node->safe_psql('postgres', 'CREATE DATABASE original');
$node->safe_psql(
	'original', q{
	CREATE SCHEMA ids;
	CREATE SCHEMA "App";
	CREATE EXTENSION idgen SCHEMA ids;
	SET search_path = "App", ids;
	CREATE SEQUENCE orders_seq INCREMENT BY 20;
	CREATE SEQUENCE "Lines of orders" INCREMENT BY -20;
	CREATE SEQUENCE single_seq;
	CREATE SEQUENCE used_up_seq INCREMENT BY 20 MAXVALUE 2;
	CREATE SEQUENCE pooled_seq INCREMENT BY 20;
	CREATE SEQUENCE numbers_seq;
	SELECT idgen_create('pooled', source => 'sequence', pooling => 'pooled'),
		idgen_create('numbers', source => 'sequence', pooling => 'hilo', block_size => 20);
	SELECT idgen_create('lines', source => 'sequence', source_name => '"App"."Lines of orders"'),
		idgen_create('single', source => 'sequence', block_size => 10),
		idgen_create('used_up', source => 'sequence');

	CREATE TABLE counters (name text PRIMARY KEY, next bigint);
	INSERT INTO counters VALUES ('fun', 1);
	CREATE FUNCTION allocate(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint)
	BEGIN ATOMIC
		UPDATE counters c SET next = next + 10 * blocks WHERE c.name = allocate.name
		RETURNING next - 10 * blocks, next - 1;
	END;
	SELECT idgen_create('fun', source => 'function', source_name => 'allocate', block_size => 10);

	CREATE TABLE orders (
		id bigint PRIMARY KEY DEFAULT ids.idgen_next('"App".orders', 'sequence'),
		line bigint DEFAULT ids.idgen_next('lines'),
		fun bigint DEFAULT ids.idgen_next('fun'));
	INSERT INTO orders SELECT FROM generate_series(1, 3);
	SELECT idgen_next('single') FROM generate_series(1, 3);
	SELECT idgen_next('used_up') FROM generate_series(1, 2);
	SELECT idgen_next('pooled'), idgen_next('numbers') FROM generate_series(1, 3);

	CREATE ROLE alice;
	GRANT USAGE ON FOREIGN DATA WRAPPER idgen_fdw TO alice;
	CREATE SERVER "The centre" FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host 'a,b', remote_name 'it''s');
	ALTER SERVER "The centre" OWNER TO alice;
	GRANT USAGE ON FOREIGN SERVER "The centre" TO PUBLIC;
	CREATE USER MAPPING FOR alice SERVER "The centre" OPTIONS (password 'it''s "quoted"', "user" 'node');
	CREATE USER MAPPING FOR PUBLIC SERVER "The centre" OPTIONS (password_required 'false', sslcert 'c')});
$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('remote', 1001, 10)});
$node->safe_psql('original', sprintf(q{
	CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (%s);
	CREATE USER MAPPING FOR CURRENT_USER SERVER central;
	SELECT ids.idgen_create('remote', source => 'server', source_name => 'central'), ids.idgen_next('remote')}, server_options($centre)));
$centre->safe_psql('postgres', q{UPDATE id_sequences SET next_block_start = 1});

my $rows = 'SELECT * FROM ids.id_sequences ORDER BY name';
# The options come out in the order of their names.
my $servers = q{
	SELECT fdwname, fdwacl, s.srvname, srvowner::regrole, srvacl, srvoptions, usename, umoptions
	FROM pg_foreign_data_wrapper w JOIN pg_foreign_server s ON srvfdw = w.oid JOIN pg_user_mappings ON srvid = s.oid
	WHERE s.srvname = 'The centre'
	ORDER BY usename};

# What every copy must do
sub check
{
	my ($name, $database) = @_;

	is($node->safe_psql($database, $rows), $node->safe_psql('original', $rows), "$name: the same rows");
	is( $node->safe_psql($database, 'INSERT INTO "App".orders DEFAULT VALUES RETURNING *'),
		'21|-21|11', "$name: ids begin after the blocks allocated before the dump");
	is($node->safe_psql($database, 'SELECT * FROM "App".orders ORDER BY id'),
		"1|-1|1\n2|-2|2\n3|-3|3\n21|-21|11", "$name: next to the same data");
	is( $node->safe_psql($database, q{SET search_path = "App", ids; SELECT idgen_next('single')}),
		'11', "$name: a sequence found by search_path");
	is( $node->safe_psql($database, q{SET search_path = "App", ids; SELECT idgen_next('pooled'), idgen_next('numbers')}),
		'22|21', "$name: what values of sequences stand for");
	my ($ret, $stdout, $stderr) =
	  $node->psql($database, q{SET search_path = "App", ids; SELECT idgen_next('used_up')});
	like($stderr, qr/id sequence "used_up" is exhausted/, "$name: what was exhausted still is");
	is($node->safe_psql($database, $servers), $node->safe_psql('original', $servers), "$name: the same servers");
	($ret, $stdout, $stderr) = $node->psql($database, q{SELECT ids.idgen_next('remote')});
	like($stderr, qr/DETAIL:  It would go on at 1, and has given 1010 before\./, "$name: what was received from a centre");
	return;
}

# Plain SQL
$node->command_ok([ 'pg_dump', '-f', "$dir/plain.sql", 'original' ], 'pg_dump, plain');
$node->safe_psql('postgres', 'CREATE DATABASE plain TEMPLATE template0');
$node->command_ok(
	[ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'plain', '-f', "$dir/plain.sql" ],
	'restore, plain');
check('plain', 'plain');

# Custom format, restored by several processes
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$dir/custom.dump", 'original' ], 'pg_dump, custom');
$node->safe_psql('postgres', 'CREATE DATABASE custom TEMPLATE template0');
$node->command_ok(
	[ 'pg_restore', '--exit-on-error', '-j', '2', '-d', 'custom', "$dir/custom.dump" ],
	'pg_restore, custom');
check('custom', 'custom');

# The original has kept what it has cached.
is($node->safe_psql('original', 'INSERT INTO "App".orders DEFAULT VALUES RETURNING *'),
	'4|-4|4', 'the original goes on');

# Data into a database that is in use. The restore sets the sequences back with
# setval(), of which nobody is told: what is cached has to be dropped by hand.
$node->safe_psql('plain', 'TRUNCATE "App".orders, "App".counters, ids.id_sequences, ids.idgen_marks');
$node->command_ok(
	[ 'pg_restore', '--exit-on-error', '--data-only', '-d', 'plain', "$dir/custom.dump" ],
	'pg_restore, data only');
check('data only', 'plain');

# All made anew, in the same database
$node->command_ok([ 'pg_restore', '--exit-on-error', '--clean', '--if-exists', '-d', 'plain', "$dir/custom.dump" ], 'pg_restore, clean');
check('clean', 'plain');

$_->stop foreach ($node, $centre);
done_testing();

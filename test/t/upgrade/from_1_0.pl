# A database of version 1.0 that is in use is updated: its ids go on, nobody
# gets or loses a privilege, and what users have built on the extension's
# objects is still there and works.
#
# With IDGEN_1_0, a directory with an installation of 1.0 in it ("make install
# DESTDIR="), the database is filled by that version itself, and its cached ids
# are taken along over the restart that loads the new library. Without it, the
# rows are written as 1.0 leaves them.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $real = $ENV{IDGEN_1_0};
my $node = PostgreSQL::Test::Cluster->new('server');
my $dir = PostgreSQL::Test::Utils::tempdir();

init_server($node);
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'idgen'\nidgen.node_id = 2");
my $installed = PostgreSQL::Test::Utils::tempdir();
if ($real)
{
	plan skip_all => q{the server finds an extension only in its own directories} unless defined install_root($node);
	copy_install($node, $real, $installed);
	find_in($node, $installed);
}
$node->start;

sub sql
{
	return $node->safe_psql('postgres', join('', @_));
}

# As 1.0 creates them
my $create_args = 'text, bigint, integer, integer, bigint, text, text, text, text, numeric';
my @issued;

sql(q{CREATE EXTENSION idgen VERSION '1.0'});
if ($real)
{
	create_all_kinds($node);
	sql(q{
		SELECT idgen_create('prefixed', layout => 'prefixed'), idgen_create('big', big_base => 100000000000000000000),
			idgen_create('used_up', max_value => 3);
		SELECT idgen_next('used_up') FROM generate_series(1, 3);
		SELECT idgen_next('prefixed'), idgen_next_big('big');
		CREATE TABLE orders (id serial PRIMARY KEY, what text);
		INSERT INTO orders (what) SELECT 'before' FROM generate_series(1, 5);
		SELECT idgen_adopt('orders', 'id');
		INSERT INTO orders (what) VALUES ('adopted')});
}
else
{
	sql(q{
		ALTER TABLE id_sequences DISABLE TRIGGER USER;
		INSERT INTO id_sequences (name, next_block_start, block_size, refill, start_value) VALUES
			('own', 41, 20, 'transaction', 1), ('small', 7, 3, 'transaction', 1), ('large', 1001, 200, 'transaction', 1),
			('gapless', 11, 1, 'transaction', 1), ('worker', 2001, 20, 'worker', 1), ('worker_small', 301, 3, 'worker', 1),
			('prefixed', 21, 20, 'transaction', 1), ('big', 21, 20, 'transaction', 1), ('used_up', 4, 20, 'transaction', 1),
			('public.orders.id', 21, 20, 'transaction', 6);
		INSERT INTO id_sequences (name, next_block_start, block_size, source, source_name, refill, start_value) VALUES
			('runs', 1, 50, 'sequence', NULL, 'transaction', 1), ('native_worker', 1, 20, 'sequence', NULL, 'worker', 1),
			('fun', 1, 20, 'function', 'public.allocate', 'transaction', 1);
		UPDATE id_sequences SET layout = 'prefixed' WHERE name = 'prefixed';
		UPDATE id_sequences SET big_base = 100000000000000000000 WHERE name = 'big';
		UPDATE id_sequences SET exhausted = 1, max_value = 3 WHERE name = 'used_up';
		ALTER TABLE id_sequences ENABLE ALWAYS TRIGGER idgen_check_row;
		ALTER TABLE id_sequences ENABLE ALWAYS TRIGGER idgen_row_changed;
		ALTER TABLE id_sequences ENABLE ALWAYS TRIGGER idgen_truncated;
		CREATE SEQUENCE native_seq INCREMENT BY 20 START 401;
		CREATE SEQUENCE native_worker_seq INCREMENT BY 5 START 301;
		CREATE SEQUENCE runs_seq START 201;
		CREATE TABLE counter (name text PRIMARY KEY, next bigint);
		INSERT INTO counter VALUES ('fun', 61);
		CREATE FUNCTION allocate(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint)
		BEGIN ATOMIC
			UPDATE counter c SET next = next + 20 * blocks WHERE c.name = allocate.name
			RETURNING next - 20 * blocks, next - 1;
		END;
		CREATE TABLE drawn (name text, id bigint, PRIMARY KEY (name, id));
		CREATE TABLE orders (id integer PRIMARY KEY DEFAULT idgen_next('public.orders.id'), what text);
		INSERT INTO orders SELECT i, 'before' FROM generate_series(1, 6) i});
	my %last = (own => 40, small => 6, large => 1000, gapless => 10, worker => 2000, worker_small => 300,
		runs => 200, native => 400, native_worker => 300, fun => 60);
	@issued = map { "$_ $last{$_}" } keys %last;
}

# What users put on the extension's objects, and build on them
sql(qq{
	CREATE ROLE app; CREATE ROLE admin;
	REVOKE SELECT ON id_sequences FROM PUBLIC;
	GRANT SELECT ON id_sequences TO app;
	GRANT UPDATE (block_size) ON id_sequences TO admin;
	REVOKE SELECT ON idgen_stats, idgen_cache_totals FROM PUBLIC;
	GRANT SELECT ON idgen_stats TO admin WITH GRANT OPTION;
	REVOKE EXECUTE ON FUNCTION idgen_create($create_args), idgen_adopt(regclass, name, text),
		idgen_release(regclass, name), idgen_entries(), idgen_totals(), idgen_next_big(text) FROM PUBLIC;
	GRANT EXECUTE ON FUNCTION idgen_create($create_args), idgen_stats_reset(), idgen_totals() TO admin;
	ALTER TABLE id_sequences ALTER block_size SET DEFAULT 50;
	ALTER TABLE id_sequences SET (fillfactor = 30);
	CREATE POLICY visible ON id_sequences FOR SELECT TO app USING (name <> 'gapless');
	ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
	CREATE TABLE labels (name varchar(255) REFERENCES id_sequences ON UPDATE CASCADE, label text);
	INSERT INTO labels VALUES ('own', 'ours');
	CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
	CREATE TRIGGER audit AFTER INSERT ON id_sequences FOR EACH ROW EXECUTE FUNCTION audit();
	CREATE PUBLICATION ids FOR TABLE id_sequences;
	CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host '127.0.0.1', port '1');
	CREATE USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (user 'x', password 'y');

	CREATE VIEW refills AS SELECT name, refills, percent_left FROM idgen_stats;
	CREATE VIEW whole_stats AS SELECT * FROM idgen_stats;
	CREATE VIEW whole_totals AS SELECT * FROM idgen_cache_totals;
	CREATE VIEW whole_entries AS SELECT * FROM idgen_entries();
	CREATE VIEW whole_sequences AS SELECT * FROM id_sequences;
	CREATE FUNCTION new_tenant(tenant text) RETURNS void BEGIN ATOMIC SELECT idgen_create(tenant, block_size => 5); END;
	CREATE FUNCTION new_gapless(tenant text) RETURNS void
		BEGIN ATOMIC SELECT idgen_create(tenant, 7, 1, 0, 900, 'table', NULL, 'transaction', 'plain', 3); END;
	CREATE FUNCTION take_over(relation regclass) RETURNS text BEGIN ATOMIC SELECT idgen_adopt(relation, 'id'); END;
	CREATE FUNCTION give_back(relation regclass) RETURNS text BEGIN ATOMIC SELECT idgen_release(relation, 'id'); END;
	CREATE TABLE parcels (id bigint DEFAULT idgen_next('own'), big numeric DEFAULT idgen_next_big('big'));
	CREATE TABLE legacy (id serial)});

# (A dump has the privileges. Of what else users put on an extension's table, it
# has only some.)
my $privileges = q{
	SELECT attrelid::regclass || '.' || attname || ' ' || attacl::text COLLATE "C" AS line FROM pg_attribute WHERE attacl IS NOT NULL AND attrelid > 16384
	UNION ALL SELECT relname || ' ' || relacl::text FROM pg_class
		WHERE relname IN ('id_sequences', 'idgen_stats', 'idgen_cache', 'idgen_cache_totals')
	UNION ALL SELECT proname || ' ' || proacl::text FROM pg_proc WHERE proname IN ('idgen_create', 'idgen_adopt', 'idgen_release',
		'idgen_entries', 'idgen_totals', 'idgen_next', 'idgen_next_big', 'idgen_stats_reset', 'idgen_check_row')
};
my $rights = $privileges . q{
	UNION ALL SELECT 'reloptions ' || reloptions::text FROM pg_class WHERE relname = 'id_sequences'
	UNION ALL SELECT 'policy ' || polname FROM pg_policy
	UNION ALL SELECT 'trigger ' || tgname || ' ' || tgenabled::text FROM pg_trigger WHERE tgrelid = 'id_sequences'::regclass AND NOT tgisinternal
	UNION ALL SELECT 'publication ' || count(*) FROM pg_publication_rel
	UNION ALL SELECT 'constraint ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'labels'::regclass
	UNION ALL SELECT 'default ' || pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid IN ('orders'::regclass, 'parcels'::regclass)
	ORDER BY line};
my $rights_before = sql($rights);

my $rows = q{SELECT name, next_block_start, block_size, exhausted, max_value, source, source_name, refill, layout, big_base, start_value
	FROM id_sequences WHERE source <> 'sequence' AND refill <> 'worker' AND name <> 'own' ORDER BY name};

if ($real)
{
	my @clients = start_all_kinds($node, 3);
	wait_for_ids(300, @clients);
	terminate_clients($node, @clients);
	@issued = (issued_ids(@clients), drawn_ids($node));
	cmp_ok(sql('SELECT count(*) FROM idgen_cache'), '>', 0, '1.0 has ids cached');

	# The new version is installed. The server goes on with what it has loaded.
	copy_install($node, install_root($node), $installed);
	like(
		($node->psql('postgres', 'ALTER EXTENSION idgen UPDATE'))[2],
		qr/ERROR:  could not find function "idgen_version_\d+_\d+" in file/,
		'the update needs the new library');
	cmp_ok(sql(q{SELECT idgen_next('own')}), '>', 0, 'and the old one goes on with the old version');
	$node->stop;
	isnt(start_and_read($node), '', 'the new library leaves what was cached, and says so');
}
my $rows_before = sql($rows);
my $unique = sql('SELECT idgen_unique_id()');

# It does nothing before the update, and says what to do.
my $refused = qr/ERROR:  55000: extension "idgen" has version 1\.0 in this database, but the library that is loaded is of version \d.*HINT:  Run ALTER EXTENSION idgen UPDATE\./s;
foreach my $statement (q{SELECT idgen_next('own')}, q{INSERT INTO orders (what) VALUES ('early')}, q{SELECT * FROM idgen_stats})
{
	my ($ret, $out, $err) = $node->psql('postgres', "\\set VERBOSITY verbose\n$statement");
	like($err, $refused, "before the update: $statement");
}

# A dump that is made before the update can be restored: the new version takes
# the rows of the old one.
$node->command_ok([ 'pg_dump', '-f', "$dir/before.sql", 'postgres' ], 'a dump of 1.0');

# A session that was there before goes on.
my $session = $node->background_psql('postgres');
$session->query(q{PREPARE draw AS SELECT idgen_next('own')});
sql('ALTER EXTENSION idgen UPDATE');
cmp_ok($session->query_safe('EXECUTE draw'), '>', 20, 'a session that was there before the update draws');
$session->quit;

is(sql($rights), $rights_before, 'privileges and whatever users have put there');
is(sql($rows), $rows_before, 'the rows say what they said');
goes_on($node, 'updated', \@issued);
my @clients = start_all_kinds($node, 3);
wait_for_ids(300, @clients);
terminate_clients($node, @clients);
is(duplicates(keys %{ { map { $_ => 1 } @issued } }, issued_ids(@clients)), '', 'no id is issued twice');
cmp_ok(sql('SELECT idgen_unique_id()'), '>', $unique, 'time-ordered ids go on');
is(sql(q{INSERT INTO orders (what) SELECT 'after' FROM generate_series(1, 50); SELECT count(DISTINCT id) = count(*) FROM orders}),
	't', 'the adopted column goes on');
is(sql('INSERT INTO parcels DEFAULT VALUES; SELECT big > 100000000000000000000 FROM parcels'), 't', 'so does another default');
like(($node->psql('postgres', q{SELECT idgen_next('used_up')}))[2], qr/id sequence "used_up" is exhausted/, 'what was exhausted still is');
is(sql(q{SELECT (idgen_parts(idgen_next('prefixed'), 'prefixed')).sequence_value > 1}), 't', 'composed ids');

# What users have built
is(sql(q{SELECT name FROM refills WHERE name = 'own'; SELECT count(*) > 1 FROM whole_stats; SELECT cache FROM whole_totals}),
	"own\nt\nserver", 'views of users on the views');
is(sql(q{SELECT source FROM whole_entries WHERE name = 'own'; SELECT block_size FROM whole_sequences WHERE name = 'own'}),
	"table\n20", 'on a function, and on the table');
is( sql(q{
		SELECT new_tenant('t'), new_gapless('g');
		SELECT block_size, max_value, refill, pooling FROM id_sequences WHERE name IN ('t', 'g') ORDER BY name}),
	"|\n1|900|transaction|pooled_lo\n5|9223372036854775807|transaction|pooled_lo", 'functions of users that create id sequences');
like(sql(q{SELECT take_over('legacy')}), qr/legacy/, 'that adopt a column');
like(sql(q{SELECT give_back('legacy')}), qr/legacy/, 'that release one');
foreach my $may ([ 'app', q{idgen_create('x')} ], [ 'app', 'idgen_totals()' ], [ 'app', q{idgen_next_big('big')} ], [ 'app', q{1 FROM idgen_stats} ])
{
	like(($node->psql('postgres', "SET ROLE $may->[0]; SELECT $may->[1]"))[2], qr/permission denied/, "$may->[0] may still not: $may->[1]");
}
is(sql(q{SET ROLE app; SELECT idgen_next('own') > 0; SELECT count(*) FROM id_sequences WHERE name = 'gapless'}), "t\n0", 'it draws, under the same policy');

# What is new works on rows that are old.
sql(q{
	UPDATE id_sequences SET owned_by = 'public.orders.id', format = 'O-{id}' WHERE name = 'public.orders.id';
	UPDATE id_sequences SET refill = 'auto' WHERE name = 'own'});
like(sql(q{SELECT idgen_next_text('public.orders.id')}), qr/^O-\d+$/, 'a row gets a format');
is(sql(q{SELECT count(*) FROM idgen_health WHERE name = 'own'}), '1', 'idgen_health shows it');

# Both dumps lead to the new version.
$node->command_ok([ 'pg_dump', '-f', "$dir/after.sql", 'postgres' ], 'a dump of the updated one');
foreach my $when ('before', 'after')
{
	sql("CREATE DATABASE restored_$when");
	my ($stdout, $stderr) = run_command([ 'psql', '-Xq', '-d', $node->connstr("restored_$when"), '-f', "$dir/$when.sql" ]);
	my @errors = grep { !/function public\.idgen_(create|adopt|release)\(.*\) does not exist/ } $stderr =~ /ERROR:  (.*)/g;
	is(join("\n", @errors), '', "the dump of $when is restored, but for privileges on functions that have other arguments");
	is($node->safe_psql("restored_$when", q{SELECT extversion = idgen_version() FROM pg_extension WHERE extname = 'idgen'}), 't', 'as the new version');
}
is($node->safe_psql('restored_before', $rows), $rows_before, 'with the rows of before');
is($node->safe_psql('restored_after', "$privileges ORDER BY line"), sql("$privileges ORDER BY line"), 'with the privileges of after');
goes_on($node, 'restored', [ drawn_ids($node, 'restored_after') ], 'restored_after');
is( $node->safe_psql('restored_after', q{INSERT INTO orders (what) VALUES ('restored'); SELECT count(DISTINCT id) = count(*) FROM orders;
		DROP TABLE orders; SELECT count(*) FROM id_sequences WHERE name = 'public.orders.id'}),
	"t\n0", 'and with the column that owns its id sequence');

# Columns of users stand where the new ones have to be: nothing is done. A dump
# takes them along.
sql('CREATE DATABASE own_columns');
$node->safe_psql('own_columns', q{
	CREATE EXTENSION idgen VERSION '1.0';
	ALTER TABLE id_sequences ADD COLUMN team text;
	ALTER TABLE id_sequences DISABLE TRIGGER USER;
	INSERT INTO id_sequences (name, next_block_start, team) VALUES ('x', 41, 'sales');
	ALTER TABLE id_sequences ENABLE ALWAYS TRIGGER idgen_check_row;
	ALTER TABLE id_sequences ENABLE ALWAYS TRIGGER idgen_row_changed;
	ALTER TABLE id_sequences ENABLE ALWAYS TRIGGER idgen_truncated});
my ($ret, $out, $err) = $node->psql('own_columns', '\set VERBOSITY verbose
	ALTER EXTENSION idgen UPDATE');
like($err, qr/ERROR:  55000: table "id_sequences" does not have the columns that it was created with\nDETAIL:  Column 12 must be "pooling", but/, 'columns of users are in the way');
is($node->safe_psql('own_columns', q{SELECT extversion FROM pg_extension WHERE extname = 'idgen'}), '1.0', 'and nothing has changed');
sql('CREATE DATABASE with_columns');
my @restore = ('pg_restore', '--exit-on-error', '-d', $node->connstr('with_columns'), "$dir/own_columns.dump");
$node->command_ok([ 'pg_dump', '-Fc', '-f', "$dir/own_columns.dump", 'own_columns' ], 'a dump of it');
command_ok([ @restore, '--section=pre-data' ], 'is restored in parts');
$node->safe_psql('with_columns', 'ALTER TABLE id_sequences ADD COLUMN team text');
command_ok([ @restore, '--section=data', '--section=post-data' ], 'with the columns added in between');
is($node->safe_psql('with_columns', q{SELECT idgen_next('x'), team, pooling FROM id_sequences}), '41|sales|pooled_lo', 'and goes on, with what they said');

$node->stop;
done_testing();

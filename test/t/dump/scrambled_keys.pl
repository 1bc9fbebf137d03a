# A dump by a superuser brings the secret of scrambled ids along: whatever the
# order in which the tables are restored, the same ids follow. Without it, a row
# gives none. What an ordinary owner of a database can dump.
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

$node->safe_psql('postgres', 'CREATE DATABASE original');
$node->safe_psql(
	'original', q{
	CREATE SCHEMA ids;
	CREATE EXTENSION idgen SCHEMA ids;
	SET search_path = public, ids;
	CREATE SEQUENCE native_seq;
	SELECT idgen_create('drawn', layout => 'scrambled'), idgen_create('unused', 7, layout => 'scrambled'),
		idgen_create('native', source => 'sequence', source_name => 'public.native_seq', layout => 'scrambled'),
		idgen_create('plain');
	INSERT INTO id_sequences (name, next_block_start, layout) VALUES ('tenants/*', 1, 'scrambled');
	INSERT INTO id_sequences (name, next_block_start, layout) SELECT 'many' || i, 1, 'scrambled' FROM generate_series(1, 300) i;
	SELECT idgen_next('drawn'), idgen_next('native') FROM generate_series(1, 5)});

my $keys = 'SELECT md5(string_agg(salt::text, chr(10) ORDER BY name)), (SELECT min(s::text) FROM ids.idgen_secrets s) FROM ids.id_sequences';
my $next = q{SELECT ids.idgen_next('drawn'), ids.idgen_next('unused'), ids.idgen_next('native')};
my ($count, $expected_keys) = map { $node->safe_psql('original', $_) } 'SELECT count(DISTINCT salt) FROM ids.id_sequences', $keys;

is($count, 303, 'each id sequence that draws has a salt');

sub dump_to
{
	my ($file, @options) = @_;
	$node->command_ok([ 'pg_dump', '-f', "$dir/$file", @options, 'original' ], "pg_dump @options");
	return;
}

sub new_database
{
	my ($database) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0");
	return;
}

# What every copy must do: the ids that the original would have gone on with
my ($unscrambled) = $node->safe_psql('original', q{
	SELECT ids.idgen_unscramble('drawn', 42), ids.idgen_unscramble('unused', 42), ids.idgen_unscramble('native', 42)});

sub check
{
	my ($database) = @_;

	is($node->safe_psql($database, $keys), $expected_keys, "$database: the same salts and secret");
	is( $node->safe_psql(
			$database, q{
			SELECT ids.idgen_unscramble('drawn', 42), ids.idgen_unscramble('unused', 42), ids.idgen_unscramble('native', 42)}),
		$unscrambled, "$database: the same order");
	is( $node->safe_psql(
			$database, q{
			SELECT ids.idgen_unscramble('drawn', ids.idgen_next('drawn')), ids.idgen_unscramble('unused', ids.idgen_next('unused'))}),
		'21|7', "$database: ids go on");
	return;
}

dump_to('plain.sql');
new_database('plain');
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'plain', '-f', "$dir/plain.sql" ], 'restore, plain');
check('plain');

dump_to('inserts.sql', '--inserts');
new_database('inserts');
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'inserts', '-f', "$dir/inserts.sql" ], 'restore, inserts');
check('inserts');

dump_to('custom.dump', '-Fc');
new_database('parallel');
$node->command_ok([ 'pg_restore', '--exit-on-error', '-j', '4', '-d', 'parallel', "$dir/custom.dump" ], 'pg_restore by several processes');
check('parallel');

# The secret before the rows, and after them
my ($list) = run_command([ 'pg_restore', '-l', "$dir/custom.dump" ]);
my @list = split /\n/, $list;
foreach my $order ([ 'secret_first', 'idgen_secrets', 'id_sequences' ], [ 'secret_last', 'id_sequences', 'idgen_secrets' ])
{
	my ($database, @tables) = @$order;
	my @rest = grep { !/TABLE DATA ids/ } @list;
	my @data = map { my $table = $_; grep { /TABLE DATA ids $table / } @list } @tables;

	is(scalar @data, 2, "$database: both tables are in the dump");
	write_file("$dir/$database", join("\n", @rest, @data, ""));
	new_database($database);
	$node->command_ok(
		[ 'pg_restore', '--exit-on-error', '-L', "$dir/$database", '-d', $database, "$dir/custom.dump" ],
		"pg_restore, $database");
	check($database);
}

# Data only, into a database in use
$node->safe_psql('plain', 'TRUNCATE ids.id_sequences, ids.idgen_secrets');
$node->command_ok([ 'pg_restore', '--exit-on-error', '--data-only', '-d', 'plain', "$dir/custom.dump" ], 'pg_restore, data only');
check('plain');
$node->safe_psql('plain', 'DELETE FROM ids.id_sequences; DELETE FROM ids.idgen_secrets');
$node->command_ok(
	[ 'pg_restore', '--exit-on-error', '--data-only', '--disable-triggers', '-d', 'plain', "$dir/custom.dump" ],
	'pg_restore, data only, triggers disabled');
check('plain');

# The rows without their secret
new_database('rows_only');
$node->safe_psql('rows_only', 'CREATE SCHEMA ids; CREATE EXTENSION idgen SCHEMA ids');
$node->command_ok(
	[ 'pg_restore', '--exit-on-error', '-t', 'id_sequences', '-d', 'rows_only', "$dir/custom.dump" ],
	'pg_restore of id_sequences alone');
is($node->safe_psql('rows_only', 'SELECT count(*) FROM ids.idgen_secrets'), 0, 'no secret is made for what was in use elsewhere');
foreach my $name ('drawn', 'unused')
{
	my ($ret, $stdout, $stderr) = $node->psql('rows_only', "SELECT ids.idgen_next('$name')");
	like($stderr, qr/id sequence "$name" has no key/, "no id of $name without the secret");
}
is($node->safe_psql('rows_only', q{SELECT ids.idgen_next('plain')}), 1, 'others go on');
$node->command_ok(
	[ 'pg_restore', '--exit-on-error', '-t', 'idgen_secrets', '-d', 'rows_only', "$dir/custom.dump" ],
	'pg_restore of idgen_secrets alone');
is($node->safe_psql('rows_only', $keys), $expected_keys, 'then the secret is there');
is($node->safe_psql('rows_only', q{SELECT ids.idgen_unscramble('drawn', ids.idgen_next('drawn'))}), 21, 'and ids go on');

# The owner of a database, who is no superuser
$node->safe_psql(
	'postgres', q{
	CREATE ROLE owner LOGIN;
	CREATE DATABASE owned OWNER owner});
$node->safe_psql('owned', 'CREATE EXTENSION idgen');
$node->safe_psql('owned', q{SELECT idgen_create('plain')});
$node->safe_psql('owned', q{SELECT idgen_next('plain')});
my @dump = ('pg_dump', '-U', 'owner', '-f', "$dir/owned.sql", 'owned');
$node->command_fails_like(\@dump, qr/permission denied for table idgen_secrets/, 'the owner of a database cannot dump secrets');
$node->command_ok([ @dump, '--exclude-table=*.idgen_secrets' ], 'but all the rest');
unlike(slurp_file("$dir/owned.sql"), qr/COPY public\.idgen_secrets/, 'there are no secrets in it');
new_database('owned_copy');
$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'owned_copy', '-f', "$dir/owned.sql" ], 'restore without secrets');
is($node->safe_psql('owned_copy', q{SELECT idgen_next('plain')}), 21, 'ids go on');
is($node->safe_psql('owned_copy', q{SELECT idgen_create('new', layout => 'scrambled'); SELECT idgen_unscramble('new', idgen_next('new'))}),
	"\n1", 'and new ones can be scrambled');
SKIP:
{
	skip 'pg_dump has no --exclude-extension', 2 if $node->pg_version < 17;
	$node->command_ok([ @dump, '--exclude-extension=idgen' ], 'without the extension');
	unlike(slurp_file("$dir/owned.sql"), qr/idgen|id_sequences/, 'nothing of it is in the dump');
}
$node->safe_psql('owned', 'GRANT SELECT ON idgen_secrets TO pg_database_owner');
$node->command_ok(\@dump, 'with SELECT on the table, everything');
$node->safe_psql('owned', 'REVOKE SELECT ON idgen_secrets FROM pg_database_owner; GRANT pg_read_all_data TO owner');
$node->command_ok(\@dump, 'so can a role that reads all data');

$node->stop;
done_testing();

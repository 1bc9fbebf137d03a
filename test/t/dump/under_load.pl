# A dump taken while clients draw, in whatever format and parts, is one of a
# single moment: what is restored from it issues no id that is in it, and none
# of what a session of the target has cached before.
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
create_all_kinds($node);

sub dump_to
{
	my ($file, @options) = @_;

	$node->command_ok([ 'pg_dump', '-f', "$dir/$file", @options ], "pg_dump, $file");
	return;
}

my @clients = start_all_kinds($node, 3);
wait_for_ids(100, @clients);
dump_to('schema.sql', '--schema-only');
dump_to('plain.sql');
wait_for_ids(100, @clients);
dump_to('custom', '-Fc');
wait_for_ids(100, @clients);
dump_to('directory', '-Fd', '-j', 2);
wait_for_ids(100, @clients);
dump_to('clean.sql', '--clean', '--if-exists');
terminate_clients($node, @clients);

sub new_database
{
	my ($database, @sql) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $database TEMPLATE template0");
	$node->safe_psql($database, $_) foreach @sql;
	return;
}

sub psql_file
{
	my ($database, $file) = @_;

	$node->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $database, '-f', "$dir/$file" ],
		"restore of $file");
	return;
}

sub pg_restore
{
	my ($database, $file, @options) = @_;

	$node->command_ok([ 'pg_restore', '--exit-on-error', '-d', $database, @options, "$dir/$file" ],
		"restore of $file");
	return;
}

sub check
{
	my ($database, $what) = @_;
	my @drawn = drawn_ids($node, $database);

	cmp_ok(scalar @drawn, '>', 0, "$what: rows are there");
	goes_on($node, $what, \@drawn, $database);
	return;
}

new_database('plain');
psql_file('plain', 'plain.sql');
check('plain', 'plain');

new_database('custom');
pg_restore('custom', 'custom', '-j', 2);
check('custom', 'custom');

new_database('directory');
pg_restore('directory', 'directory', '-j', 2);
check('directory', 'directory');

new_database('parts');
psql_file('parts', 'schema.sql');
pg_restore('parts', 'custom', '--data-only', '--disable-triggers');
check('parts', 'data only');

# Over a database in use
my %kinds = all_kinds();
my $session = $node->background_psql('plain', on_error_stop => 0);
$session->query_safe(join('; ', map { "SELECT $_" } values %kinds));
psql_file('plain', 'clean.sql');
my @drawn = drawn_ids($node, 'plain');
is( $session->query(
		join("\n", map { "SELECT '$_ ' || $kinds{$_} AS id \\gset\nSELECT count(*) FROM drawn WHERE name || ' ' || id = :'id';" }
			  sort keys %kinds)),
	join("\n", (0) x keys %kinds), 'clean: a session that had ids cached draws new ones');
check('plain', 'clean');
$session->quit;

# A dump of some schemas has neither the extension nor, without its schema, the
# rows. Then nothing is drawn, rather than the same once more.
new_database('original', 'CREATE SCHEMA ids; CREATE SCHEMA app; CREATE EXTENSION idgen SCHEMA ids',
	q{SET search_path = ids; SELECT idgen_create('orders')},
	q{CREATE TABLE app.orders (id bigint PRIMARY KEY DEFAULT ids.idgen_next('orders'), what text)},
	q{INSERT INTO app.orders (what) VALUES ('a'), ('b')});
dump_to('app.sql', '-n', 'app', 'original');
dump_to('ids.sql', '--data-only', '-n', 'ids', 'original');
new_database('app', 'CREATE SCHEMA ids; CREATE EXTENSION idgen SCHEMA ids');
psql_file('app', 'app.sql');
my ($ret, $stdout, $stderr) = $node->psql('app', q{INSERT INTO app.orders (what) VALUES ('c')});
like($stderr, qr/id sequence "orders" does not exist/, 'one schema: there is no row');
psql_file('app', 'ids.sql');
is($node->safe_psql('app', q{INSERT INTO app.orders (what) VALUES ('c') RETURNING id}),
	'21', 'the schema of the extension as well: ids go on');

$node->stop;
done_testing();

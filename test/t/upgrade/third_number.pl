# Versions that differ in the third number only, such as 1.0 and 1.0.1, work
# together: the new library with the objects of before, and the old library with
# those that the update has made.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use NextVersions;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'a PostgreSQL of its own does not have the runtime of the sanitizer' if is_sanitized();

my ($this, $fixed) = next_versions();
my ($dest, $path) = own_postgres();
install_version(publish($this), $dest);
my $node = idgen_server('server', install_path => $path);

sub sql
{
	return $node->safe_psql('postgres', join('', @_));
}

my $versions = q{SELECT extversion, idgen_version() FROM pg_extension WHERE extname = 'idgen'};
my $replaced = q{SELECT prosrc ~ 'replaced' FROM pg_proc WHERE oid = 'idgen_first_free_id(text, text, numeric, bigint)'::regprocedure};

sql(q{
	CREATE ROLE app;
	REVOKE EXECUTE ON FUNCTION idgen_first_free_id(text, text, numeric, bigint) FROM PUBLIC;
	SELECT idgen_create('x');
	CREATE TABLE orders (id integer PRIMARY KEY DEFAULT idgen_next('x'))});
my $session = $node->background_psql('postgres');
is($session->query_safe(q{SELECT idgen_next('x')}), '1', 'a session draws');
is(sql("$versions; $replaced"), "$this|$this\nf", 'all is of this version');

# The new version is installed, and the server has the old library loaded.
install_version(publish($fixed), $dest);
is(sql(q{SELECT idgen_next('x')}), '2', 'the files of a new version change nothing');
sql('ALTER EXTENSION idgen UPDATE');
is(sql("$versions; $replaced"), "$fixed|$this\nt", 'the update replaces what is written in SQL');
is($session->query_safe(q{SELECT idgen_next('x')}), '3', 'a session that was there draws on');
is(sql(q{INSERT INTO orders DEFAULT VALUES RETURNING id}), '4', 'and a new one, from the same block');
is(sql(q{SELECT has_function_privilege('app', 'idgen_first_free_id(text, text, numeric, bigint)', 'EXECUTE')}), 'f', 'what was revoked stays revoked');
$session->quit;

# The new library, and a database that is not updated yet
sql('CREATE DATABASE older');
$node->safe_psql('older', qq{
	CREATE EXTENSION idgen VERSION '$this';
	CREATE TABLE parcels (id serial);
	INSERT INTO parcels DEFAULT VALUES});
$node->restart;
is(sql($versions), "$fixed|$fixed", 'the new library is loaded');
is(sql(q{SELECT idgen_next('x')}), '5', 'what was cached is still there');
is($node->safe_psql('older', $versions), "$this|$fixed", 'before the update');
is( $node->safe_psql('older', q{
		SELECT idgen_adopt('parcels', 'id') <> '';
		INSERT INTO parcels DEFAULT VALUES RETURNING id;
		SELECT count(*) FROM idgen_stats}), "t\n2\n1", 'a column moves over, and draws');
is($node->safe_psql('older', 'DROP TABLE parcels; SELECT count(*) FROM id_sequences'), '0', 'the id sequence goes with it');

$node->stop;
done_testing();

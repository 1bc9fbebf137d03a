# An extension that is dropped takes its cached ids along, also for sessions
# that have drawn before and stay connected.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('extension');
my $session = $node->background_psql('postgres', on_error_stop => 0);

# What the session gets, or the SQLSTATE of the error
$session->query_safe('\set VERBOSITY sqlstate');

sub draw
{
	my ($function) = @_;
	return answer($session, "SELECT $function");
}

$node->safe_psql('postgres', "SELECT idgen_create('x')");
is(draw("idgen_next('x')"), '1', 'first id');
is(draw("idgen_next('x')"), '2', 'second id');

# Dropped and rolled back, by another session
$node->safe_psql(
	'postgres', q{
	BEGIN;
	DROP EXTENSION idgen;
	CREATE EXTENSION idgen;
	SELECT idgen_create('x');
	SELECT idgen_next('x');
	ROLLBACK});
is(draw("idgen_next('x')"), '3', 'a DROP that was rolled back has dropped no ids');
is(draw("idgen_last('x')"), '3', 'the session still knows its last id');

# Dropped
$node->safe_psql('postgres', 'DROP EXTENSION idgen');
is(draw("idgen_next('x')"), '42883', 'there is no function without the extension');

# Created anew, without and with a row of that name
$node->safe_psql('postgres', 'CREATE EXTENSION idgen');
is(draw("idgen_next('x')"), '42704', 'a new installation has no rows');
$node->safe_psql('postgres', "SELECT idgen_create('x')");
is(draw("idgen_last('x')"), '55000', 'nothing was drawn from the new id sequence');
is(draw("idgen_next('x')"), '1', 'ids begin with what the new row says');
is($node->safe_psql('postgres', "SELECT idgen_next('x')"), '2', 'for others too');

# In one transaction, and into another schema
$node->safe_psql(
	'postgres', q{
	BEGIN;
	DROP EXTENSION idgen;
	CREATE SCHEMA ids;
	CREATE EXTENSION idgen SCHEMA ids;
	SELECT ids.idgen_create('x');
	SELECT ids.idgen_next('x');
	COMMIT});
is(draw("idgen_next('x')"), '42883', 'the function has moved');
is(draw("ids.idgen_next('x')"), '2', 'what its transaction left is published');
is($node->safe_psql('postgres', "SELECT ids.idgen_next('x')"), '3', 'for others too');

# By cascade, with a column that draws from it
$node->safe_psql('postgres', "CREATE TABLE t (id bigint DEFAULT ids.idgen_next('x'), v int)");
is(draw('1 FROM t'), '', 'the session knows the table');
$node->safe_psql('postgres', 'DROP EXTENSION idgen CASCADE; CREATE EXTENSION idgen');
$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('x', 101);
	ALTER TABLE t ALTER id SET DEFAULT idgen_next('x')});
$session->query_safe('INSERT INTO t (v) VALUES (1), (2)');
is($session->query_safe('SELECT id FROM t ORDER BY id'), "101\n102", 'a column default follows');

$session->quit;
$node->stop;
done_testing();

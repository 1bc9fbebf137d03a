# A row that names a function comes by logical replication, past every check of
# who may write one: the function runs for those who draw only if its owner at
# the subscriber may have them run code.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @init = (init => [ allows_streaming => 'logical' ]);
my $publisher = idgen_server('publisher', @init);
my $subscriber = idgen_server('subscriber', @init);

# The same function on both servers, but at the subscriber it is mallory's.
foreach my $node ($publisher, $subscriber)
{
	$node->safe_psql(
		'postgres', q{
		CREATE SCHEMA app;
		CREATE TABLE app.counter AS SELECT 1::bigint AS next_id;
		CREATE FUNCTION app.allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
			LANGUAGE sql AS 'UPDATE app.counter SET next_id = next_id + 2 RETURNING next_id - 2, next_id - 1'});
}
$subscriber->safe_psql(
	'postgres', q{
	CREATE ROLE mallory;
	GRANT ALL ON SCHEMA app TO mallory;
	ALTER FUNCTION app.allocate OWNER TO mallory;
	SET ROLE mallory;
	CREATE OR REPLACE FUNCTION app.allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
		LANGUAGE plpgsql AS $$
	BEGIN
		ALTER ROLE mallory SUPERUSER;
		RETURN QUERY SELECT 1::bigint, 2::bigint;
	END$$});

$publisher->safe_psql(
	'postgres', q{
	SELECT idgen_create('copied', source => 'function', source_name => 'app.allocate');
	CREATE PUBLICATION p FOR TABLE id_sequences});
my $connstr = $publisher->connstr . ' dbname=postgres';
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION s CONNECTION '$connstr' PUBLICATION p");
$subscriber->wait_for_subscription_sync($publisher, 's');
$publisher->safe_psql(
	'postgres', q{
	SELECT idgen_create('inserted', source => 'function', source_name => 'app.allocate');
	SELECT idgen_create('changed'), idgen_create('before');
	UPDATE id_sequences SET source = 'function', source_name = 'app.allocate' WHERE name = 'changed';
	UPDATE id_sequences SET source = 'function', source_name = 'app.allocate' WHERE name = 'before';
	UPDATE id_sequences SET name = 'renamed' WHERE name = 'before'});
$publisher->wait_for_catchup('s');

my $session = $subscriber->background_psql('postgres', on_error_stop => 0);
$session->query_safe('\set VERBOSITY sqlstate');
foreach my $name (qw(copied inserted changed renamed))
{
	is($subscriber->safe_psql('postgres', "SELECT source_name FROM id_sequences WHERE name = '$name'"),
		'app.allocate', "the row has come: $name");
	is(answer($session, "SELECT idgen_next('$name')"), '42501', "its function is not run: $name");
}
is($subscriber->safe_psql('postgres', "SELECT rolsuper FROM pg_roles WHERE rolname = 'mallory'"),
	'f', 'nobody has become a superuser');

# Once the function belongs to somebody who is trusted, it is run, also in
# sessions that have been refused.
$subscriber->safe_psql(
	'postgres', q{
	ALTER FUNCTION app.allocate OWNER TO CURRENT_USER;
	CREATE OR REPLACE FUNCTION app.allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
		LANGUAGE sql AS 'SELECT 101::bigint, 102::bigint'});
is(answer($session, "SELECT idgen_next('copied')"), '101', 'with another owner it is run');

$session->quit;
$subscriber->stop;
$publisher->stop;
done_testing();

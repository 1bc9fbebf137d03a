# Rows of id_sequences that arrive by logical replication are changes like any
# other: an allocation leaves the subscriber's cached ids alone, and whatever
# makes them wrong drops them. After a switch-over ids go on where they were.
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

$publisher->safe_psql(
	'postgres', q{
	SELECT idgen_create(name) FROM unnest('{orders,lower,big,forward,deleted,renamed,later,truncated}'::text[]) name;
	SELECT idgen_create('gapless', block_size => 1);
	CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_next('orders'), what text);
	CREATE PUBLICATION p FOR TABLE id_sequences, orders});
$subscriber->safe_psql('postgres', 'CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_next(\'orders\'), what text)');
my $connstr = $publisher->connstr . ' dbname=postgres';
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION s CONNECTION '$connstr' PUBLICATION p");
$subscriber->wait_for_subscription_sync($publisher, 's');

# A session of the subscriber that stays
my $session = $subscriber->background_psql('postgres', on_error_stop => 0);
$session->query_safe('\set VERBOSITY sqlstate');

sub ask
{
	my ($sql) = @_;
	return answer($session, $sql);
}

sub change
{
	$publisher->safe_psql('postgres', @_);
	$publisher->wait_for_catchup('s');
	return;
}

# Allocations at the publisher. To see what the subscriber has cached, it draws
# too, which nobody does in earnest, since then ids are not unique.
is(ask("SELECT idgen_next('lower')"), '1', 'the subscriber has ids cached');
change("SELECT count(idgen_next('lower')) FROM generate_series(1, 50)");
is(ask("SELECT next_block_start FROM id_sequences WHERE name = 'lower'"), '61', 'an allocation arrives');
is(ask("SELECT idgen_next('lower')"), '2', 'and leaves the cached ids alone');

# Changes
change("UPDATE id_sequences SET next_block_start = 55 WHERE name = 'lower'");
is(ask("SELECT idgen_next('lower')"), '55', 'a lower next_block_start drops them');
change("SELECT idgen_restart('lower', 1)");
is(ask("SELECT idgen_next('lower')"), '1', 'so does a restart');

is(ask("SELECT idgen_next_big('big')"), '1', 'big: ids are cached');
is(ask("SELECT idgen_next('forward')"), '1', 'forward: ids are cached');
change("UPDATE id_sequences SET next_block_start = 1001, block_size = 5 WHERE name = 'forward'");
is(ask("SELECT idgen_next('forward')"), '1001', 'forward: so does another block_size');
change(
	q{
	SELECT count(idgen_next('big')) FROM generate_series(1, 50);
	UPDATE id_sequences SET big_base = 7000 WHERE name = 'big'});
is(ask("SELECT idgen_next_big('big')"), '7061', 'big: so does another big_base');

is(ask("SELECT idgen_next('deleted')"), '1', 'deleted: ids are cached');
change("DELETE FROM id_sequences WHERE name = 'deleted'");
is(ask("SELECT idgen_next('deleted')"), '42704', 'deleted: it is gone');
change("SELECT idgen_create('deleted', 501)");
is(ask("SELECT idgen_next('deleted')"), '501', 'deleted: and back again');

is(ask("SELECT idgen_next('renamed')"), '1', 'renamed: ids are cached');
change("UPDATE id_sequences SET name = 'other', next_block_start = 41 WHERE name = 'renamed'");
is(ask("SELECT idgen_next('renamed')"), '42704', 'renamed: the old name is gone');
is(ask("SELECT idgen_next('other')"), '41', 'renamed: the new name begins with its row');

# A transaction of the publisher takes effect as a whole.
is(ask("SELECT idgen_next('later')"), '1', 'rolled back: ids are cached');
change(
	q{
	BEGIN;
	UPDATE id_sequences SET next_block_start = -1000 WHERE name = 'later';
	ROLLBACK});
is(ask("SELECT idgen_next('later')"), '2', 'rolled back: they still are');

# Switch-over: the publisher goes, the subscriber takes its place.
change("INSERT INTO orders (what) SELECT 'order' FROM generate_series(1, 30)");
change("SELECT idgen_next('gapless') FROM generate_series(1, 5)");
$publisher->stop;
$subscriber->safe_psql('postgres', 'ALTER SUBSCRIPTION s DISABLE');
$subscriber->safe_psql('postgres', "INSERT INTO orders (what) SELECT 'order' FROM generate_series(1, 30)");
is($subscriber->safe_psql('postgres', 'SELECT count(*), max(id) FROM orders'),
	'60|70', 'switch-over: ids begin after those of the publisher');
is(ask("SELECT idgen_next('gapless')"), '6', 'switch-over: gapless ones without a gap');

# TRUNCATE comes last, as it leaves nothing.
$publisher->start;
$subscriber->safe_psql('postgres', 'ALTER SUBSCRIPTION s ENABLE');
is(ask("SELECT idgen_next('truncated')"), '1', 'truncated: ids are cached');
change('TRUNCATE id_sequences');
is(ask("SELECT idgen_next('truncated')"), '42704', 'truncated: it is gone');

$session->quit;
$subscriber->stop;
$publisher->stop;
done_testing();

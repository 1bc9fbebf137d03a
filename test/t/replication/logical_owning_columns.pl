# Which column an id sequence belongs to is replicated by its name: at the
# subscriber, the row goes with the column there. A table that is not there does
# not hold up replication.
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
my $owned = 'SELECT name, owned_by FROM id_sequences ORDER BY name';

run_sql($publisher, q{
	CREATE TABLE orders (id serial);
	CREATE TABLE only_here (id serial);
	SELECT idgen_adopt('orders', 'id', 'orders'), idgen_adopt('only_here', 'id', 'only_here');
	CREATE PUBLICATION p FOR TABLE id_sequences});
run_sql($subscriber, 'CREATE TABLE another (id int); CREATE TABLE orders (what text, id int)');
run_sql($subscriber, "CREATE SUBSCRIPTION s CONNECTION '" . $publisher->connstr . " dbname=postgres' PUBLICATION p");
$subscriber->wait_for_subscription_sync($publisher, 's');
is(run_sql($subscriber, $owned), "only_here|\norders|public.orders.id", 'what was there is copied');

# Each refill replicates the whole row.
my $log = -s $subscriber->logfile;
run_sql($publisher, q{
	INSERT INTO orders SELECT FROM generate_series(1, 100);
	INSERT INTO only_here SELECT FROM generate_series(1, 100)});
$publisher->wait_for_catchup('s');
is(run_sql($subscriber, $owned), "only_here|\norders|public.orders.id", 'refills leave it');
unlike(slurp_file($subscriber->logfile, $log), qr/WARNING|ERROR/, 'and write nothing to the log');

# Dropped at the subscriber, which the publisher does not hear of
run_sql($subscriber, 'DROP TABLE another');
is(run_sql($subscriber, $owned), "only_here|\norders|public.orders.id", 'another table is dropped');
run_sql($subscriber, 'DROP TABLE orders');
is(run_sql($subscriber, $owned), 'only_here|', 'the column is dropped at the subscriber');
run_sql($publisher, 'INSERT INTO orders SELECT FROM generate_series(1, 100)');
$publisher->wait_for_catchup('s');
is(run_sql($subscriber, $owned), 'only_here|', 'replication goes on without the row');

# Dropped at the publisher
run_sql($publisher, 'DROP TABLE orders, only_here');
$publisher->wait_for_catchup('s');
is(run_sql($subscriber, 'SELECT count(*) FROM id_sequences'),
	'0', 'the row that a dropped table takes along goes at the subscriber, too');

$_->stop for $subscriber, $publisher;
done_testing();

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

$publisher->safe_psql(
	'postgres', q{
	CREATE TABLE orders (id serial);
	CREATE TABLE only_here (id serial);
	SELECT idgen_adopt('orders', 'id', 'orders'), idgen_adopt('only_here', 'id', 'only_here');
	CREATE PUBLICATION p FOR TABLE id_sequences});
$subscriber->safe_psql('postgres', 'CREATE TABLE another (id int); CREATE TABLE orders (what text, id int)');
$subscriber->safe_psql('postgres',
	"CREATE SUBSCRIPTION s CONNECTION '" . $publisher->connstr . " dbname=postgres' PUBLICATION p");
$subscriber->wait_for_subscription_sync($publisher, 's');
is($subscriber->safe_psql('postgres', $owned), "only_here|\norders|public.orders.id", 'what was there is copied');

# Each refill replicates the whole row.
my $log = -s $subscriber->logfile;
$publisher->safe_psql('postgres', q{
	INSERT INTO orders SELECT FROM generate_series(1, 100);
	INSERT INTO only_here SELECT FROM generate_series(1, 100)});
$publisher->wait_for_catchup('s');
is($subscriber->safe_psql('postgres', $owned), "only_here|\norders|public.orders.id", 'refills leave it');
unlike(slurp_file($subscriber->logfile, $log), qr/WARNING|ERROR/, 'and write nothing to the log');

# Dropped at the subscriber, which the publisher does not hear of
$subscriber->safe_psql('postgres', 'DROP TABLE another');
is($subscriber->safe_psql('postgres', $owned), "only_here|\norders|public.orders.id", 'another table is dropped');
$subscriber->safe_psql('postgres', 'DROP TABLE orders');
is($subscriber->safe_psql('postgres', $owned), 'only_here|', 'the column is dropped at the subscriber');
$publisher->safe_psql('postgres', 'INSERT INTO orders SELECT FROM generate_series(1, 100)');
$publisher->wait_for_catchup('s');
is($subscriber->safe_psql('postgres', $owned), 'only_here|', 'replication goes on without the row');

# Dropped at the publisher
$publisher->safe_psql('postgres', 'DROP TABLE orders, only_here');
$publisher->wait_for_catchup('s');
is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM id_sequences'),
	'0', 'the row that a dropped table takes along goes at the subscriber, too');

$_->stop for $subscriber, $publisher;
done_testing();

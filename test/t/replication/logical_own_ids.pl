# A column that only the subscriber has draws by its default for each row that
# arrives: when the table is copied at first, and later. Each refill, source and
# layout does, in the worker that applies the changes. It has no search_path.
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
my $subscriber = idgen_server('subscriber', @init, conf => "idgen.node_id = 1\n");

my %default = (
	own => q{idgen_next('own')},
	gapless => q{idgen_next('gapless')},
	worker => q{idgen_next('worker')},
	auto => q{idgen_next('auto')},
	native => q{idgen_next('native')},
	allocated => q{idgen_next('allocated')},
	composed => q{idgen_next('composed')},
	timed => 'idgen_unique_id()');
my @columns = sort keys %default;
my @per_row = map { "count(DISTINCT $_)" } @columns;
my $count = 'SELECT count(*), ' . join(', ', @per_row) . ' FROM arriving';

run_sql($publisher, q{
	CREATE TABLE arriving (what int PRIMARY KEY);
	INSERT INTO arriving SELECT generate_series(1, 1500);
	CREATE PUBLICATION p FOR TABLE arriving});
run_sql($subscriber, q{
	CREATE SEQUENCE native_seq INCREMENT BY 20;
	CREATE TABLE counter (next_id bigint);
	INSERT INTO counter VALUES (1);
	CREATE FUNCTION allocate(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint)
	BEGIN ATOMIC
		UPDATE counter SET next_id = next_id + 20 * blocks RETURNING next_id - 20 * blocks, next_id - 1;
	END;
	SELECT idgen_create('own'), idgen_create('gapless', block_size => 1), idgen_create('worker', refill => 'worker'),
		idgen_create('native', source => 'sequence', source_name => 'public.native_seq'), idgen_create('auto', refill => 'auto'), idgen_create('composed', layout => 'prefixed'),
		idgen_create('allocated', source => 'function', source_name => 'allocate', block_size => 20)});
run_sql($subscriber, 'CREATE TABLE arriving (what int PRIMARY KEY, ' . join(', ', map { "$_ bigint UNIQUE DEFAULT $default{$_}" } @columns) . ')');
my $connstr = $publisher->connstr . ' dbname=postgres';
run_sql($subscriber, "CREATE SUBSCRIPTION s CONNECTION '$connstr' PUBLICATION p");
$subscriber->wait_for_subscription_sync($publisher, 's');
is(run_sql($subscriber, $count), join('|', (1500) x (@columns + 1)), 'the first copy');
is(run_sql($subscriber, 'SELECT min(gapless), max(gapless) FROM arriving'), '1|1500', 'gapless');

run_sql($publisher, "INSERT INTO arriving VALUES ($_)") foreach 1501 .. 1510;
run_sql($publisher, 'INSERT INTO arriving SELECT generate_series(1511, 1600)');
run_sql($subscriber, 'SELECT ' . join(', ', map { $default{$_} } grep { $_ ne 'gapless' } @columns)) foreach 1 .. 30;
$publisher->wait_for_catchup('s');
is(run_sql($subscriber, $count), join('|', (1600) x (@columns + 1)), 'rows that arrive later, beside sessions that draw');
is(run_sql($subscriber, 'SELECT min(gapless), max(gapless) FROM arriving'), '1|1600', 'gapless');

# A row that the subscriber refuses is sent again and again, and takes ids each
# time. It has one in the end, and gapless ids have no hole.
run_sql($subscriber, 'INSERT INTO arriving (what) VALUES (1601)');
run_sql($publisher, 'INSERT INTO arriving VALUES (1601); INSERT INTO arriving VALUES (1602)');
wait_until(sub { slurp_file($subscriber->logfile) =~ /Key .*already exists/ }, 'a conflict');
run_sql($subscriber, 'DELETE FROM arriving WHERE what = 1601');
$publisher->wait_for_catchup('s');
is(run_sql($subscriber, $count), join('|', (1602) x (@columns + 1)), 'rows that arrive after a conflict');

run_sql($subscriber, 'DROP SUBSCRIPTION s');
$_->stop foreach ($publisher, $subscriber);
done_testing();

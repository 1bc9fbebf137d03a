# A role that has no privilege but those of pg_monitor sees all metrics of
# monitoring/queries.yaml through postgres_exporter, also those of id sequences
# that it may not draw from; set up as the page says.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use Monitoring;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'prometheus-postgres-exporter is not here' unless Monitoring::program('prometheus-postgres-exporter');

my $node = idgen_server('server');
my ($role, $in_schema) = Monitoring::setup_sql();

$node->safe_psql(
	'postgres', qq{
	$role
	CREATE DATABASE app;
	REVOKE SELECT ON id_sequences FROM PUBLIC;
	SELECT idgen_create('low', max_value => 1000, block_size => 950);
	SELECT count(idgen_next('low')) FROM generate_series(1, 920);
	SELECT idgen_create('nothing', max_value => 10);
	SELECT idgen_next('nothing');
	CREATE TABLE parts (id smallserial);
	SELECT setval('parts_id_seq', 30000);
	CREATE SEQUENCE a;
	CREATE SEQUENCE b;
	CREATE TABLE of_two (id integer DEFAULT nextval('a') + nextval('b') + nextval('b'))});
$node->safe_psql(
	'app', qq{
	CREATE SCHEMA idgen;
	CREATE EXTENSION idgen SCHEMA idgen;
	$in_schema
	SELECT idgen.idgen_create('low', watermark => true);
	SELECT idgen.idgen_next('low');
	SELECT idgen.idgen_watermark('low')});

is(sqlstate($node, q{SELECT idgen_next('low')}, $node->connstr('postgres') . ' user=idgen_monitor'),
	'42501', 'the role cannot draw');

my $exporter = Monitoring->exporter($node, 'idgen_monitor', 'postgres', 'app');
my $metrics = $exporter->metrics;

is($metrics->{pg_up}, 1, 'the exporter reaches the server');
is($metrics->{pg_exporter_last_scrape_error}, 0, 'no query fails') or diag($exporter->output);

my %expected = (
	'idgen_sequence_left_ratio{datname="postgres",name="low"}' => 0.05,
	'idgen_sequence_left_ratio{datname="app",name="low"}' => 1,
	'idgen_problem_present{datname="postgres",kind="exhausted",name="nothing"}' => 1,
	'idgen_database_sequences{datname="postgres"}' => 2,
	'idgen_database_problems{datname="app"}' => 0,
	'idgen_column_last_value{column_name="id",datname="postgres",draws_from="public.parts_id_seq",relation="parts"}' => 30000,
	'idgen_column_limit_value{column_name="id",datname="postgres",draws_from="public.parts_id_seq",relation="parts"}' => 32767,
	'idgen_traffic_ids_issued_total{datname="postgres",name="low"}' => 920,
	'idgen_traffic_ids_issued_total{datname="app",name="low"}' => 1,
	'idgen_traffic_ids_cached{datname="postgres",name="low"}' => 30,
	'idgen_watermark_lag_ids{datname="app",name="low"}' => 0,
	'idgen_watermark_held_seconds{datname="app",name="low"}' => 0,
	'idgen_cache_shared{datname="postgres"}' => 1,
	'idgen_cache_sequences{datname="app"}' => 3);
is_deeply({ map { $_ => $metrics->{$_} } keys %expected }, \%expected, 'what the views tell');

# each metric that a query promises has a series
my ($query, $column, @missing);
foreach (split /\n/, slurp_file(Monitoring::file('queries.yaml')))
{
	$query = $1 if /^(\w+):$/;
	$column = $1 if /^    - (\w+):$/;
	push @missing, "${query}_$column" if /usage: "(?:GAUGE|COUNTER)"/ && !grep { /^${query}_$column\{/ } keys %$metrics;
}
is_deeply(\@missing, [], 'each metric is there');

$exporter->stop;
$node->stop;
done_testing();

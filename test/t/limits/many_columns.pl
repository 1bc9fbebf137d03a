# What is done to one column that draws costs little for each other column that
# draws: it reads all defaults at most, and not for each of them something else.
# What counts is the number of rows that the session reads, of catalogs and of
# id_sequences.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('many');
my $rows_read = 'SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_all_tables';
my @events = (
	[ q{SELECT idgen_release('one', 'id')}, 'idgen_release' ],
	[ q{SELECT idgen_adopt('another', 'id')}, 'idgen_adopt' ],
	[ q{DROP TABLE one}, 'DROP TABLE' ],
	[ q{DROP SCHEMA shop CASCADE}, 'DROP SCHEMA' ],
	[ q{ALTER TABLE one DROP COLUMN id}, 'DROP COLUMN' ],
	[ q{SELECT count(*) FROM idgen_health}, 'idgen_health' ],
	[ q{SELECT count(*) FROM idgen_columns}, 'idgen_columns' ],
	[ q{SELECT count(*) FROM idgen_sync()}, 'idgen_sync' ]);

# A database with that many other columns, of which some have been dropped, with
# as many partitions, and with as many domains, each made of the one before.
sub make_database
{
	my ($name, $others) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql(
		$name, qq{
		CREATE EXTENSION IF NOT EXISTS idgen;
		ALTER TABLE id_sequences SET (autovacuum_enabled = off);
		CREATE SCHEMA shop;
		CREATE TABLE one (id bigserial);
		CREATE TABLE another (id bigserial);
		CREATE TABLE shop.a (id bigserial);
		DO \$\$BEGIN
			FOR i IN 1 .. 2 * $others LOOP
				EXECUTE format('CREATE TABLE t%s (id bigserial)', i);
				PERFORM idgen_adopt(format('t%s', i)::regclass, 'id');
			END LOOP;
			FOR i IN 1 .. $others LOOP
				EXECUTE format('DROP TABLE t%s', i);
			END LOOP;
			CREATE TABLE whole (id bigserial, part integer) PARTITION BY LIST (part);
			CREATE DOMAIN domain_0 AS bigint;
			FOR i IN 1 .. $others LOOP
				EXECUTE format('CREATE TABLE part_%s PARTITION OF whole FOR VALUES IN (%1\$s)', i);
				EXECUTE format('CREATE DOMAIN domain_%s AS domain_%s', i, i - 1);
			END LOOP;
			PERFORM idgen_adopt('whole', 'id');
			CREATE TABLE by_domain (id domain_$others DEFAULT idgen_next('t1'));
		END\$\$;
		SELECT count(idgen_adopt(relation, 'id')) FROM unnest('{one,shop.a}'::regclass[]) AS relation;
		VACUUM pg_attribute, pg_attrdef, pg_depend, pg_class, pg_type, pg_inherits});
	return;
}

# How many rows a session reads for that. To ask for their number reads rows,
# too, one for each table.
sub rows_read
{
	my ($database, $event) = @_;
	my $answers = $node->safe_psql(
		$database, qq{
		BEGIN;
		SAVEPOINT s;
		$event;
		ROLLBACK TO s;
		\\echo before
		$rows_read;
		$rows_read;
		$event;
		\\echo after
		$rows_read;
		ROLLBACK});
	my ($at_first, $before, $after) = $answers =~ /before\n(\d+)\n(\d+)\n.*after\n(\d+)/s or die $answers;

	return $after - $before - ($before - $at_first);
}

make_database('few', 20);
make_database('many', 220);
foreach (@events)
{
	my ($event, $name) = @$_;
	my $limit = $name =~ /idgen_(health|columns|sync)/ ? 120 : 15; # these look at all columns
	my $few = rows_read('few', $event);
	my $many = rows_read('many', $event);

	cmp_ok(($many - $few) / 200, '<', $limit, "$name: $many rows with many columns, $few with few");
}

# With domains of domains, time does not grow with the square of their number.
$node->safe_psql(
	'many', q{
	DO $$BEGIN
		CREATE DOMAIN line_0 AS bigint;
		FOR i IN 1 .. 3000 LOOP
			EXECUTE format('CREATE DOMAIN line_%s AS line_%s', i, i - 1);
		END LOOP;
	END$$;
	CREATE TABLE by_line (id line_3000 DEFAULT idgen_next('t1'));
	SET statement_timeout = '6s';
	SELECT count(*) FROM idgen_health});
is( $node->safe_psql('many', q{SELECT limited_by FROM idgen_columns WHERE relation = 'by_line'::regclass}),
	'column public.by_line.id (bigint)',
	'domains of domains');

$node->stop;
done_testing();

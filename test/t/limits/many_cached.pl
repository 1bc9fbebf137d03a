# What a transaction costs does not depend on how many id sequences are cached.
# The time of the quickest of some says so: a busy machine does not make that
# longer, and to look at each of them takes about a millisecond.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $times = 40;
my $node = idgen_server('cached', conf => "idgen.max_sequences = 65536\nautovacuum = off\n");

# The microseconds that the quickest transaction takes of those with # = 1, 2, …
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION idgen');
$node->safe_psql(
	$_, qq{
	CREATE TABLE measured (what text, many boolean, quickest int);
	CREATE TABLE empty (a int);
	CREATE PROCEDURE measure(what text, many boolean) LANGUAGE plpgsql AS \$\$
	DECLARE
		quickest interval := '1 hour';
		begun timestamptz;
	BEGIN
		FOR i IN 1 .. $times LOOP
			begun := clock_timestamp();
			EXECUTE replace(what, '#', i::text);
			COMMIT;
			quickest := least(quickest, clock_timestamp() - begun);
		END LOOP;
		INSERT INTO measured VALUES (what, many, extract(epoch FROM quickest) * 1000000);
		COMMIT;
	END\$\$}) foreach ('postgres', 'other');

# In this order: each has its own object, and leaves it to the next.
my %events;
$events{other} = [ 'TRUNCATE empty', 'SELECT count(*) FROM idgen_cache', 'SELECT idgen_stats_reset()', 'SELECT 1' ];
$events{postgres} = [
	'TRUNCATE empty',
	'CREATE TABLE t# (id bigint)',
	'DROP TABLE t#',
	q{INSERT INTO id_sequences (name, next_block_start) VALUES ('new #', 1)},
	q{SELECT idgen_next('new #')},
	q{UPDATE id_sequences SET block_size = 7 WHERE name = 'new #'},
	q{SELECT count(idgen_next('new #')) FROM generate_series(1, 30)},
	q{UPDATE id_sequences SET name = 'renamed #' WHERE name = 'new #'},
	q{SELECT idgen_restart('renamed #', 1)},
	q{DELETE FROM id_sequences WHERE name = 'renamed #'},
	'CREATE SEQUENCE s#_seq INCREMENT BY 10',
	q{SELECT idgen_next('s#', 'sequence')},
	'ALTER SEQUENCE s#_seq RESTART',
	'DROP SEQUENCE s#_seq',
	'SELECT 1' ];

sub measure
{
	my ($many) = @_;

	foreach my $database (sort keys %events)
	{
		$node->safe_psql($database, join(";\n", map { "CALL measure(\$\$$_\$\$, $many)" } @{ $events{$database} }));
	}
	return;
}

measure('false');
$node->safe_psql(
	'postgres', q{
	INSERT INTO id_sequences (name, next_block_start, block_size) SELECT 'cached ' || i, 1, 20 FROM generate_series(1, 60000) i;
	SELECT count(idgen_next('cached ' || i)) FROM generate_series(1, 60000) i;
	VACUUM (FULL, ANALYZE) id_sequences;
	CHECKPOINT});
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM idgen_cache'), '>=', 50000, 'many are cached');
measure('true');

foreach my $database (sort keys %events)
{
	foreach my $event (@{ $events{$database} })
	{
		my ($few, $many) =
		  split /\n/, $node->safe_psql($database, "SELECT quickest FROM measured WHERE what = \$\$$event\$\$ ORDER BY many");

		cmp_ok($many, '<', $few + 500, "$database, $event: $many us with many cached, $few us with few");
	}
}

$node->stop;
done_testing();

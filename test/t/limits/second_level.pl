# An id sequence that gives its slot to another one loses nothing: what it has
# left is kept, and drawn when it is used again. So every id is issued exactly
# once, with few slots and many names.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('second', conf => q{
idgen.max_sequences = 48
idgen.max_idle_sequences = 1000
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100ms'
});

# Some have a name that takes more than one cell, some a name that no slot has
# room for. Blocks come from the table, by sessions and by the worker, and from
# native sequences, ascending and descending.
my $long = 'x' x 200;
$node->safe_psql(
	'postgres', qq{
	CREATE TABLE drawn (name text, id bigint, PRIMARY KEY (name, id));
	SELECT idgen_create('n' || i, block_size => 10) FROM generate_series(1, 100) i;
	SELECT idgen_create(repeat('m', 30 + i), block_size => 7) FROM generate_series(1, 100) i;
	SELECT idgen_create('$long' || i, block_size => 10) FROM generate_series(1, 20) i;
	SELECT idgen_create('auto' || i, block_size => 10, refill => 'auto') FROM generate_series(1, 40) i;
	CREATE SEQUENCE up INCREMENT BY 10;
	CREATE SEQUENCE down INCREMENT BY -10;
	SELECT idgen_create('up', source => 'sequence', source_name => 'up'),
		idgen_create('down', source => 'sequence', source_name => 'down')});

# What is allocated of each id sequence is drawn or cached, once.
sub check_complete
{
	my ($when) = @_;

	is( $node->safe_psql(
			'postgres', q{
			WITH ids AS (
				SELECT name, id FROM drawn UNION ALL
				SELECT name, generate_series(least(first_id, last_id), greatest(first_id, last_id)) FROM idgen_cache)
			SELECT name, allocated, count(id), count(DISTINCT id), min(abs(id)), max(abs(id))
			FROM ids JOIN (
				SELECT name, next_block_start - 1 AS allocated FROM id_sequences WHERE source = 'table' UNION ALL
				SELECT 'up', last_value + 9 FROM up UNION ALL
				SELECT 'down', 9 - last_value FROM down) rows USING (name)
			GROUP BY 1, 2 HAVING (count(id), count(DISTINCT id), min(abs(id)), max(abs(id))) <>
				(allocated, allocated, 1, allocated)}),
		'', "$when: every id is drawn or cached, once");
	is($node->safe_psql('postgres', 'SELECT ids_evicted, ids_lost, ids_uncached FROM idgen_cache_totals'),
		'0|0|0', "$when: nothing is lost");
	return;
}

# One id after the other, in a transaction each
my $names = $node->safe_psql('postgres', 'SELECT name FROM id_sequences ORDER BY name');
my $draws = join('', map { "INSERT INTO drawn VALUES ('$_', idgen_next('$_'));\n" } split /\n/, $names);
$node->safe_psql('postgres', $draws) for 1 .. 3;
check_complete('one by one');
is( $node->safe_psql('postgres', q{SELECT max(abs(id)), count(*) FROM drawn}),
	'3|' . 3 * 262, 'each goes on where it was');
is( $node->safe_psql('postgres', 'SELECT sequences, evictions, idle_sequences FROM idgen_cache_totals'),
	join('|', 48, 3 * 262 - 48, 262 - 48), 'all that have no slot are kept');
is( $node->safe_psql('postgres', q{SELECT state, count(*) FROM idgen_cache GROUP BY state ORDER BY state}),
	"idle|214\npublished|48", 'view idgen_cache shows them');
is( $node->safe_psql(
		'postgres', q{
		SELECT idle_ids = (SELECT sum(abs(last_id - first_id) + 1) FROM idgen_cache WHERE state = 'idle')
		FROM idgen_cache_totals}),
	't', 'and their ids are counted');
is($node->safe_psql('postgres', q{SELECT count(*) FROM idgen_stats}), '48', 'view idgen_stats shows those with slots');

# Many sessions
$node->pgbench(
	'-n -c 20 -j 2 -t 50', 0,
	[qr{processed: 1000/1000}], [qr/^$/],
	'many sessions draw from many id sequences',
	{
		'random' => q{
\set a random(1, 100)
\set b random(1, 40)
\set c random(1, 20)
INSERT INTO drawn VALUES ('n' || :a, idgen_next('n' || :a));
INSERT INTO drawn SELECT 'auto' || :b, idgen_next('auto' || :b) FROM generate_series(1, 3);
INSERT INTO drawn VALUES (repeat('m', 30 + :a), idgen_next(repeat('m', 30 + :a)));
INSERT INTO drawn VALUES ('up', idgen_next('up')), ('down', idgen_next('down'));
INSERT INTO drawn SELECT repeat('x', 200) || :c, idgen_next(repeat('x', 200) || :c);
}
	});
wait_for_no_worker($node);
check_complete('many sessions');

# A transaction that holds more id sequences than there are slots: what it has
# left is kept all the same. A long one makes others go without a slot.
$node->safe_psql(
	'postgres', q{
	INSERT INTO drawn SELECT name, idgen_next(name)
	FROM id_sequences, generate_series(1, 12) WHERE name ~ '^[nm]' ORDER BY name});
check_complete('more in a transaction than there are slots');
my $session = $node->background_psql('postgres');
$session->query_safe(q{BEGIN; INSERT INTO drawn SELECT 'n' || i, idgen_next('n' || i) FROM generate_series(1, 60) i, generate_series(1, 11)});
$node->safe_psql('postgres', join('', map { "INSERT INTO drawn VALUES ('n$_', idgen_next('n$_'));\n" } 61 .. 100) x 3);
$session->query_safe('COMMIT');
$session->quit;
check_complete('beside such a transaction');

# Room for less than one of them: what it has left is lost, and counted.
$node->adjust_conf('postgresql.conf', 'idgen.max_idle_sequences', '1');
$node->restart;
$node->safe_psql('postgres', "INSERT INTO drawn SELECT '$long' || i, idgen_next('$long' || i) FROM generate_series(1, 20) i") for 1 .. 3;
is( $node->safe_psql('postgres', 'SELECT idle_sequences <= 1, ids_evicted > 0, ids_lost FROM idgen_cache_totals'),
	't|t|0', 'room for less than one');

$node->stop;
done_testing();

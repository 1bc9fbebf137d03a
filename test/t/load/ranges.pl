# Many sessions draw ranges and single ids, commit and roll back as it comes: no
# id is issued twice, every range is as long as it was asked for, nothing fails,
# and what is committed from an id sequence of block_size 1 has no gap.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('ranges', conf => 'max_connections = 40');

run_sql($node, q{
	CREATE TABLE drawn (sequence text, n int, first_id bigint, last_id bigint);
	CREATE SEQUENCE blocks_seq INCREMENT BY 20;
	CREATE SEQUENCE values_seq;
	CREATE SEQUENCE down_seq INCREMENT BY -20;
	CREATE TABLE counter AS SELECT 1::bigint AS next_id;
	CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql
		AS 'UPDATE public.counter SET next_id = next_id + 20 * blocks RETURNING next_id - 20 * blocks, next_id - 1';
	SELECT idgen_create('twenty'), idgen_create('two', block_size => 2), idgen_create('gapless', block_size => 1),
		idgen_create('blocks', source => 'sequence'), idgen_create('values', source => 'sequence', block_size => 7),
		idgen_create('down', source => 'sequence'), idgen_create('worker', refill => 'worker'),
		idgen_create('function', source => 'function', source_name => 'allocate')});

# A transaction of draws with savepoints. What is rolled back, and the number of
# ids, are random. With another isolation level, the function's own UPDATE could
# fail.
sub script
{
	my ($sequence) = @_;
	my @levels = ('READ COMMITTED', $sequence eq 'function' ? () : 'REPEATABLE READ');
	my $range = "INSERT INTO drawn SELECT '$sequence', :n, first_id, last_id FROM idgen_next_range('$sequence', :n);";
	my $single = "INSERT INTO drawn SELECT '$sequence', 1, id, id FROM idgen_next('$sequence') AS id;";

	return random_transaction(
		qq{
\\set inner random(0, 2)
\\set n random(1, 9)
$range
SAVEPOINT a;
$single
\\set n random(1, 60)
$range
SAVEPOINT b;
$range
$single
\\if :inner = 0
ROLLBACK TO a;
\\elif :inner = 1
ROLLBACK TO b;
\\endif
\\set n random(1, 20)
$range
$single
}, @levels);
}

my @sequences = ('twenty', 'two', 'gapless', 'blocks', 'values', 'down', 'worker', 'function');
my %scripts = map { ($_ => script($_)) } @sequences;
$scripts{'nextval'} = "SELECT nextval('values_seq');\n" x 5;
$node->pgbench(
	'-n -c 16 -j 2 -t 120', 0,
	[qr{processed: 1920/1920}], [qr/^$/],
	'16 sessions draw', \%scripts);

is( run_sql($node, 'SELECT count(DISTINCT sequence), count(*) > 2000 FROM drawn'),
	scalar(@sequences) . '|t', 'from all id sequences');
is( run_sql($node, 'SELECT count(*) FROM drawn WHERE abs(last_id - first_id) <> n - 1'),
	'0', 'ranges are as long as they were asked for');
is( run_sql($node, q{SELECT count(*) FROM drawn WHERE n > 1 AND (first_id < last_id) = (sequence = 'down')}),
	'0', 'and in the right direction');
is( run_sql($node, q{
		SELECT count(*) FROM (
			SELECT least(first_id, last_id) AS low, lag(greatest(first_id, last_id)) OVER (PARTITION BY sequence ORDER BY least(first_id, last_id)) AS before
			FROM drawn) AS s
		WHERE low <= before}),
	'0', 'no id was issued twice');
is( run_sql($node, q{
		SELECT min(first_id), max(last_id) - sum(n), max(last_id) - (SELECT next_block_start - 1 FROM id_sequences WHERE name = 'gapless')
		FROM drawn WHERE sequence = 'gapless'}),
	'1|0|0', 'the gapless ids that were committed form 1 .. n');
is( run_sql($node, q{
		SELECT count(*) FROM drawn d JOIN idgen_cache c ON c.name = d.sequence
		WHERE least(d.first_id, d.last_id) <= greatest(c.first_id, c.last_id)
			AND least(c.first_id, c.last_id) <= greatest(d.first_id, d.last_id)}),
	'0', 'no id that was issued is cached');
is( run_sql($node, q{
		SELECT (SELECT max(last_id) < next_block_start FROM drawn WHERE sequence = name)
		FROM id_sequences WHERE name IN ('twenty', 'two', 'worker') ORDER BY name}),
	"t\nt\nt", 'nor beyond what its row says');

# Of what is never undone, every id was issued, is cached, or counted as lost.
ok( $node->poll_query_until(
		'postgres', q{
		SELECT next_block_start - 1 = ids_issued + ids_cached + ids_lost
		FROM id_sequences JOIN idgen_stats USING (name) WHERE name = 'worker'}),
	'none is missing: worker');
is( run_sql($node, q{
		SELECT last_value + 19 - ids_issued - ids_cached - ids_lost FROM blocks_seq, idgen_stats WHERE name = 'blocks'}),
	'0', 'none is missing: native sequence');
is( run_sql($node, q{
		SELECT -last_value + 19 - ids_issued - ids_cached - ids_lost FROM down_seq, idgen_stats WHERE name = 'down'}),
	'0', 'none is missing: descending sequence');

# A range does not count on cached ids that others are using up while it waits
# for the disk.
$node->append_conf('postgresql.conf', 'fsync = on');
$node->reload;
run_sql($node, q{CREATE SEQUENCE ones_seq; SELECT idgen_create('ones', source => 'sequence')});
$node->pgbench(
	'-n -c 4 -j 2 -T 2', 0,
	[qr{actually processed}], [qr/^$/],
	'ranges of single values, while others draw single ids',
	{
		'single@20' => q{SELECT idgen_next('ones') FROM generate_series(1, 20)},
		'range@1' => q{SELECT idgen_next_range('ones', 500)}
	});

$node->stop;
done_testing();

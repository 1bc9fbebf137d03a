# Many sessions that draw, commit and roll back as it comes, savepoints and
# isolation levels included: no id is issued twice, nothing fails, and what is
# committed from an id sequence of block_size 1 has no gap.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('random', conf => 'max_connections = 30');

$node->safe_psql(
	'postgres', q{
	CREATE TABLE drawn (sequence text, id bigint, PRIMARY KEY (sequence, id));
	SELECT idgen_create('twenty'), idgen_create('two', block_size => 2), idgen_create('gapless', block_size => 1)});

# A transaction of four draws with savepoints. What is rolled back, and the
# number of ids, are random.
sub script
{
	my ($sequence) = @_;
	return random_transaction(qq{
\\set inner random(0, 2)
\\set n random(1, 40)
INSERT INTO drawn VALUES ('$sequence', idgen_next('$sequence'));
SAVEPOINT a;
INSERT INTO drawn SELECT '$sequence', idgen_next('$sequence') FROM generate_series(1, :n);
SAVEPOINT b;
INSERT INTO drawn SELECT '$sequence', idgen_next('$sequence') FROM generate_series(1, :n);
\\if :inner = 0
ROLLBACK TO a;
\\elif :inner = 1
ROLLBACK TO b;
\\endif
INSERT INTO drawn VALUES ('$sequence', idgen_next('$sequence'));
});
}

$node->pgbench(
	'-n -c 16 -j 2 -t 300', 0,
	[qr{processed: 4800/4800}], [qr/^$/],
	'16 sessions, three id sequences',
	{
		'twenty@4' => script('twenty'),
		'two@4' => script('two'),
		'gapless@2' => script('gapless')
	});

is( $node->safe_psql(
		'postgres', q{
		SELECT count(*) > 500, min(id), max(id) - count(*) FROM drawn WHERE sequence = 'gapless'}),
	't|1|0', 'the gapless ids that were committed form 1 .. n');
is( $node->safe_psql(
		'postgres', q{
		SELECT sequence, count(*) > 500, bool_and(id < next_block_start)
		FROM drawn JOIN id_sequences ON name = sequence
		GROUP BY sequence ORDER BY sequence}),
	"gapless|t|t\ntwenty|t|t\ntwo|t|t", 'no id is beyond what its row says');
is( $node->safe_psql(
		'postgres', q{
		SELECT count(*) FROM drawn JOIN idgen_cache ON name = sequence
		WHERE id BETWEEN first_id AND last_id}),
	'0', 'no id that was issued is cached');

$node->stop;
done_testing();

# Who refills is changed back and forth while many sessions draw, commit and
# roll back as it comes, with savepoints: no id is issued twice, and nothing
# fails.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('switched', conf => q{
max_connections = 30
idgen.worker_timeout = '100s'
});

$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE gen_seq INCREMENT BY 3;
	CREATE TABLE drawn (sequence text, id bigint, PRIMARY KEY (sequence, id));
	SELECT idgen_create('wide'), idgen_create('narrow', block_size => 2), idgen_create('single', block_size => 1),
		idgen_create('gen', source => 'sequence')});

# What is cached is a gap at each change of the row.
my $switch = q{UPDATE id_sequences SET refill = CASE refill WHEN 'worker' THEN 'transaction' WHEN 'transaction' THEN 'auto' ELSE 'worker' END};
like(
	$node->safe_psql(
		'postgres', qq{
		SELECT idgen_next('wide');
		$switch WHERE name = 'wide';
		SELECT idgen_next('wide');
		$switch WHERE name = 'wide';
		SELECT idgen_next('wide');
		$switch WHERE name = 'wide';
		SELECT idgen_next('wide')}),
	qr/^1\n21\n41\n\d+$/, 'switching drops what is cached');

# What is rolled back is random, the transaction or its savepoint.
sub script
{
	my ($sequence) = @_;
	return random_transaction(
		qq{
\\set inner random(0, 1)
\\set n random(1, 8)
INSERT INTO drawn VALUES ('$sequence', idgen_next('$sequence'));
SAVEPOINT a;
INSERT INTO drawn SELECT '$sequence', idgen_next('$sequence') FROM generate_series(1, :n);
\\if :inner = 0
ROLLBACK TO a;
\\else
RELEASE a;
\\endif
INSERT INTO drawn SELECT '$sequence', idgen_next('$sequence') FROM generate_series(1, :n);
}, 'READ COMMITTED', 'REPEATABLE READ');
}

$node->pgbench(
	'-n -c 12 -j 2 -t 80', 0,
	[qr{processed: 960/960}], [qr/^$/],
	'12 sessions, four id sequences',
	{
		'switch@2' => qq{\\set i random(0, 3)\n$switch WHERE name = (ARRAY['wide', 'narrow', 'single', 'gen'])[:i + 1];\n},
		'wide@3' => script('wide'),
		'narrow@3' => script('narrow'),
		'single@2' => script('single'),
		'gen@2' => script('gen')
	});
is( $node->safe_psql(
		'postgres', q{
		SELECT count(*) FROM drawn JOIN id_sequences ON name = sequence
		WHERE source = 'table' AND id >= next_block_start}),
	'0', 'no id is beyond what its row says');
is( $node->safe_psql(
		'postgres', q{
		SELECT count(*) FROM drawn JOIN idgen_cache ON name = sequence WHERE id BETWEEN first_id AND last_id}),
	'0', 'no id that was issued is cached');
is($node->safe_psql('postgres', q{SELECT count(DISTINCT sequence), count(*) > 1000 FROM drawn}), '4|t', 'ids of all were committed');

# In the end all modes still work.
foreach my $mode ('worker', 'auto', 'transaction')
{
	$node->safe_psql('postgres', "UPDATE id_sequences SET refill = '$mode'");
	is( $node->safe_psql(
			'postgres', q{
			INSERT INTO drawn SELECT name, idgen_next(name) FROM id_sequences, generate_series(1, 30);
			SELECT count(*) FROM id_sequences}),
		'4', "refill $mode");
}

$node->stop;
done_testing();

# Other programs allocate blocks from the same row with a SELECT and an UPDATE, at
# full speed, while the worker refills from it. Nobody gets an id that somebody else
# has, none that was seen in a transaction that was rolled back comes again from the
# worker, nobody fails, and everybody has his turn.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('program', conf => q{
max_connections = 40
idgen.max_prefetch_blocks = 2
});

$node->safe_psql(
	'postgres', q{
	CREATE TABLE drawn (sequence text, id bigint, PRIMARY KEY (sequence, id));
	SELECT idgen_create('locking', block_size => 7, refill => 'worker'),
		idgen_create('retrying', block_size => 7, refill => 'worker'),
		idgen_create('alone', block_size => 1, refill => 'worker')});

# What a client has seen is noted in a second transaction if the first one, in which
# it was drawn, is rolled back.
sub idgen
{
	my ($sequence) = @_;
	return qq{
\\set isolation random(0, 2)
\\set end random(0, 4)
\\if :isolation = 0
BEGIN;
\\elif :isolation = 1
BEGIN ISOLATION LEVEL REPEATABLE READ;
\\else
BEGIN ISOLATION LEVEL SERIALIZABLE;
\\endif
SELECT idgen_next('$sequence') AS a, idgen_next('$sequence') AS b \\gset
\\if :end = 0
ROLLBACK;
BEGIN;
\\endif
INSERT INTO drawn VALUES ('$sequence', :a), ('$sequence', :b);
COMMIT;
};
}

# The other program's two ways
foreach my $case (
	[ 'locking', 'BEGIN', 'FOR UPDATE' ],
	[ 'retrying', 'BEGIN ISOLATION LEVEL REPEATABLE READ', '', '--max-tries=0' ],
	[ 'alone', 'BEGIN', 'FOR UPDATE' ])
{
	my ($sequence, $begin, $for_update, @options) = @$case;
	my @load = ('-c', 8, '-T', 1);
	my $program = start_pgbench($node, "program_$sequence", other_program($sequence, $begin, $for_update), @load, @options);
	my $idgen = start_pgbench($node, "idgen_$sequence", idgen($sequence), @load);

	foreach my $run ($program, $idgen)
	{
		my $name = $sequence . ($run == $program ? ': the other program' : ': idgen');

		$run->{run}->finish;
		is($run->{stderr}, '', "$name does not fail");
		like($run->{stdout}, qr/number of failed transactions: 0 /, "$name fails nowhere");
		my ($processed) = $run->{stdout} =~ /number of transactions actually processed: (\d+)/;
		cmp_ok($processed, '>', 0, "$name gets its turn");
	}
	is( $node->safe_psql(
			'postgres', qq{
			SELECT count(*) FROM drawn JOIN id_sequences ON name = sequence
			WHERE sequence = '$sequence' AND id >= next_block_start}),
		'0', "$sequence: no id is beyond what the row says");
}

$node->stop;
done_testing();

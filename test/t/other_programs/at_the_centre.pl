# Other programs allocate blocks at the centre with a SELECT and an UPDATE, at full speed,
# next to nodes. Nobody gets an id that somebody else has, and the nodes never fail, whatever
# the isolation level there is by default.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre', conf => q{
max_connections = 60
default_transaction_isolation = 'serializable'
});
my @nodes = idgen_nodes(2, centres => [$centre], conf => q{
deadlock_timeout = 100s
idgen.worker_timeout = '100s'
idgen.max_prefetch_blocks = 2
});

$_->safe_psql('postgres', q{CREATE TABLE drawn (sequence text, id bigint, PRIMARY KEY (sequence, id))})
  foreach ($centre, @nodes);
$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('locking', 1, 7), ('retrying', 1, 7), ('single', 1, 1)});
create_remote($_, '', $nodes[0]) foreach ('locking', 'retrying', 'single');
create_remote('locking', '', $nodes[1]);
create_remote($_, q{refill => 'worker'}, $nodes[1]) foreach ('retrying', 'single');

# An id that was drawn in a transaction that is rolled back is noted in another one.
sub idgen
{
	my ($sequence) = @_;
	return qq{
\\set end random(0, 4)
BEGIN;
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
	[ 'locking', 'BEGIN ISOLATION LEVEL READ COMMITTED', 'FOR UPDATE' ],
	[ 'retrying', 'BEGIN ISOLATION LEVEL REPEATABLE READ', '', '--max-tries=0' ],
	[ 'single', 'BEGIN ISOLATION LEVEL READ COMMITTED', 'FOR UPDATE' ])
{
	my ($sequence, $begin, $for_update, @options) = @$case;
	my @load = ('-c', 4, '-T', 1);
	my @runs = (
		start_pgbench($centre, "program_$sequence", other_program($sequence, $begin, $for_update), @load, @options),
		map { start_pgbench($_, "idgen_$sequence", idgen($sequence), @load) } @nodes);

	foreach my $who ('the other program', 'node 1', 'node 2')
	{
		my $run = shift @runs;

		$run->{run}->finish;
		is($run->{stderr}, '', "$sequence: $who does not fail");
		like($run->{stdout}, qr/number of failed transactions: 0 /, "$sequence: $who fails nowhere");
		my ($processed) = $run->{stdout} =~ /number of transactions actually processed: (\d+)/;
		cmp_ok($processed, '>', 0, "$sequence: $who gets its turn");
	}
	my @ids = map {
		split /\n/, $_->safe_psql('postgres', "SELECT sequence || ' ' || id FROM drawn WHERE sequence = '$sequence'")
	} ($centre, @nodes);

	is(duplicates(@ids), '', "$sequence: no id came twice");
	is(not_allocated($centre, @ids), '', "$sequence: no id is beyond what the row says");
}

$_->stop foreach (@nodes, $centre);
done_testing();

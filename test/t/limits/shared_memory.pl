# An id sequence takes at most 832 bytes of shared memory, with all that belongs
# to it. A name of 48 characters, of three bytes each, needs no room besides.
# Once it is idle, it takes at most 110.
use strict;
use warnings FATAL => 'all';
use utf8;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('memory', conf => q{
idgen.max_idle_sequences = 0
idgen.max_centre_marks = 2
});
my $number = $node->safe_psql('postgres', 'SHOW idgen.max_sequences');

# All that is allocated, by whichever part of the server
sub allocated
{
	return $node->safe_psql('postgres', 'SELECT sum(allocated_size) FROM pg_shmem_allocations WHERE name IS NOT NULL');
}

is($number, '8192', 'the default');
my $with_idgen = allocated();

# As many names as there is room for, and none gives way.
my $characters = '語' x 43;
utf8::encode($characters);
$node->safe_psql(
	'postgres', qq{
	INSERT INTO id_sequences (name, next_block_start) SELECT '$characters' || to_char(i, 'FM00000'), 1
		FROM generate_series(1, $number) i;
	SELECT count(idgen_next(name)) FROM id_sequences});
is( $node->safe_psql(
		'postgres', q{
		SELECT sequences, evictions, min(length(name)), max(length(name)), count(*)
		FROM idgen_cache_totals, idgen_stats GROUP BY 1, 2}),
	"$number|0|48|48|$number", 'names of 48 characters all find room');

$node->adjust_conf('postgresql.conf', 'idgen.max_idle_sequences', '1000000');
$node->restart;
my $each_idle = (allocated() - $with_idgen) / 1_000_000;
note("$each_idle bytes for each idle one");
cmp_ok($each_idle, '<=', 110, 'bytes for each idle id sequence');
cmp_ok($each_idle, '>', 90, 'and it was measured');

$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "''");
$node->restart;
my $each = ($with_idgen - allocated()) / $number;
note("$each bytes for each");
cmp_ok($each, '<=', 832, 'bytes for each id sequence');
cmp_ok($each, '>', 500, 'and it was measured');

$node->stop;
done_testing();

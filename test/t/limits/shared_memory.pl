# A server with default settings has room for 65,536 id sequences: what is
# cached of each stays cached. Their slots take some 20 MB of shared memory, and
# one more at most the bytes that the documents tell.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $number = 65_536;
my $bytes_each = 328; # docs/operations.md, capacity

my $node = idgen_server('memory');

# All that is allocated, by whichever part of the server
sub allocated
{
	return $node->safe_psql('postgres', 'SELECT sum(allocated_size) FROM pg_shmem_allocations WHERE name IS NOT NULL');
}

$node->safe_psql(
	'postgres', qq{
	CREATE UNLOGGED TABLE drawn (id bigint);
	INSERT INTO id_sequences (name, next_block_start, block_size) SELECT 'n' || i, 1, 10 FROM generate_series(1, $number) i});

# Draw once from each, in several transactions. Answers the lowest and the
# highest id.
sub draw_from_all
{
	return $node->safe_psql(
		'postgres', qq{
		TRUNCATE drawn;
		DO \$\$
		BEGIN
			FOR start IN 1 .. $number BY 1024 LOOP
				INSERT INTO drawn SELECT idgen_next('n' || i) FROM generate_series(start, start + 1023) i;
				COMMIT;
			END LOOP;
		END\$\$;
		SELECT min(id), max(id) FROM drawn});
}

is(draw_from_all(), '1|1', 'one id of each');
is(draw_from_all(), '2|2', 'each goes on with what is cached');
account_is($node, 2 * $number, 'by default');
is(ids_lost($node), '0', 'nothing is lost');

my $places = $node->safe_psql('postgres', 'SHOW idgen.max_sequences');
my $default = allocated();
$node->restart;
is(draw_from_all(), '3|3', 'also after a restart');

$node->append_conf('postgresql.conf', 'idgen.max_sequences = 100000');
$node->restart;
my $each = (allocated() - $default) / (100_000 - $places);
note("$each bytes for each");
cmp_ok($each, '<=', $bytes_each, 'bytes for each id sequence');

$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "''");
$node->adjust_conf('postgresql.conf', 'idgen.max_sequences', undef);
$node->restart;
my $megabytes = ($default - allocated()) / 1024 / 1024;
note("$megabytes MB by default");
cmp_ok($megabytes, '<=', 23, 'megabytes by default');

$node->stop;
done_testing();

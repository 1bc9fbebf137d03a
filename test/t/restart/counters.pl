# What idgen_stats shows goes on over a clean restart, whatever the source.
# After a crash it begins anew. Where there is less room than before, ids come
# before counters.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre], conf => 'max_prepared_transactions = 1');
$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('away', 1, 20)});
create_remote('away', '', $node);
$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE native_seq INCREMENT BY 10;
	SELECT idgen_create('own'), idgen_create('used up', block_size => 10), idgen_create('gapless', block_size => 1),
		idgen_create('prepared')});

# What goes on, and what is of the cache
my $counted = q{
	SELECT name, ids_issued, ids_lost_prepared, blocks_taken, refills, session_refills, waits, last_refill, counted_since,
		refill_ms_p50, refill_ms_p99, wait_ms_p50, wait_ms_p99, wait_ms_total
	FROM idgen_stats ORDER BY name};

$node->safe_psql(
	'postgres', q{
	SELECT idgen_next('own'), idgen_next('used up'), idgen_next('gapless'), idgen_next('away'), idgen_next('native', 'sequence')
		FROM generate_series(1, 10);
	BEGIN;
	SELECT idgen_next('prepared');
	PREPARE TRANSACTION 'p';
	COMMIT PREPARED 'p'});

# One session waits for another one's refill.
my $holding = $node->background_psql('postgres');
$holding->query_safe(q{BEGIN; SELECT count(idgen_next('own')) FROM generate_series(1, 20)});
my $waiting = start_statement($node, q{SELECT idgen_next('own')});
wait_for_waiters($node, 1, 'idgen_next');
$node->safe_psql('postgres', 'SELECT pg_sleep(0.01)');
$holding->query_safe('COMMIT');
$waiting->query('');
$_->quit foreach ($holding, $waiting);

my $before = $node->safe_psql('postgres', $counted);
like($before, qr/^own\|31\|/m, 'ids of the table are counted');
like($before, qr/^away\|10\|/m, '… and of another server');
like($before, qr/^native\|10\|/m, '… and of a native sequence');
is( $node->safe_psql(
		'postgres', q{SELECT waits, wait_ms_total >= 10, wait_ms_p99 >= 100 FROM idgen_stats WHERE name = 'own'}),
	'1|t|t', 'so is a wait');

foreach my $mode ('fast', 'smart')
{
	$node->stop($mode);
	is(start_and_read($node), '', "$mode shutdown: the file is used");
	is($node->safe_psql('postgres', $counted), $before, "$mode shutdown: the counters are what they were");
}

$node->safe_psql('postgres', q{SELECT idgen_next('own'), idgen_next('away')});
is( $node->safe_psql('postgres', q{SELECT ids_issued, refills FROM idgen_stats WHERE name = 'away'}),
	'11|2', 'they go on from there; ids of another server did not survive');

# With less room, an id sequence with ids goes before one that has none left.
$node->stop;
$node->append_conf('postgresql.conf', "idgen.max_sequences = 1\nidgen.max_idle_sequences = 0\n");
$node->start;
is($node->safe_psql('postgres', 'SELECT ids_cached > 0 FROM idgen_stats'), 't', 'ids come before counters');

$node->append_conf('postgresql.conf', 'idgen.max_sequences = 100');
$node->restart;
$node->safe_psql('postgres', q{SELECT idgen_next('own')});
my $since = $node->safe_psql('postgres', q{SELECT counted_since FROM idgen_stats WHERE name = 'own'});
$node->stop('immediate');
$node->start;
is($node->safe_psql('postgres', 'SELECT count(*) FROM idgen_stats'), '0', 'after a crash, nothing is counted');
$node->safe_psql('postgres', q{SELECT idgen_next('own')});
is( $node->safe_psql('postgres', qq{SELECT ids_issued, refills, counted_since > '$since' FROM idgen_stats WHERE name = 'own'}),
	'1|1|t', 'and then it begins anew');

$node->stop;
$centre->stop;
done_testing();

# More id sequences than idgen.max_sequences work too: idle ones give way.
# Where none of these are kept, what they had cached is lost, but counted.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('slots', conf => q{
idgen.max_sequences = 4
idgen.max_idle_sequences = 0
max_prepared_transactions = 10
});

$node->safe_psql(
	'postgres', q{
	CREATE TABLE drawn (name text, id bigint, PRIMARY KEY (name, id));
	SELECT idgen_create('n' || i, block_size => 20) FROM generate_series(1, 100) i});
is($node->safe_psql('postgres', 'SHOW idgen.max_sequences'), '4', 'there are 4 slots');

# Every id that was taken from a row was issued, is cached, or is counted as
# lost. "drawn" is the number of ids issued.
my $drawn = 0;

sub check_accounts
{
	my ($when) = @_;

	is( $node->safe_psql(
			'postgres', qq{
			SELECT (SELECT sum(next_block_start - 1) FROM id_sequences) =
				$drawn + of_slots + ids_evicted + ids_lost + ids_uncached,
				sequences
			FROM idgen_cache_totals, (SELECT sum(ids_cached + ids_lost) AS of_slots FROM idgen_stats) s}),
		't|4', "$when: all ids are accounted for");
	return;
}

# One id after the other, in a transaction each
my $draws = join('', map { "INSERT INTO drawn VALUES ('n$_', idgen_next('n$_'));\n" } 1 .. 100);
$node->safe_psql('postgres', $draws x 2);
$drawn += 200;
check_accounts('one by one');
is( $node->safe_psql('postgres', 'SELECT evictions, ids_evicted, ids_uncached FROM idgen_cache_totals'),
	join('|', 196, 196 * 19, 0), 'all but the last four gave way, twice');
is($node->safe_psql('postgres', 'SELECT DISTINCT id FROM drawn ORDER BY id'),
	"1\n21", 'an id sequence that gave way goes on with its next block');

# One that is used in between stays.
$node->safe_psql('postgres', "SELECT idgen_next('n1')");
$node->safe_psql('postgres', join('',
	map { "SELECT idgen_next('n1');\nSELECT idgen_next('n$_');\n" } 2 .. 19));
is($node->safe_psql('postgres', "SELECT idgen_next('n1')"), '60', 'a busy one does not give way');
$drawn += 38;
check_accounts('with a busy one');

# All in one transaction. While its refills are pending, they hold the slots.
$node->safe_psql(
	'postgres', q{
	INSERT INTO drawn SELECT 'n' || i % 100 + 1, idgen_next('n' || i % 100 + 1)
	FROM generate_series(1, 3000) i});
$drawn += 3000;
check_accounts('all in one transaction');
cmp_ok($node->safe_psql('postgres', 'SELECT ids_uncached FROM idgen_cache_totals'),
	'>', 0, 'there was no room for the rest of most');

# A session whose pending refills hold all slots, and one that needs another
my $session = $node->background_psql('postgres');
$session->query_safe(
	q{
	BEGIN;
	SELECT count(idgen_next('n' || i)) FROM generate_series(31, 34) i, generate_series(1, 41)});
$node->safe_psql(
	'postgres', q{
	INSERT INTO drawn VALUES ('n35', idgen_next('n35'));
	INSERT INTO drawn VALUES ('n35', idgen_next('n35'))});
is( $node->safe_psql('postgres', "SELECT count(*) FROM idgen_stats WHERE name = 'n35'"),
	'0', 'with all slots busy there is none for a further one');
$session->query_safe('COMMIT');
$session->quit;
$drawn += 4 * 41 + 2;
check_accounts('with all slots busy');
$node->safe_psql('postgres', "INSERT INTO drawn VALUES ('n35', idgen_next('n35'))");
$drawn++;
is( $node->safe_psql('postgres', "SELECT count(*) FROM idgen_stats WHERE name = 'n35'"),
	'1', 'once one is idle there is');

# A slot that others make while a transaction has no room in the cache
$session = $node->background_psql('postgres');
my $without_slot = $node->background_psql('postgres');
$session->query_safe("BEGIN; SELECT idgen_next('n' || i) FROM generate_series(31, 34) i");
$without_slot->query_safe("BEGIN; SELECT idgen_next('n36')");
$session->query_safe('COMMIT');
$node->safe_psql('postgres', "SELECT idgen_peek('n36')");
$without_slot->query_safe('COMMIT');
$_->quit for ($session, $without_slot);
$drawn += 5;
check_accounts('with a slot that came later');
$node->safe_psql('postgres', $draws);
$drawn += 100;
check_accounts('and has given way since');

# Transactions that end otherwise
$node->safe_psql(
	'postgres', q{
	BEGIN;
	SELECT count(idgen_next('n' || i)) FROM generate_series(41, 50) i;
	ROLLBACK;
	BEGIN;
	SELECT count(idgen_next('n' || i)) FROM generate_series(51, 60) i;
	SAVEPOINT s;
	SELECT count(idgen_next('n' || i)) FROM generate_series(61, 70) i;
	ROLLBACK TO s;
	COMMIT;
	BEGIN;
	SELECT count(idgen_next('n' || i)) FROM generate_series(61, 64) i;
	PREPARE TRANSACTION 'p';
	COMMIT PREPARED 'p'});
$drawn += 14;
check_accounts('rolled back and prepared');
$node->safe_psql('postgres', $draws);
$drawn += 100;
cmp_ok($node->safe_psql('postgres', 'SELECT evictions FROM idgen_cache_totals'),
	'>=', 296, 'no slot was left behind busy');

# Many sessions, first without rolling back, so that their ids can be counted
my %draw = (
	commit => q{
\set a random(1, 50)
\set b random(51, 100)
BEGIN;
INSERT INTO drawn VALUES ('n' || :a, idgen_next('n' || :a));
INSERT INTO drawn SELECT 'n' || :b, idgen_next('n' || :b) FROM generate_series(1, 24);
COMMIT;
});
$draw{rollback} = $draw{commit} =~ s/COMMIT/ROLLBACK/r;

$node->pgbench(
	'-n -c 12 -j 2 -t 100', 0,
	[qr{processed: 1200/1200}], [qr/^$/],
	'many sessions draw from many id sequences',
	{ 'commit' => $draw{commit} });
$drawn += 12 * 100 * 25;
check_accounts('with many sessions');

$node->pgbench(
	'-n -c 12 -j 2 -t 100', 0,
	[qr{processed: 1200/1200}], [qr/^$/],
	'and roll back',
	{ 'commit_or@1' => $draw{commit}, 'rollback@1' => $draw{rollback} });
is( $node->safe_psql(
		'postgres', q{
		SELECT count(*) FROM drawn JOIN id_sequences USING (name) WHERE id >= next_block_start}),
	'0', 'no id is beyond what its row says');

$node->stop;
done_testing();

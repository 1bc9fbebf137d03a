# What a session knows of a name gives way to others when there are very many:
# one by one, and never where it is in use. A place in a query that remembers it
# does not go on with what belongs to another name by then.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# More than a session knows of at a time
my $names = 50_000;

my $node = idgen_server('many', conf => 'idgen.max_sequences = 60000');
$node->safe_psql(
	'postgres', qq{
	INSERT INTO id_sequences (name, next_block_start, block_size)
		SELECT 'name ' || i, 1, 20 FROM generate_series(1, $names) i UNION ALL
		SELECT 'constant ' || i, 1, 1000000 FROM generate_series(1, 6) i;
	CREATE FUNCTION draws_from_all(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
		LANGUAGE sql AS 'SELECT 10 * count(idgen_next(''name '' || i)), 10 * count(*) + 9 FROM generate_series(1, $names) i';
	SELECT idgen_create('outer ' || i, source => 'function', source_name => 'draws_from_all')
		FROM generate_series(1, 8) i});

my $session = $node->background_psql('postgres', on_error_stop => 0);

# Kilobytes that idgen has in the session
sub memory
{
	return $session->query_safe(q{SELECT sum(total_bytes) / 1024 FROM pg_backend_memory_contexts WHERE name LIKE 'idgen%'});
}

# In one transaction, every name has ids pending.
is($session->query_safe(
		"SELECT count(*), min(id), max(id) FROM (SELECT idgen_next('name ' || i) id FROM generate_series(1, $names) i) d"),
	"$names|1|1", 'each name has ids of its own');
my $most = memory();
cmp_ok($most, '<', 35_000, 'memory when the transaction is over');

# From the cache: places in the query with constant names keep theirs.
my $constants = join(', ', map { "idgen_next('constant $_') c$_" } 1 .. 6);
my $all_right = join(' AND ', map { "c$_ = i" } 1 .. 6);
$session->query_safe("SELECT $constants, i FROM generate_series(1, 1) i");
is($session->query_safe(
		"SELECT count(*), count(*) FILTER (WHERE id = 2), count(*) FILTER (WHERE $all_right)
		FROM (SELECT idgen_next('name ' || i - 1) id, $constants, i FROM generate_series(2, $names + 1) i) d"),
	"$names|$names|$names", 'all in one query');
cmp_ok(memory(), '<', $most + 1000, 'which needs no more memory');

# The same in another order, in a transaction that has done something with some
# names
$session->query_safe('BEGIN');
$session->query_safe("SELECT count(idgen_next_range('name ' || i, 50)) FROM generate_series(1, 10000) i");
is($session->query_safe(
		"SELECT count(*) FILTER (WHERE id = 21) FROM (SELECT idgen_next('name ' || i) id FROM generate_series(1, 10000) i) d"),
	'0', 'ids of one range are not issued again');
is($session->query_safe(
		"SELECT count(*) FILTER (WHERE id = 3), count(*) FILTER (WHERE $all_right) FROM (
			SELECT idgen_next('name ' || $names - i + 2) id, $constants, i + $names i FROM generate_series(2, $names - 10000 + 1) i
		) d"),
	$names - 10000 . '|' . ($names - 10000), 'in the reverse order');
$session->query_safe('COMMIT');
cmp_ok(memory(), '<', $most + 1000, 'which needs no more memory either');

# An allocator draws from all names, while the call is in progress that it
# allocates for.
is($session->query_safe("SELECT idgen_next('outer ' || i) - 10 * $names FROM generate_series(1, 4) i"),
	"0\n0\n0\n0", 'in the allocators of four names');
is($session->query_safe("SELECT idgen_next('outer ' || i) - 10 * $names, idgen_last('outer ' || i) - 10 * $names FROM generate_series(1, 4) i"),
	join("\n", ('1|1') x 4), 'which go on with what that has brought');

# So it does for ids that are more than the value drawn: with a big_base.
$session->query_safe(q{SELECT idgen_create('big ' || i, big_base => 1000) FROM generate_series(1, 3) i});
$session->query_safe(q{SELECT idgen_next_big('big ' || i) FROM generate_series(1, 3) i});
$session->query_safe(q{SELECT idgen_restart('big 3', 50)});
$session->query_safe(q{UPDATE id_sequences SET big_base = 2000 WHERE name = 'big 3'});
$session->query_safe(q{SELECT idgen_peek_big('big 3')});
$session->query_safe("SELECT count(idgen_next('name ' || i)) FROM generate_series(1, $names) i") for 1 .. 2;
is($session->query_safe(q{SELECT idgen_last_big('big ' || i) FROM generate_series(1, 3) i}),
	"1001\n1001\n1001", 'idgen_last_big() of names that were not used for long');
is($session->query_safe(q{SELECT idgen_next_big('big ' || i) FROM generate_series(1, 3) i}),
	"1002\n1002\n2050", 'which then go on');
$session->query_safe("SELECT count(idgen_next('name ' || i)) FROM generate_series(1, $names) i") for 1 .. 2;

# What idgen_last() may be asked stays, until it is discarded.
is($session->query_safe("SELECT count(*) FILTER (WHERE idgen_last('name ' || i) IS NOT NULL) FROM generate_series(1, $names) i"),
	$names, 'idgen_last() of each name');
$session->query_safe('DISCARD SEQUENCES');
$session->query_safe('\set VERBOSITY sqlstate');
is(answer($session, q{SELECT idgen_last('name 1')}), '55000', 'discarded');
is(answer($session, "SELECT idgen_last('name $names')"), '55000', 'of all names');
is($session->query_safe(q{SELECT idgen_next('name 49999') = idgen_last('name 49999')}), 't', 'and drawn again');

$session->quit;

# With a cache of its own, the session leaves no note of who allocates.
$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "''");
$node->adjust_conf('postgresql.conf', 'idgen.max_sequences', undef);
$node->restart;
my $draw_outer = "SELECT idgen_next('outer ' || i) - 10 * $names FROM generate_series(5, 8) i";
my (undef, $ids) = $node->psql('postgres',
	"SELECT count(idgen_next('name ' || i)) FROM generate_series(1, $names) i; $draw_outer; $draw_outer");
is($ids, join("\n", $names, (0) x 4, (1) x 4), 'in allocators, and from what they have brought, with a cache of its own');

$node->stop;
done_testing();

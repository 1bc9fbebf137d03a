# A session draws from very many names, in one query and in one transaction,
# with the server's cache and with one of its own. Each name has ids of its own,
# idgen_last() knows them all, every id is accounted for, and names that the
# session has used before need no more memory.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $names = 70_000;
my $node = idgen_server('names', conf => few_places(1024) . "idgen.node_id = 3\n");
$node->safe_psql(
	'postgres', qq{
	INSERT INTO id_sequences (name, next_block_start, block_size)
		SELECT 'name ' || i, 1, 20 FROM generate_series(1, $names) i UNION ALL
		SELECT 'constant ' || i, 1, 1000000 FROM generate_series(1, 6) i;
	CREATE SEQUENCE blocks INCREMENT BY 10;
	CREATE FUNCTION draws_from_all(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
		LANGUAGE sql AS 'SELECT b, b + 9 FROM (SELECT nextval(''blocks'') b, count(idgen_next(''name '' || i)) FROM generate_series(1, $names) i) s';
	SELECT idgen_create('outer ' || i, source => 'function', source_name => 'draws_from_all') FROM generate_series(1, 4) i;
	SELECT idgen_create('composed', layout => 'prefixed', big_base => 1000000)});

my ($session, $drawn);

sub connect_anew
{
	$session->quit if $session;
	$session = $node->background_psql('postgres', on_error_stop => 0);
	$session->query_safe('\set VERBOSITY sqlstate');
	return;
}

# Megabytes that the session has
sub memory
{
	return $session->query_safe('SELECT sum(total_bytes) / 1024 / 1024 FROM pg_backend_memory_contexts');
}

# Draw once from each name, in many transactions.
sub draw_from_all
{
	$session->query_safe(
		qq{
		DO \$\$
		BEGIN
			FOR i IN 1 .. $names LOOP
				PERFORM idgen_next('name ' || i);
				IF i % 1000 = 0 THEN
					COMMIT;
				END IF;
			END LOOP;
		END\$\$});
	$drawn += $names;
	return;
}

# Draw once from each of these, in one query. Answers the lowest and the highest
# id.
sub draw_some
{
	my ($from, $to) = @_;
	return $session->query_safe("SELECT min(id), max(id) FROM (SELECT idgen_next('name ' || i) id FROM generate_series($from, $to) i) d");
}

connect_anew();
my $last_composed = q{SELECT idgen_last('composed')};
$session->query_safe(q{SELECT idgen_next_big('composed')});
my $last = $session->query_safe($last_composed);
like($last, qr/^30\d{3}00000000000001$/, 'a composed id');
$drawn = 1;
my $before = memory();
draw_from_all();
cmp_ok(memory() - $before, '<', 100, 'memory for 70,000 names');
is($session->query_safe($last_composed), $last, 'idgen_last() of a composed id drawn long ago');
is($session->query_safe("SELECT DISTINCT idgen_last('name ' || i) FROM generate_series(1, $names) i"), '1', 'and of each plain one');
is(answer($session, q{SELECT idgen_last('name 0')}), '42704', 'no such name');

# A row that was changed in between is noticed.
$before = memory();
$node->safe_psql('postgres', q{UPDATE id_sequences SET block_size = 10 WHERE name LIKE 'name %'});
draw_from_all();
cmp_ok(memory() - $before, '<', 20, 'the same names need hardly more');
account_is($session, $drawn, 'one by one');

# In one transaction. Ids of a savepoint are issued again, but for those of
# blocks that it has not taken itself.
$session->query_safe('BEGIN');
draw_some(1, 20_000);
$session->query_safe('SAVEPOINT s');
draw_some(15_001, 40_000);
$session->query_safe('ROLLBACK TO s');
draw_some(1, 10);
$session->query_safe('COMMIT');
$drawn += 20_000 + 5_000 + 10;
account_is($session, $drawn, 'in one transaction');
is($session->query_safe(q{SELECT idgen_last('name 1') = idgen_last('name 11') + 1, idgen_last('name 15001') = idgen_last('name 11') + 1}),
	't|t', 'idgen_last() after that');
$session->query_safe('BEGIN');
draw_some(1, 40_000);
$session->query_safe('ROLLBACK');
cmp_ok(memory() - $before, '<', 20, 'nothing is left of a transaction that was rolled back');

# Constant names beside changing ones, in one query, where all are cached
$node->append_conf('postgresql.conf', few_places(80_000));
$node->restart;
connect_anew();
draw_from_all();
my $constants = join(', ', map { "idgen_next('constant $_') c$_" } 1 .. 6);
$session->query_safe("SELECT $constants");
is( $session->query_safe(
		"SELECT count(*) FILTER (WHERE c1 + c2 + c3 + c4 + c5 + c6 = 6 * i), count(*) FILTER (WHERE id = last)
		FROM (SELECT idgen_next('name ' || i - 1) id, idgen_last('name ' || i - 1) last, $constants, i FROM generate_series(2, $names + 1) i) d"),
	"$names|$names", 'names that are constant in the query have ids of their own');

# An allocator draws from all names, while the call is in progress that it
# allocates for.
my $draw_outer = q{
	SELECT count(DISTINCT id), count(*) FILTER (WHERE id = last)
	FROM (SELECT idgen_next('outer ' || i % 4 + 1) id, idgen_last('outer ' || i % 4 + 1) last FROM generate_series(0, 7) i) d};
is($session->query_safe($draw_outer), '8|8', 'in the allocators of four names');
$session->query_safe('DISCARD SEQUENCES');
is(answer($session, "SELECT idgen_last('name $names')"), '55000', 'discarded');

# With a cache of its own
$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "''");
$node->adjust_conf('postgresql.conf', 'idgen.max_sequences', undef);
$node->restart;
$node->safe_psql('postgres', 'UPDATE id_sequences SET next_block_start = 1');
connect_anew();
$session->query_safe(q{SELECT idgen_next('name 1')});
$drawn = 1;
$before = memory();
draw_from_all();
cmp_ok(memory() - $before, '<', 100, 'memory with a cache of its own');
account_is($session, $drawn, 'with a cache of its own');
is($session->query_safe(q{SELECT idgen_last('name 1'), idgen_last('name 70000'), idgen_next('name 70000')}), '2|1|2', 'those cached last go on');
is($session->query_safe($draw_outer), '8|8', 'in allocators, too');
$session->quit;

$node->stop;
done_testing();

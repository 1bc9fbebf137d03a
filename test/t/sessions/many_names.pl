# A session that draws from very many names does not keep all that it has found
# out about each, nor, if it has a cache of its own, all that is cached. What
# idgen_last() may be asked it does keep.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# More than twice the number of names whose state is kept
my $names = 70_000;

my $node = idgen_server('names', conf => 'idgen.max_sequences = 1024');
$node->safe_psql(
	'postgres', qq{
	SELECT idgen_create('composed', layout => 'prefixed', big_base => 1000000);
	ALTER SYSTEM SET idgen.node_id = 3;
	SELECT pg_reload_conf();
	INSERT INTO id_sequences (name, next_block_start, block_size)
	SELECT 'name ' || i, 1, 20 FROM generate_series(1, $names) i});

# Megabytes that the session has
sub memory
{
	my ($session) = @_;
	return $session->query_safe('SELECT sum(total_bytes) / 1024 / 1024 FROM pg_backend_memory_contexts');
}

# Draw once from each name.
sub draw_from_all
{
	my ($session) = @_;

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
	return;
}

# How many ids the rows have given that are neither among that number of issued
# ones, nor cached, nor counted as lost.
sub missing
{
	my ($session, $drawn) = @_;
	return $session->query_safe(
		qq{
		SELECT (SELECT sum(next_block_start - 1) FROM id_sequences)
			- $drawn - of_slots - idle_ids - ids_evicted - ids_lost - ids_uncached
		FROM idgen_cache_totals,
			(SELECT sum(ids_cached + ids_lost) AS of_slots FROM idgen_stats) s});
}

my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('\set VERBOSITY sqlstate');
$session->query_safe(q{SELECT idgen_next_big('composed'), idgen_next('name 1'), idgen_next('name 2')});
my $drawn = 3;
my $last = $session->query_safe(q{SELECT idgen_last('composed'), idgen_last_big('composed')});
like($last, qr/^30\d{3}00000000000001\|\d{37}1$/, 'a composed id');
my $before = memory($session);
draw_from_all($session);
$drawn += $names;

# From PostgreSQL 18 on, the server's statistics remember what was looked for.
my $limit = $node->pg_version >= 18 ? 43 : 33;
cmp_ok(memory($session) - $before, '<', $limit, "less than $limit MB for 70,000 names");
is($session->query_safe(q{SELECT idgen_last('composed'), idgen_last_big('composed')}),
	$last, 'idgen_last() of a composed id drawn long ago');
is($session->query_safe(q{SELECT idgen_last('name 2'), idgen_last('name 40000'), idgen_last('name 70000')}),
	'2|1|1', 'and of plain ones');
is($session->query_safe(q{SELECT idgen_next('name 2'), idgen_last('name 2')}), '21|21', 'drawn again');
$drawn++;

# What is known of names is not known of others.
is(answer($session, q{SELECT idgen_last('name 0')}), '42704', 'no such name');
$node->safe_psql('postgres', q{SELECT idgen_create('name 0')});
is(answer($session, q{SELECT idgen_last('name 0')}), '55000', 'nothing was drawn from it');

# The same names again need no more. A row that was changed in between is
# noticed.
$before = memory($session);
$node->safe_psql('postgres', 'UPDATE id_sequences SET block_size = 10');
draw_from_all($session);
$drawn += $names;
cmp_ok(memory($session) - $before, '<', 20, 'less than 20 MB for the same names again');
is($session->query_safe(q{SELECT next_block_start FROM id_sequences WHERE name = 'name 1'}), '31', 'with new blocks');

# A transaction keeps what it needs until it ends. Ids of a savepoint are
# issued again, but for those of blocks that it has not taken itself.
sub draw_some
{
	my ($from, $to) = @_;
	return $session->query_safe("SELECT count(idgen_next('name ' || i)) FROM generate_series($from, $to) i");
}

$session->query_safe('BEGIN');
draw_some(1, 20_000);
$session->query_safe('SAVEPOINT s');
draw_some(15_001, 40_000);
$session->query_safe('ROLLBACK TO s');
draw_some(1, 10);
$session->query_safe('COMMIT');
$drawn += 20_000 + 5_000 + 10;
is(missing($session, $drawn), '0', 'all ids are accounted for');
is($session->query_safe(q{SELECT idgen_last('name 1'), idgen_last('name 19999') = idgen_last('name 14999') + 1}),
	'32|t', 'idgen_last() after many names in one transaction');

$session->query_safe('BEGIN');
draw_some(1, 40_000);
$session->query_safe('ROLLBACK');
cmp_ok(memory($session) - $before, '<', 20, 'nothing is left of a transaction that was rolled back');
$session->quit;

# With a cache of its own
$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "''");
$node->adjust_conf('postgresql.conf', 'idgen.max_sequences', undef);
$node->restart;
$node->safe_psql('postgres', 'UPDATE id_sequences SET next_block_start = 1');
$session = $node->background_psql('postgres');
$session->query_safe(q{SELECT idgen_next('name 1')});
$before = memory($session);
draw_from_all($session);
cmp_ok(memory($session) - $before, '<', 90, 'less than 90 MB with a cache of its own');
is($session->query_safe('SELECT cache, sequences = max_sequences, evictions BETWEEN 4000 AND 6000 FROM idgen_cache_totals'),
	'session|t|t', 'idle ones have given way');
is(missing($session, $names + 1), '0', 'all ids are accounted for');
is($session->query_safe(q{SELECT idgen_last('name 1'), idgen_last('name 70000'), idgen_next('name 70000')}),
	'2|1|2', 'and those cached last go on');
$session->quit;

$node->stop;
done_testing();

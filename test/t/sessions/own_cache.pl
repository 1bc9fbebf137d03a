# A server that does not preload the library has a cache for each session.
# Everything else is the same.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('session', preload => 0);

# All functions, in a session that has loaded nothing before
is($node->safe_psql('postgres', 'SELECT cache, max_sequences, sequences FROM idgen_cache_totals'),
	'session|65536|0', 'the views work before anything was drawn');
is( $node->safe_psql(
		'postgres', q{
		SELECT idgen_create('all', next_block_start => 5, block_size => 10, big_base => 1000);
		SELECT idgen_next('all'), idgen_next_big('all'), idgen_last('all'), idgen_peek('all');
		SELECT name, cache, ids_issued, ids_cached, ids_lost, blocks_taken, refills, waits FROM idgen_stats;
		SELECT * FROM idgen_cache;
		SELECT cache, max_sequences, sequences, evictions FROM idgen_cache_totals;
		SELECT idgen_restart('all', 1);
		SELECT idgen_next('all');
		SELECT idgen_stats_reset();
		SELECT ids_issued, ids_cached, ids_lost FROM idgen_stats}),
	"\n5|1006|6|7\nall|session|2|8|0|1|1|0\nall|7|14|published\nsession|65536|1|0\n\n1\n\n0|9|0",
	'all functions work');
is($node->safe_psql('postgres', "SELECT idgen_next('all')"), '11', 'other sessions have blocks of their own');

# The setting that only a preloaded library has
is(sqlstate($node, "SELECT idgen_peek('all'); SHOW idgen.max_sequences"),
	'42704', 'idgen.max_sequences does not exist');
is($node->safe_psql('postgres', "LOAD 'idgen'; SHOW idgen.default_block_size"),
	'20', 'other settings do');

# Two sessions that stay
$node->safe_psql('postgres', "SELECT idgen_create('x'), idgen_create('gapless', block_size => 1)");
my $a = $node->background_psql('postgres', on_error_stop => 0);
my $b = $node->background_psql('postgres', on_error_stop => 0);
$_->query_safe('\set VERBOSITY sqlstate') for ($a, $b);

sub next_x
{
	my ($session) = @_;
	return answer($session, "SELECT idgen_next('x')");
}

is(join(' ', map { next_x($_) } $a, $b, $a, $b), '1 21 2 22', 'each session has a block of its own');
is(join(' ', map { $_->query_safe("SELECT idgen_next('gapless')") } $a, $b, $a, $b),
	'1 2 3 4', 'but not of a gapless id sequence');
is($a->query_safe("SELECT ids_issued, ids_cached FROM idgen_stats WHERE name = 'x'"),
	'2|18', 'and counts for itself');

# The first call of a session in a savepoint that is rolled back
is( $node->safe_psql(
		'postgres', q{
		BEGIN;
		SAVEPOINT s;
		SELECT idgen_next('x');
		ROLLBACK TO s;
		SELECT idgen_next('x');
		COMMIT;
		SELECT idgen_next('x')}),
	"41\n41\n42",
	'a savepoint is rolled back');

# Changes made by others. That a block was allocated is not one of them.
is(next_x($a), '3', 'a goes on');
$a->query_safe("BEGIN; SELECT idgen_next('x')");
$b->query_safe("SELECT idgen_restart('x', 1001)");
$a->query_safe('COMMIT');
is(next_x($a), '1001', 'the next transaction notices a restart by another session');
is(next_x($b), '1021', 'the session that made it too');

$node->safe_psql('postgres', "UPDATE id_sequences SET next_block_start = 501 WHERE name = 'x'");
is(join(' ', map { next_x($_) } $a, $b), '501 521', 'a lower next_block_start');

$node->safe_psql('postgres', "UPDATE id_sequences SET next_block_start = 601 WHERE name = 'x'");
is(join(' ', map { next_x($_) } $a, $b), '502 522', 'a higher one is no reason to drop ids');

$node->safe_psql('postgres', "DELETE FROM id_sequences WHERE name = 'x'");
is(join(' ', map { next_x($_) } $a, $b), '42704 42704', 'DELETE');
$node->safe_psql('postgres', "SELECT idgen_create('x')");
is(join(' ', map { next_x($_) } $a, $b), '1 21', 'a new row of the name');

$node->safe_psql('postgres', "UPDATE id_sequences SET name = 'y' WHERE name = 'x'");
is(join(' ', map { next_x($_) } $a, $b), '42704 42704', 'another name');
$node->safe_psql('postgres', "UPDATE id_sequences SET name = 'x' WHERE name = 'y'");
is(join(' ', map { next_x($_) } $a, $b), '41 61', 'the old name again');

$node->safe_psql('postgres', 'TRUNCATE id_sequences');
is(join(' ', map { next_x($_) } $a, $b), '42704 42704', 'TRUNCATE');

$node->safe_psql('postgres', 'DROP EXTENSION idgen');
is(join(' ', map { next_x($_) } $a, $b), '42883 42883', 'DROP EXTENSION');
$node->safe_psql('postgres', "CREATE EXTENSION idgen; SELECT idgen_create('x')");
is(join(' ', map { next_x($_) } $a, $b), '1 21', 'CREATE EXTENSION');

# Not before that transaction commits
$b->query_safe("BEGIN; SELECT idgen_restart('x', 901)");
is(next_x($a), '2', 'a restart counts for others when it is committed');
is(next_x($b), '901', 'and for its own transaction at once');
$b->query_safe('ROLLBACK');
is(next_x($a), '3', 'and not at all if it is rolled back');

# Privileges
$node->safe_psql('postgres', 'CREATE ROLE somebody LOGIN');
my $somebody = $node->connstr('postgres') . ' user=somebody';
is(sqlstate($node, "SELECT idgen_next('x')", $somebody), '', 'anybody may draw');
$a->query_safe('SET ROLE somebody');
is(next_x($a), '4', 'in the middle of a session too');
$node->safe_psql('postgres', 'REVOKE SELECT ON id_sequences FROM PUBLIC');
is(next_x($a), '42501', 'until that is revoked');

$_->quit for ($a, $b);

# Another database goes with what is cached; there is no worker to be stopped.
is( $node->safe_psql('postgres', q{LOAD 'idgen'; CREATE DATABASE other; DROP DATABASE other; SELECT count(*) FROM pg_database WHERE datname = 'other'}),
	'0', 'DROP DATABASE');

# Many sessions at once
$node->safe_psql(
	'postgres', q{
	CREATE TABLE drawn (sequence text, id bigint, PRIMARY KEY (sequence, id));
	SELECT idgen_create('cached', block_size => 5), idgen_create('one_by_one', block_size => 1)});
$node->pgbench(
	'-n -c 8 -j 2 -t 100', 0,
	[qr{processed: 800/800}], [qr/^$/],
	'many sessions draw',
	{
		'draw' => q{
\set end random(0, 2)
BEGIN;
INSERT INTO drawn SELECT 'cached', idgen_next('cached') FROM generate_series(1, 3);
INSERT INTO drawn VALUES ('one_by_one', idgen_next('one_by_one'));
\if :end = 0
ROLLBACK;
\else
COMMIT;
\endif
}
	});
is( $node->safe_psql(
		'postgres', q{
		SELECT count(*) > 0, max(id) - count(*) FROM drawn WHERE sequence = 'one_by_one'}),
	't|0', 'the gapless id sequence has no gap');

$node->stop;
done_testing();

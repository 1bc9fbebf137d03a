# When all slots are busy, a session that goes on without one still gets ids
# that ascend, those that are cached first, and nothing is lost.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Without a worker, refill "auto" is like "transaction", but looks at a native
# sequence with a lock that waits for nobody.
my $node = idgen_server('order', init => [ allows_streaming => 1 ], conf => q{
idgen.max_sequences = 1
idgen.node_id = 1
deadlock_timeout = '100s'
max_worker_processes = 0
synchronous_standby_names = 'nobody'
synchronous_commit = local
max_connections = 30
});

$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE up INCREMENT BY 20;
	CREATE SEQUENCE down INCREMENT BY -20;
	CREATE SEQUENCE late;
	CREATE SEQUENCE again;
	CREATE SEQUENCE pieces INCREMENT BY 20;
	SELECT idgen_create('busy', block_size => 10000), idgen_create('t'), idgen_create('contended'), idgen_create('attached'),
		idgen_create('wide', layout => 'session', next_block_start => 999999999999999),
		idgen_create('up', source => 'sequence', source_name => 'up'),
		idgen_create('down', source => 'sequence', source_name => 'down'),
		idgen_create('late', source => 'sequence', source_name => 'late', block_size => 3, refill => 'auto'),
		idgen_create('again', source => 'sequence', source_name => 'again', block_size => 20),
		idgen_create('pieces', source => 'sequence', source_name => 'pieces')});

sub sql
{
	return $node->safe_psql('postgres', join(";\n", @_));
}

my $holder = $node->background_psql('postgres');

# The one slot is busy until it is free.
sub make_busy
{
	$holder->query_safe(q{BEGIN; SELECT count(idgen_next_range('busy', 10000))});
	return;
}

sub make_free
{
	$holder->query_safe('COMMIT');
	return;
}

# What an id sequence has left in the second level is drawn there, and before
# what is allocated.
foreach my $case ([ 't', 1 ], [ 'up', 1 ], [ 'down', -1 ])
{
	my ($name, $step) = @$case;
	my $session = $node->background_psql('postgres');
	my $draw = "SELECT idgen_next('$name')";

	is($session->query_safe($draw), $step, "$name: the first id");
	$session->query_safe(q{SELECT idgen_next_range('busy', 1)});
	make_busy();
	is($session->query_safe($draw), 2 * $step, "$name: what is cached is drawn without a slot");
	is(sql("SELECT idgen_peek('$name')"), 3 * $step, "$name: and shown");
	is($session->query_safe("BEGIN; SELECT string_agg(idgen_next('$name')::text, ' ') FROM generate_series(1, 20)"),
		join(' ', map { $_ * $step } 3 .. 22),
		"$name: it is used up before another block is");
	make_free();
	is($session->query_safe("$draw; COMMIT; $draw"), join("\n", map { $_ * $step } 23, $name eq 't' ? 24 : 41),
		"$name: so they are with a slot");
	$session->quit;
}

# A range leaves alone what is too short for it.
make_busy();
is(sql(q{SELECT idgen_next('t')}), '25', 'one id');
is(sql(q{SELECT first_id, last_id FROM idgen_next_range('t', 10)}), '26|35', 'a range that is cached');
is(sql(q{SELECT first_id, last_id FROM idgen_next_range('t', 10)}), '41|50', 'a range that is not');
is(sql(q{SELECT idgen_next('t')}), '36', 'what it has left alone');

# What is too wide for the layout goes back.
make_free();
is(sql(q{SELECT idgen_next('wide') % 1000000000000000}), '999999999999999', 'the last one that fits');
make_busy();
is(sqlstate($node, q{SELECT idgen_next('wide')}), '2200H', 'one that is cached, and does not');
is(sql(q{UPDATE id_sequences SET layout = 'plain' WHERE name = 'wide'}, q{SELECT idgen_next('wide')}),
	'1000000000000000', 'is not lost');

# A session that has waited at the row for another one draws what that has left,
# before it draws from its own block.
my $first = $node->background_psql('postgres');
is($first->query_safe(q{BEGIN; SELECT idgen_next('contended')}), '1', 'a transaction refills');
my $second = start_statement($node, q{SELECT idgen_next('contended')});
wait_for_waiters($node, 1, '^SELECT idgen_next');
$first->query_safe('COMMIT');
is(answer($second, ''), '2', 'another one has waited for it');
is(answer($second, q{SELECT idgen_next('contended')}), '3', 'and goes on from there');
make_free();
is(answer($second, q{SELECT idgen_next('contended')}), '4', 'also with a slot');
$second->quit;

# So does one that has a slot, and waits at the row for one that has none.
make_busy();
is($first->query_safe(q{BEGIN; SELECT idgen_next('attached')}), '1', 'a transaction refills without a slot');
make_free();
$second = start_statement($node, q{SELECT idgen_next('attached')});
wait_for_waiters($node, 1, '^SELECT idgen_next');
$first->query_safe('COMMIT');
is(answer($second, ''), '2', 'one with a slot has waited for it');
$_->quit for ($first, $second);
is(sql(q{SELECT ids_evicted, ids_lost, ids_uncached FROM idgen_cache_totals}), '0|0|34', 'nothing is lost but of native sequences');

# A session has allocated before, but publishes when one without a slot has
# drawn already: too late for that one.
make_busy();
my $altering = $node->background_psql('postgres');
$altering->query_safe('BEGIN; ALTER SEQUENCE late OWNED BY NONE');
my $without = $node->background_psql('postgres');
my $pid = $without->query_safe('SELECT pg_backend_pid()');
$without->query_safe('BEGIN');
$without->query_until(qr/running/, "\\echo running\nSELECT idgen_next('late');\n");
wait_for_waiters($node, 1, q{idgen_next\(''late''\)});
kill('STOP', $pid);
$altering->query_safe('ROLLBACK');
$holder->query_safe('ROLLBACK');
my $publishing = start_statement($node, q{SELECT idgen_next('late')}, 'BEGIN', 'SET LOCAL synchronous_commit = on');
wait_for_waiters($node, 1, q{idgen_next\(''late''\)}, 'IPC');
kill('CONT', $pid);
is(answer($without, ''), '4', 'the session without a slot');
sql(q{ALTER SYSTEM SET synchronous_standby_names = ''}, q{SELECT pg_reload_conf()});
is(answer($publishing, ''), '1', 'the one that allocated before');
$publishing->query_safe('COMMIT');
is(sql(q{SELECT first_id, last_id FROM idgen_cache WHERE name = 'late'}), '2|3', 'and has published');
is($without->query_safe(q{SELECT string_agg(idgen_next('late')::text, ' ') FROM generate_series(1, 6)}),
	'5 6 7 8 9 10', 'what comes too late is left out');
$without->query_safe('COMMIT');
is(sql(q{SELECT ids_lost_crowded FROM idgen_stats WHERE name = 'late'}), '2', 'and counted');
$_->quit for ($altering, $without, $publishing);

# What comes after a restart is not too late for anybody.
$without = $node->background_psql('postgres');
make_busy();
is($without->query_safe(q{SELECT string_agg(idgen_next('again')::text, ' ') FROM generate_series(1, 5)}),
	'1 2 3 4 5', 'without a slot');
sql('ALTER SEQUENCE again RESTART');
make_free();
is(sql(q{SELECT idgen_next('again')}, q{SELECT idgen_next_range('busy', 1)}) =~ s/\n.*//sr, '1', 'the sequence begins anew');
make_busy();
is($without->query_safe(q{SELECT idgen_next('again')}), '2', 'what is cached since then is drawn');
$without->quit;

# Each range leaves some ids behind, which join nothing. Of more blocks than
# there is room for, they are lost, and counted as what there is no slot for.
my $uncached = 'SELECT ids_uncached + ids_lost FROM idgen_cache_totals';
my $uncached_before = sql($uncached);
$without = $node->background_psql('postgres');
$without->query_safe('BEGIN');
foreach (1 .. 12)
{
	$without->query_safe(q{SELECT idgen_next_range('pieces', 15)});
	sql(q{SELECT nextval('pieces')});
}
$without->query_safe('COMMIT');
is(sql($uncached) - $uncached_before, 12 * 5, 'what ranges have left over is counted');
$without->query_safe(q{BEGIN; SELECT idgen_next('pieces'); ROLLBACK});
is(sql($uncached) - $uncached_before, 12 * 5 + 19, 'and what a rollback cannot undo');
$_->quit for ($without, $holder);

# Many sessions, few slots: ids ascend in each session. Some are lost if their
# id sequence gets a slot, and gives it away, while they are pending.
my $lost = q{
	SELECT ids_evicted + ids_lost + ids_uncached + (SELECT sum(ids_lost) FROM idgen_stats) FROM idgen_cache_totals};
my $lost_before = sql($lost);
$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('n' || i, block_size => 5) FROM generate_series(0, 9) i;
	CREATE TABLE drawn (name text, id bigint, PRIMARY KEY (name, id));
	CREATE FUNCTION draw(name text) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		setting text := 'last.' || name;
		last bigint := coalesce(nullif(current_setting(setting, true), ''), '0');
		id bigint := idgen_next(name);
	BEGIN
		IF id <= last THEN
			RAISE 'drew % of % after %', id, name, last;
		END IF;
		PERFORM set_config(setting, id::text, false);
		INSERT INTO drawn VALUES (name, id);
	END$$});
$node->pgbench(
	'-n -c 12 -j 2 -t 80', 0,
	[qr{processed: 960/960}], [qr/^$/],
	'many sessions draw from many id sequences',
	{
		'draws' => q{
\set a random(0, 9)
BEGIN;
SELECT draw('n' || :a);
SELECT draw('n' || :a);
SELECT count(draw('n' || :a)) FROM generate_series(1, 3);
COMMIT;
\set a random(0, 9)
SELECT draw('n' || :a);
}
	});
is( sql(q{
	SELECT (SELECT sum(next_block_start - 1) FROM id_sequences WHERE name ~ '^n\d') - count(*) -
		(SELECT coalesce(sum(last_id - first_id + 1), 0) FROM idgen_cache WHERE name ~ '^n\d') FROM drawn}),
	sql($lost) - $lost_before, 'every id is drawn, cached or counted as lost');

$node->stop;
done_testing();

# More id sequences than the cache has places for work as well as others do, in
# one session and in many, from every source, in two databases, and while a
# transaction uses more of them than there are places. No id is issued twice,
# the ids of a session ascend, and every id is accounted for. The id sequence
# that was not used for longest gives way first.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('names', conf => few_places(8) . q{
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100ms'
max_prepared_transactions = 10
});
my @databases = ('postgres', 'other');

$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION idgen');
$node->safe_psql(
	$_, q{
	SELECT idgen_create('n' || i) FROM generate_series(0, 99) i;
	SELECT idgen_create('auto' || i, block_size => 10, refill => 'auto') FROM generate_series(0, 9) i;
	CREATE SEQUENCE up_seq INCREMENT BY 10;
	CREATE SEQUENCE down_seq INCREMENT BY -10;
	SELECT idgen_create(name, source => 'sequence') FROM unnest('{up,down}'::text[]) name;
	SELECT idgen_create('used', block_size => 1000), idgen_create('held'), idgen_create('strict', refill => 'worker');
	SELECT idgen_create('undone' || i) FROM generate_series(0, 29) i;
	CREATE TABLE drawn (name text, id bigint, PRIMARY KEY (name, id));

	-- Draws that many ids. An id that is there already, or that does not follow
	-- what this session drew before, is an error.
	CREATE FUNCTION draw(name text, number int DEFAULT 1) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		setting text := 'last.' || name;
		last bigint := coalesce(nullif(current_setting(setting, true), ''), '0');
		id bigint;
	BEGIN
		FOR i IN 1 .. number LOOP
			id := idgen_next(name);
			IF abs(id) <= last THEN
				RAISE 'drew % of % after %', id, name, last;
			END IF;
			last := abs(id);
			INSERT INTO drawn VALUES (name, id);
		END LOOP;
		PERFORM set_config(setting, last::text, false);
	END$$}) foreach @databases;

# Everything that committed transactions have drawn is in the table.
sub check
{
	my ($when) = @_;
	my $issued = 0;

	wait_for_no_worker($node);
	$issued += $node->safe_psql($_, 'SELECT count(*) FROM drawn') foreach @databases;
	account_is($node, $issued, $when, @databases);
	return;
}

# One session for each database, and one name after the other, in a transaction
# each
my @names = ((map { "n$_" } 0 .. 99), (map { "auto$_" } 0 .. 9), 'up', 'down');
my $one_by_one = join('', map { "SELECT draw('$_');\n" } @names);

foreach my $round (1, 2)
{
	$node->safe_psql($_, $one_by_one x 2) foreach @databases;
}
is($node->safe_psql($_, 'SELECT count(*), count(DISTINCT name) FROM drawn'), 4 * @names . '|' . @names, "$_: all draw")
  foreach @databases;
is($node->safe_psql($_, q{SELECT min(id), count(*) FILTER (WHERE id >= next_block_start) FROM drawn JOIN id_sequences USING (name) WHERE source = 'table'}),
	'1|0', "$_: from its own rows")
  foreach @databases;
check('one by one');

# One that is used between all others does not give way to them.
$node->safe_psql('postgres', join('', map { "SELECT draw('used', 3); SELECT draw('n$_');\n" } 0 .. 99));
cmp_ok($node->safe_psql('postgres', q{SELECT next_block_start FROM id_sequences WHERE name = 'used'}),
	'<=', 2001, 'one that is used in between goes on with its block');
check('one that is used in between');

# A transaction that has allocated of more id sequences than there are places
my $holder = $node->background_psql('postgres');
$holder->query_safe(q{BEGIN; SELECT draw('held'), draw('n' || i, 21) FROM generate_series(0, 49) i});
$node->safe_psql('postgres', join('', map { "SELECT draw('n$_');\n" } 50 .. 99) x 3 . q{SELECT draw('auto1', 3), draw('down', 3)});
$node->safe_psql('other', $one_by_one);
my $session = start_statement($node, q{SELECT draw('held', 3)});
wait_for_waiters($node, 1, 'draw');
like(sqlstate($node, q{SET idgen.worker_timeout = '100ms'; SELECT draw('strict')}), qr/^(53400)?$/, 'the worker finds a place, or says that there is none');
$holder->query_safe('COMMIT');
is(answer($session, ''), '', 'one that needs what the transaction has allocated waits for it');
$_->quit foreach ($session, $holder);
is($node->safe_psql('postgres', q{SELECT draw('strict')}), '', 'the worker has a place again');
check('beside a transaction with more than there are places');

# Transactions that end in other ways
$node->safe_psql(
	'postgres', q{
	BEGIN;
	SELECT draw('undone' || i, 3) FROM generate_series(0, 9) i;
	ROLLBACK;
	BEGIN;
	SELECT draw('undone' || i, 3) FROM generate_series(10, 19) i;
	SAVEPOINT s;
	SELECT draw('undone' || i, 30) FROM generate_series(20, 29) i;
	ROLLBACK TO s;
	SELECT draw('undone' || i, 3) FROM generate_series(10, 24) i;
	COMMIT;
	BEGIN;
	SELECT draw('undone' || i, 3) FROM generate_series(25, 29) i;
	PREPARE TRANSACTION 'p'});
$node->safe_psql('postgres', $one_by_one . q{COMMIT PREPARED 'p'; SELECT draw('undone' || i) FROM generate_series(0, 29) i});
is($node->safe_psql('postgres', q{SELECT count(DISTINCT name) FROM drawn WHERE name ~ 'undone' AND id = 1}),
	'30', 'ids of what was rolled back come again');
check('rolled back, and prepared');

# Many sessions fill the cache at once.
my $script = q{
\set a random(0, 49)
\set b random(50, 99)
\set c random(0, 9)
BEGIN;
SELECT draw('n' || :a);
SELECT draw('n' || :b, 24);
SELECT draw('up'), draw('down', 3);
COMMIT;
SELECT draw('auto' || :c, 3);
SELECT draw('n' || :c);
};
$node->pgbench('-n -c 12 -j 2 -t 50', 0, [qr{processed: 600/600}], [qr/^$/], 'many sessions draw', { 'commit' => $script });
check('many sessions');
$node->pgbench('-n -c 12 -j 2 -t 50', 0, [qr{processed: 600/600}], [qr/^$/], 'and roll back',
	{ 'commit_or@1' => $script, 'rollback@1' => $script =~ s/COMMIT/ROLLBACK/r });
is($node->safe_psql('postgres', q{SELECT count(*) FROM drawn JOIN id_sequences USING (name) WHERE source = 'table' AND id >= next_block_start}),
	'0', 'no id is beyond what its row says');

$node->stop;
done_testing();

# A copy of a database has native sequences with the same names, OIDs and files.
# It shares no cached ids with the original, nor with a database that had the
# same OID before; and what happens to a sequence is true for all its names, and
# for no others.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('databases');

# Draws without a row, with one, and from a function
sub draw
{
	my ($database) = @_;
	return $node->safe_psql($database,
		q{SELECT idgen_next('gen', 'sequence'), idgen_next('runs'), idgen_next('fun')});
}

$node->safe_psql('postgres', 'CREATE DATABASE original');
$node->safe_psql(
	'original', q{
	CREATE EXTENSION idgen;
	CREATE SEQUENCE gen_seq INCREMENT BY 20;
	CREATE SEQUENCE runs_seq;
	SELECT idgen_create('runs', source => 'sequence', block_size => 20)});
create_from_function($node, 'fun', 20, 'original');
is(draw('original'), '1|1|1', 'original');

$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE original OID = 60000');
is( $node->safe_psql('copy', q{SELECT oid, relfilenode FROM pg_class WHERE relname = 'gen_seq'}),
	$node->safe_psql('original', q{SELECT oid, relfilenode FROM pg_class WHERE relname = 'gen_seq'}),
	'the copy has the same OIDs and files');
is($node->safe_psql('copy', 'SELECT count(*) FROM idgen_cache'), '0', 'but no cached ids');
is(draw('copy'), '21|21|21', 'it begins after the blocks allocated by then');
is(draw('original'), '2|2|2', 'the original goes on');
is(draw('copy'), '22|22|22', 'and so does the copy');

# Restarted, the copy replaces files that are named as those of the original.
$node->safe_psql('copy', 'ALTER SEQUENCE gen_seq RESTART; ALTER SEQUENCE runs_seq RESTART');
is(draw('copy'), '1|1|23', 'the copy is restarted');
is(draw('original'), '3|3|3', 'the original is not');
$node->safe_psql('copy', q{UPDATE id_sequences SET source_name = 'gen_seq' WHERE name = 'runs'});
is(draw('original'), '4|4|4', 'nor does it notice a row of the copy');
is($node->safe_psql('copy', q{SELECT idgen_next('runs')}), '21', 'which counts there');

# The same OIDs again
foreach my $round (1, 2)
{
	$node->safe_psql('postgres', 'DROP DATABASE copy');
	is(draw('original'), join('|', (4 + $round) x 3), "dropped $round: the original goes on");
	$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE original OID = 60000');
	is($node->safe_psql('copy', 'SELECT count(*) FROM idgen_cache'), '0', "created $round: no cached ids");
	is(draw('copy'), '21|21|21', "created $round: its own blocks");
	is(draw('copy'), '22|22|22', "created $round: and so on");
}

# The extension, dropped and created again, knows nothing of what was cached.
$node->safe_psql('original', 'DROP EXTENSION idgen; CREATE EXTENSION idgen');
is($node->safe_psql('original', q{SELECT idgen_next('gen', 'sequence')}), '21', 'the extension anew');


# Sequences that are restarted, dropped and created, and drawn from under
# several names, in both databases at once, with places in the cache for a few
# of them only: whatever is drawn is of the last start.
$node->append_conf('postgresql.conf', 'idgen.max_sequences = 9');
$node->restart;
my $churn = q{
	CREATE TABLE starts (sequence text PRIMARY KEY, start bigint);
	CREATE PROCEDURE start(s text, command text, at bigint) LANGUAGE plpgsql AS $$
	BEGIN
		EXECUTE format(command, s, at);
		INSERT INTO starts VALUES (s, at) ON CONFLICT (sequence) DO UPDATE SET start = at;
		COMMIT;
	END $$;
	CREATE PROCEDURE draw(s text, name text) LANGUAGE plpgsql AS $$
	DECLARE
		first bigint := (SELECT start FROM starts WHERE sequence = s);
		id bigint := idgen_next(name, 'sequence');
	BEGIN
		IF id NOT BETWEEN first AND first + 999999 THEN
			RAISE EXCEPTION 'id % of %, which began at %', id, name, first;
		END IF;
		COMMIT;
	END $$;
	CREATE PROCEDURE churn(rounds int) LANGUAGE plpgsql AS $$
	DECLARE
		s text;
	BEGIN
		FOR i IN 0 .. 3 LOOP
			s := 's' || i;
			CALL start(s, 'CREATE SEQUENCE %I INCREMENT 20 START %s', 1);
			INSERT INTO id_sequences (name, next_block_start, source, source_name)
				SELECT s || '_' || n, 1, 'sequence', s FROM generate_series(0, 2) n;
		END LOOP;
		FOR i IN 1 .. rounds LOOP
			s := 's' || (random() * 3)::int;
			CASE (random() * 9)::int
				WHEN 0 THEN CALL start(s, 'ALTER SEQUENCE %I RESTART %s', i * 1000000::bigint);
				WHEN 1 THEN CALL start(s, 'DROP SEQUENCE %1$I; CREATE SEQUENCE %1$I INCREMENT 20 START %2$s', i * 1000000::bigint);
				ELSE CALL draw(s, s || '_' || (random() * 2)::int);
			END CASE;
		END LOOP;
	END $$;
	SELECT setseed(0.5);
	CALL churn(3000)};
my @sessions = map { start_statement($node, $churn, "\\c $_") } qw(original copy);
is($_->query(q{SELECT 'done'}) . $_->{stderr}, "\ndone", 'all that is drawn is of the last start') foreach @sessions;
$_->quit foreach @sessions;

$node->stop;
done_testing();

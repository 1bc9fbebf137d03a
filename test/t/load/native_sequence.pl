# Many sessions draw from one native sequence, in several ways at once,
# nextval() among them: nobody gets an id that somebody else has, and the ids
# that a session draws in one way ascend. So they do when there are more id
# sequences than the cache has room for.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# A session that waits for a refill does so until it is there, however slow the
# machine is: ids that come after those of a later refill would not ascend.
my $node = idgen_server('many', conf => 'deadlock_timeout = 100s');

# The setting is local to the session, and what it was before comes back when a
# transaction is rolled back, as if its ids had not been drawn: later ones are
# still higher.
$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE shared_seq;
	CREATE SEQUENCE blocks_seq INCREMENT BY 20;
	SELECT idgen_create('shared_runs', source => 'sequence', source_name => 'shared_seq', block_size => 7),
		idgen_create('shared_long_runs', source => 'sequence', source_name => 'shared_seq', block_size => 100);
	CREATE TABLE drawn (sequence text, id bigint, way text, UNIQUE (sequence, id));

	CREATE FUNCTION draw(sequence text, way text) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		setting text := 'last.' || sequence || '_' || way;
		last bigint := coalesce(nullif(current_setting(setting, true), ''), '0');
		id bigint := CASE way
			WHEN 'nextval' THEN nextval(sequence || '_seq')
			WHEN 'rowless' THEN idgen_next(sequence, 'sequence')
			ELSE idgen_next(sequence || '_' || way) END;
	BEGIN
		IF id <= last THEN
			RAISE 'drew % after %', id, last;
		END IF;
		PERFORM set_config(setting, id::text, false);
		INSERT INTO drawn VALUES (sequence, id, way);
	END$$});

my %scripts;
foreach my $way ('nextval', 'rowless', 'runs', 'long_runs')
{
	$scripts{$way} = random_transaction(qq{
SELECT count(draw('shared', '$way')) FROM generate_series(1, 10);
SELECT count(draw('blocks', 'rowless')) FROM generate_series(1, 10);
}, 'READ COMMITTED');
}
$node->pgbench(
	'-n -c 12 -j 2 -t 80', 0,
	[qr{processed: 960/960}], [qr/^$/],
	'many sessions draw', \%scripts);
is( $node->safe_psql('postgres', 'SELECT count(DISTINCT way) FROM drawn'),
	'4', 'in all ways');
is( $node->safe_psql(
		'postgres', q{
		SELECT max(id) <= (SELECT last_value FROM shared_seq) FROM drawn WHERE sequence = 'shared'}),
	't', 'no id is beyond the last value of the sequence');
is( $node->safe_psql(
		'postgres', q{
		SELECT max(id) <= (SELECT last_value + 19 FROM blocks_seq) FROM drawn WHERE sequence = 'blocks'}),
	't', 'nor beyond its block');

# More id sequences than slots, half of them with rows
$node->append_conf('postgresql.conf', 'idgen.max_sequences = 2');
$node->restart;
$node->safe_psql(
	'postgres', q{
	DO $$
	BEGIN
		FOR i IN 0 .. 9 LOOP
			EXECUTE 'CREATE SEQUENCE n' || i || '_seq INCREMENT BY 3';
			EXECUTE 'CREATE SEQUENCE s' || i || '_seq';
			PERFORM idgen_create('s' || i || '_runs', source => 'sequence', source_name => 's' || i || '_seq', block_size => 3);
		END LOOP;
	END$$});
$node->pgbench(
	'-n -c 12 -j 2 -t 80', 0,
	[qr{processed: 960/960}], [qr/^$/],
	'many sessions draw from many id sequences',
	{
		'slots' => q{
\set a random(0, 9)
\set b random(0, 9)
SELECT draw('n' || :a, 'rowless');
BEGIN;
SELECT draw('s' || :a, 'runs');
SELECT draw('n' || :b, 'rowless');
SELECT draw('s' || :b, 'nextval');
SELECT draw('n' || :a, 'rowless');
COMMIT;
}
	});

# None was left behind busy: those drawn last have slots.
foreach my $name ('n1', 'n2', 'n3')
{
	$node->safe_psql('postgres', "SELECT idgen_next('$name', 'sequence')");
	is($node->safe_psql('postgres', "SELECT count(*) FROM idgen_stats WHERE name = '$name'"),
		'1', "$name is cached");
}

$node->stop;
done_testing();

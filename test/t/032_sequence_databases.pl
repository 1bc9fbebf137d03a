# A copy of a database has native sequences with the same names, OIDs and files. It
# shares no cached ids with the original, nor with a database that had the same OID
# before.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

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
	SELECT idgen_create('runs', source => 'sequence', block_size => 20);
	CREATE TABLE counter (next bigint);
	INSERT INTO counter VALUES (1);
	CREATE FUNCTION allocate(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint)
	BEGIN ATOMIC
		UPDATE counter SET next = next + 20 * blocks RETURNING next - 20 * blocks, next - 1;
	END;
	SELECT idgen_create('fun', source => 'function', source_name => 'allocate')});
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

$node->stop;
done_testing();

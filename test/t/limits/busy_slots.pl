# A transaction that has refilled more id sequences than a session looks at to
# find a place does not make others look at all places in vain: they go on
# without one, and lose nothing.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('busy', conf => 'idgen.max_sequences = 1100');

$node->safe_psql(
	'postgres', q{
	INSERT INTO id_sequences (name, next_block_start) SELECT 'busy' || i, 1 FROM generate_series(1, 1050) i;
	INSERT INTO id_sequences (name, next_block_start) SELECT 'idle' || i, 1 FROM generate_series(1, 50) i;
	SELECT idgen_create('other' || i) FROM generate_series(1, 3) i});
my $bulk_load = $node->background_psql('postgres');
$bulk_load->query_safe(q{BEGIN; SELECT count(idgen_next('busy' || i)) FROM generate_series(1, 1050) i});
$node->safe_psql('postgres', q{SELECT count(idgen_next('idle' || i)) FROM generate_series(1, 50) i});

sub draw
{
	my ($name) = @_;
	return $node->safe_psql('postgres',
		"SELECT idgen_next('$name'); SELECT count(*) FROM idgen_stats WHERE name = '$name'");
}

is(draw('other1'), "1\n0", 'it has looked at busy ones, and has no place');
is(draw('other2'), "1\n1", 'the next one goes on from there');
is(draw('other1'), "2\n1", 'so does the same one, and has lost nothing');
$bulk_load->query_safe('COMMIT');
$bulk_load->quit;
is(draw('other3'), "1\n1", 'a place is free');

# A retry after a unique violation gets other ids there, too.
$node->safe_psql(
	'postgres', q{
	CREATE TABLE t (id bigint PRIMARY KEY);
	INSERT INTO t VALUES (1), (2);
	SELECT idgen_create('collides');
	BEGIN;
	SELECT count(idgen_next_range(name, 30)) FROM id_sequences WHERE name ~ 'busy|idle';
	DO $$
	BEGIN
		FOR i IN 1 .. 3
		LOOP
			BEGIN
				INSERT INTO t VALUES (idgen_next('collides'));
			EXCEPTION WHEN unique_violation THEN
			END;
		END LOOP;
	END $$;
	COMMIT});
is($node->safe_psql('postgres', q{SELECT max(id) FROM t}), '3', 'ids that have collided are left out without a place');
is(draw('collides'), "4\n1", 'and nothing is lost of the others');

$node->stop;
done_testing();

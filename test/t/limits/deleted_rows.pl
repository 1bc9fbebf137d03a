# The place in the cache of an id sequence whose row is gone is used again
# before any other id sequence gives way.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('deleted', conf => q{
idgen.max_sequences = 8
max_prepared_transactions = 10
});

sub query
{
	my ($sql) = @_;
	return $node->safe_psql('postgres', $sql);
}

sub totals
{
	return query('SELECT sequences, evictions, ids_evicted, ids_uncached FROM idgen_cache_totals');
}

sub draw_from
{
	my (@names) = @_;
	return query(join(';', map { "SELECT idgen_create('$_')" } @names) . ';'
		  . join(';', map { "SELECT idgen_next('$_')" } @names));
}

query(q{SELECT idgen_create('stays' || i) FROM generate_series(1, 3) i;
	SELECT idgen_next('stays' || i) FROM generate_series(1, 3) i});
is(totals(), '3|0|0|0', 'three that stay');

# In the way that a service with many tenants has them: some come, and some go
for my $round (1 .. 10)
{
	draw_from(map { "tenant$round$_" } 1 .. 5);
	is(totals(), '8|0|0|0', "all are cached, round $round");
	query(q{DELETE FROM id_sequences WHERE name LIKE 'tenant%'});
	is(totals(), '3|0|0|0', 'and those without a row are not');
}
is(query('SELECT ids_lost FROM idgen_cache_totals'), 10 * 5 * 19, 'what they had lost is counted');
is(query('SELECT ids_lost, ids_cached FROM idgen_stats'), "0|19\n0|19\n0|19", 'the others have lost nothing');

# renamed, with a long name, in a savepoint, and prepared
draw_from('a', 'b' x 200, 'c', 'd');
query(q{
	UPDATE id_sequences SET name = 'e' WHERE name = 'a';
	DELETE FROM id_sequences WHERE name LIKE 'bb%';
	BEGIN;
	SAVEPOINT s;
	DELETE FROM id_sequences WHERE name = 'c';
	ROLLBACK TO s;
	COMMIT;
	BEGIN;
	DELETE FROM id_sequences WHERE name = 'd';
	PREPARE TRANSACTION 'p';
	COMMIT PREPARED 'p'});
is(totals(), '4|0|0|0', 'renamed, with a long name, rolled back, prepared');
is(query(q{SELECT idgen_next('c'), idgen_next('e')}), '2|21', 'the one that stays, and the new name');

# deleted and made again in one transaction, which then draws
is(query(q{
	BEGIN;
	DELETE FROM id_sequences WHERE name = 'c';
	INSERT INTO id_sequences (name, next_block_start) VALUES ('c', 1000);
	SELECT idgen_next('c');
	COMMIT;
	SELECT idgen_next('c')}), "1000\n1001", 'made again');
is(totals(), '5|0|0|0', 'nothing is lost of that');

# A place that a session waits at stays.
query(q{SELECT idgen_create('w', refill => 'worker', block_size => 1)});
my $deleting = $node->background_psql('postgres');
$deleting->query_safe(q{BEGIN; DELETE FROM id_sequences WHERE name = 'w'});
my $waiting = start_statement($node, q{SELECT idgen_next('w')}, '\set VERBOSITY sqlstate');
wait_for_waiters($node, 1, '^SELECT idgen_next', 'Extension');
$deleting->query_safe('COMMIT');
is(answer($waiting, ''), '42704', 'deleted while a session waits');
$_->quit for ($deleting, $waiting);
is(totals(), '6|0|0|0', 'the place stays');
is(query(q{SELECT idgen_create('w', 7); SELECT idgen_next('w')}), "\n7", 'for the next row of that name');
query(q{DELETE FROM id_sequences WHERE name IN ('c', 'w')});
is(totals(), '4|0|0|0', 'deleted');

# all at once
query('TRUNCATE id_sequences');
is(totals(), '0|0|0|0', 'TRUNCATE');
draw_from('x', 'y');
query(q{
	BEGIN;
	TRUNCATE id_sequences;
	INSERT INTO id_sequences (name, next_block_start) VALUES ('y', 500);
	SELECT idgen_next('y');
	COMMIT});
is(totals(), '1|0|0|0', 'TRUNCATE, and a row made again');
is(query(q{SELECT idgen_next('y')}), '501', 'which draws from what is left');
query('DROP EXTENSION idgen; CREATE EXTENSION idgen');
is(totals(), '0|0|0|0', 'DROP EXTENSION');

$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', q{CREATE EXTENSION idgen; SELECT idgen_create('x'), idgen_next('x')});
is(totals(), '1|0|0|0', 'another database');
query('DROP DATABASE other');
is(totals(), '0|0|0|0', 'DROP DATABASE');

$node->stop;
done_testing();

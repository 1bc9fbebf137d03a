# What voids the ids of an id sequence reaches them in the second level, too:
# none of them is issued after the row or the native sequence has been changed.
# A change that is rolled back loses none.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# With one slot, each id sequence makes the one before idle.
my $node = idgen_server('events', conf => q{
idgen.max_sequences = 1
max_prepared_transactions = 10
});

sub sql
{
	return $node->safe_psql('postgres', join(";\n", @_));
}

# Make an id sequence idle that has been drawn from.
sub make_idle
{
	my ($name) = @_;

	sql(q{SELECT idgen_next('other')});
	is(sql("SELECT DISTINCT state FROM idgen_cache WHERE name = '$name'"), 'idle', "$name is idle");
	return;
}

# happens(what, name, next id, statement, ...): these statements are executed
# while the id sequence is idle; then its next id is that.
sub happens
{
	my ($what, $name, $next, @statements) = @_;

	sql("SELECT idgen_next('$name')");
	make_idle($name);
	sql(@statements);
	is(sql("SELECT count(*) FROM idgen_cache WHERE name = '$name'"), '0', "$what: nothing is kept");
	is(sql("SELECT idgen_next('$name')"), $next, "$what: the next id");
	return;
}

# does_nothing(what, name, statement, ...): its ids go on.
sub does_nothing
{
	my ($what, $name, @statements) = @_;
	my $last = sql("SELECT idgen_next('$name')");

	make_idle($name);
	sql(@statements);
	is(sql("SELECT idgen_next('$name')"), $last + 1, "$what: the next id");
	return;
}

sql(q{CREATE SEQUENCE seq INCREMENT BY 20},
	q{CREATE SEQUENCE seq2 INCREMENT BY 20 START 5000},
	q{SELECT idgen_create('other', block_size => 1000), idgen_create('x'), idgen_create('auto', refill => 'auto'),
		idgen_create('seq', source => 'sequence', source_name => 'seq')});

# The row
happens('idgen_restart', 'x', 500, q{SELECT idgen_restart('x', 500)});
happens('a lower next_block_start', 'x', 100, q{UPDATE id_sequences SET next_block_start = 100 WHERE name = 'x'});
happens('DELETE and INSERT', 'x', 1, q{DELETE FROM id_sequences WHERE name = 'x'}, q{SELECT idgen_create('x')});
happens('both in one transaction', 'x', 7, q{BEGIN}, q{DELETE FROM id_sequences WHERE name = 'x'},
	q{SELECT idgen_create('x', next_block_start => 7)}, q{COMMIT});
happens('drawn from in that transaction', 'x', 2, q{BEGIN}, q{DELETE FROM id_sequences WHERE name = 'x'},
	q{SELECT idgen_create('x', block_size => 1)}, q{SELECT idgen_next('x')}, q{COMMIT});
sql(q{UPDATE id_sequences SET block_size = 20 WHERE name = 'x'});
happens('renamed away and back', 'x', 23, q{UPDATE id_sequences SET name = 'y' WHERE name = 'x'},
	q{UPDATE id_sequences SET name = 'x' WHERE name = 'y'});
happens('PREPARE TRANSACTION', 'x', 900, q{BEGIN}, q{UPDATE id_sequences SET next_block_start = 1 WHERE name = 'x'},
	q{PREPARE TRANSACTION 'p'}, q{COMMIT PREPARED 'p'},
	q{UPDATE id_sequences SET next_block_start = 900 WHERE name = 'x'});
happens('of an id sequence that the worker refills', 'auto', 500, q{SELECT idgen_restart('auto', 500)});
does_nothing('ROLLBACK', 'x', q{BEGIN}, q{DELETE FROM id_sequences WHERE name = 'x'}, q{ROLLBACK});
does_nothing('another block_size', 'x', q{UPDATE id_sequences SET block_size = 7 WHERE name = 'x'});
does_nothing("another program's allocation", 'x',
	q{UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = 'x'});
does_nothing('a row with another name', 'x', q{SELECT idgen_restart('other', 100000)});
does_nothing('idgen_stats_reset', 'x', q{SELECT idgen_stats_reset()});

# What ids come from
happens('ALTER SEQUENCE', 'seq', 301, q{ALTER SEQUENCE seq RESTART 301});
happens('TRUNCATE', 'seq', 1, q{CREATE TABLE t (c int)}, q{ALTER SEQUENCE seq OWNED BY t.c}, q{TRUNCATE t RESTART IDENTITY},
	q{ALTER SEQUENCE seq OWNED BY NONE});
happens('DROP SEQUENCE', 'seq', 1, q{DROP SEQUENCE seq}, q{CREATE SEQUENCE seq INCREMENT BY 20});
happens('another pooling', 'seq', 401, q{UPDATE id_sequences SET pooling = 'hilo' WHERE name = 'seq'});
does_nothing('ROLLBACK', 'seq', q{BEGIN}, q{ALTER SEQUENCE seq RESTART}, q{ROLLBACK});
does_nothing('another sequence', 'seq', q{ALTER SEQUENCE seq2 RESTART});
happens('DELETE and INSERT', 'seq', 421, q{DELETE FROM id_sequences WHERE name = 'seq'},
	q{SELECT idgen_create('seq', source => 'sequence', source_name => 'seq', pooling => 'pooled')}, q{ALTER SEQUENCE seq RESTART 421});

# Everything
happens('TRUNCATE of id_sequences', 'x', 1, q{TRUNCATE id_sequences}, q{SELECT idgen_create('x'), idgen_create('other')});
is(sql(q{SELECT idle_sequences, idle_ids FROM idgen_cache_totals}), '0|0', 'of all others, nothing is kept');
happens('DROP EXTENSION', 'x', 1, q{DROP EXTENSION idgen}, q{CREATE EXTENSION idgen},
	q{SELECT idgen_create('x'), idgen_create('other')});
$node->safe_psql('postgres', 'CREATE DATABASE db');
$node->safe_psql('db', q{CREATE EXTENSION idgen; SELECT idgen_create('x'); SELECT idgen_next('x')});
does_nothing('with that of another database', 'x');
my $idle = sql(q{SELECT idle_sequences FROM idgen_cache_totals});
does_nothing('DROP DATABASE', 'x', q{DROP DATABASE db});
is(sql(q{SELECT idle_sequences FROM idgen_cache_totals}), $idle - 1, 'of a database that is dropped, nothing is kept');
is(sql(q{SELECT ids_evicted, ids_uncached FROM idgen_cache_totals}), '0|0', 'nothing else was lost');

# Twenty sessions draw at once from one that is idle.
sql(q{SELECT idgen_create('crowd', block_size => 100)}, q{CREATE TABLE drawn (id bigint PRIMARY KEY)},
	q{INSERT INTO drawn VALUES (idgen_next('crowd'))});
make_idle('crowd');
$node->pgbench(
	'-n -c 20 -j 2 -t 20', 0,
	[qr{processed: 400/400}], [qr/^$/],
	'twenty sessions draw from one that is idle',
	{ 'crowd' => q{INSERT INTO drawn VALUES (idgen_next('crowd'))} });
is( sql(q{SELECT count(*), min(id), max(id) + (SELECT sum(last_id - first_id + 1) FROM idgen_cache WHERE name = 'crowd') - next_block_start
	FROM drawn, id_sequences WHERE name = 'crowd' GROUP BY next_block_start}),
	'401|1|-1', 'and get every id, once');

$node->stop;
done_testing();

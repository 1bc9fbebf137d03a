# What voids the cached ids of an id sequence does so whether it has its place
# in the cache or has given that to another one: none of them is issued after
# the change, and they are counted as lost. What voids nothing has none issued
# twice. The same for names that differ at their 255th character only.
use strict;
use warnings FATAL => 'all';
use utf8;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# With one place, each draw takes it away from the id sequence before. Whether
# what that has left is kept elsewhere is left to the default.
my $node = idgen_server('events', conf => "idgen.max_sequences = 1\nmax_prepared_transactions = 10\n");

sub sql
{
	return $node->safe_psql('postgres', join(";\n", @_));
}

my $give_way = q{SELECT idgen_next('other')};

# Draw from it, and maybe from another one then.
sub draw_before
{
	my ($name, $gives_way) = @_;
	my $id = sql("SELECT idgen_next('$name')");

	sql($give_way) if $gives_way;
	return $id;
}

sub cached
{
	my ($name) = @_;
	return sql("SELECT coalesce(sum(abs(last_id - first_id) + 1), 0) FROM idgen_cache WHERE name = '$name'");
}

# voids(what, name, next id, statement, ...): after these statements, what was
# cached is lost, and the next id is that.
sub voids
{
	my ($what, $name, $next, @statements) = @_;

	foreach my $gives_way (0, 1)
	{
		draw_before($name, $gives_way);
		my %before = account($node);
		sql(@statements);
		my %after = account($node);
		is(cached($name), '0', "$what: nothing is cached");
		# It may take its native sequence to know that something was lost.
		is($after{cached} + $after{lost}, $before{cached} + $before{lost}, "$what: it is counted as lost")
		  unless $what =~ /DROP SEQUENCE/;
		is(sql("SELECT idgen_next('$name')"), $next, "$what: the next id");
	}
	return;
}

# keeps(what, name, statement, ...): the next id was not drawn before.
sub keeps
{
	my ($what, $name, @statements) = @_;

	foreach my $gives_way (0, 1)
	{
		my $last = draw_before($name, $gives_way);
		sql(@statements);
		cmp_ok(sql("SELECT idgen_next('$name')"), '>', $last, "$what: the next id");
	}
	return;
}

# The row
sql(q{SELECT idgen_create('other', block_size => 1000), idgen_create('x'), idgen_create('auto', refill => 'auto')});
voids('idgen_restart', 'x', 500, q{SELECT idgen_restart('x', 500)});
voids('a lower next_block_start', 'x', 100, q{UPDATE id_sequences SET next_block_start = 100 WHERE name = 'x'});
voids('DELETE and INSERT', 'x', 1, q{DELETE FROM id_sequences WHERE name = 'x'}, q{SELECT idgen_create('x')});
voids('both in one transaction', 'x', 7, q{BEGIN}, q{DELETE FROM id_sequences WHERE name = 'x'},
	q{SELECT idgen_create('x', next_block_start => 7)}, q{COMMIT});
voids('renamed away, and another one in its place', 'x', 900, q{UPDATE id_sequences SET name = 'y' WHERE name = 'x'},
	q{UPDATE id_sequences SET name = 'z' || next_block_start + random() WHERE name = 'y'}, q{SELECT idgen_create('x', 900)});
voids('PREPARE TRANSACTION', 'x', 1, q{BEGIN}, q{UPDATE id_sequences SET next_block_start = 1 WHERE name = 'x'},
	q{PREPARE TRANSACTION 'p'}, q{COMMIT PREPARED 'p'});
voids('refill by the worker', 'auto', 500, q{SELECT idgen_restart('auto', 500)});
voids('TRUNCATE', 'x', 1, q{TRUNCATE id_sequences}, q{SELECT idgen_create('x'), idgen_create('other', block_size => 1000)});
is(cached('other'), '0', 'TRUNCATE: of others, too');
keeps('ROLLBACK', 'x', q{BEGIN}, q{DELETE FROM id_sequences WHERE name = 'x'}, q{ROLLBACK});
keeps("another program's allocation", 'x',
	q{UPDATE id_sequences SET next_block_start = next_block_start + block_size WHERE name = 'x'});
keeps('a row with another name', 'x', q{SELECT idgen_restart('other', 100000)});
keeps('idgen_stats_reset', 'x', q{SELECT idgen_stats_reset()});

# What ids come from
sql(q{CREATE SEQUENCE seq INCREMENT BY 20}, q{CREATE SEQUENCE seq2 INCREMENT BY 20},
	q{SELECT idgen_create('seq', source => 'sequence', source_name => 'seq')});
voids('ALTER SEQUENCE', 'seq', 301, q{ALTER SEQUENCE seq RESTART 301});
voids('DROP SEQUENCE', 'seq', 1, q{DROP SEQUENCE seq}, q{CREATE SEQUENCE seq INCREMENT BY 20});
voids('TRUNCATE with RESTART IDENTITY', 'seq', 1, q{CREATE TABLE t (c int)}, q{ALTER SEQUENCE seq OWNED BY t.c},
	q{TRUNCATE t RESTART IDENTITY}, q{ALTER SEQUENCE seq OWNED BY NONE}, q{DROP TABLE t});
keeps('ROLLBACK', 'seq', q{BEGIN}, q{ALTER SEQUENCE seq RESTART}, q{ROLLBACK});
keeps('another sequence', 'seq', q{ALTER SEQUENCE seq2 RESTART});

# The extension and the database
$node->safe_psql('postgres', 'CREATE DATABASE db');
$node->safe_psql('db', q{CREATE EXTENSION idgen; SELECT idgen_create('x'); SELECT idgen_next('x')});
keeps('the same name in another database', 'x');
is($node->safe_psql('db', q{SELECT count(idgen_next('x')), max(idgen_next('x')) < 100 FROM generate_series(1, 10)}), '10|t', 'which has its own ids');
keeps('DROP DATABASE', 'x', q{DROP DATABASE IF EXISTS db});
foreach my $gives_way (0, 1)
{
	draw_before('x', $gives_way);
	sql('DROP EXTENSION idgen', 'CREATE EXTENSION idgen', q{SELECT idgen_create('x', 41), idgen_create('other')});
	is(sql(q{SELECT idgen_next('x')}), '41', 'DROP EXTENSION');
}

# A session has looked at the row, and is stopped before it draws, by the
# policy. What happens meanwhile counts.
sql(q{
	CREATE FUNCTION look(name text) RETURNS boolean LANGUAGE plpgsql AS $$
	BEGIN
		IF current_setting('test.stop', true) = 'on' THEN
			PERFORM set_config('test.stop', 'off', false);
			PERFORM pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1);
		END IF;
		RETURN true;
	END $$;
	ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY;
	CREATE POLICY look ON id_sequences USING (look(name));
	CREATE ROLE drawing;
	GRANT USAGE ON SEQUENCE seq TO drawing;
	SELECT idgen_create('seq', source => 'sequence', source_name => 'seq')});

sub stopped
{
	my ($name, @statements) = @_;
	my $holder = $node->background_psql('postgres');

	draw_before($name, 1);
	$holder->query_safe('SELECT pg_advisory_lock(1)');
	my $session = start_statement($node, "SELECT idgen_next('$name')", 'SET test.stop = on; SET ROLE drawing');
	wait_for_waiters($node, 1, '^SELECT idgen_next');
	sql(@statements);
	$holder->query_safe('SELECT pg_advisory_unlock(1)');
	my $id = answer($session, '');
	$_->quit foreach ($session, $holder);
	return $id;
}

my $draw = q{SELECT idgen_next('x')};
is(stopped('x', q{SELECT idgen_restart('x', 500)}), '500', 'stopped: idgen_restart');
is(stopped('x', q{SELECT idgen_restart('x', 700)}, $give_way), '700', 'stopped: idgen_restart, and it gives way');
is(stopped('x', $draw, $give_way, q{SELECT idgen_restart('x', 900)}), '900', 'stopped: others draw, it gives way, and idgen_restart');
is(stopped('x', q{DELETE FROM id_sequences WHERE name = 'x'}, q{SELECT idgen_create('x', 31)}), '31', 'stopped: DELETE and INSERT');
cmp_ok(stopped('x', $draw, $give_way, $draw), '>', 34, 'stopped: others draw, and it gives way');
is(stopped('seq', q{ALTER SEQUENCE seq RESTART}), '1', 'stopped: ALTER SEQUENCE');
is(stopped('seq', $give_way, q{ALTER SEQUENCE seq RESTART}), '1', 'stopped: it gives way, and ALTER SEQUENCE');

# Tenants come and go, some with names of 255 characters, in as many bytes as
# there can be.
my $long = '😀' x 253;
utf8::encode($long);
sql(q{CREATE TABLE drawn (round int, name text, id bigint, PRIMARY KEY (round, name, id))});
my $taken = 0;
my %before = account($node);
foreach my $round (1 .. 3)
{
	sql("SELECT idgen_create('$long' || i), idgen_create('short' || i) FROM generate_series(10, 49) i");
	my $draws = join('', map { "INSERT INTO drawn SELECT $round, n, idgen_next(n) FROM unnest('{$long$_,short$_}'::text[]) n;\n" } 10 .. 49);
	sql($draws x 3);
	$taken += sql(q{SELECT sum(next_block_start - 1) FROM id_sequences WHERE name ~ '[1-4]\d$'});
	sql(q{DELETE FROM id_sequences WHERE name ~ '[1-4]\d$'});
}
is(sql('SELECT DISTINCT count(*), min(id) FROM drawn GROUP BY round, name'), '3|1', 'each name has ids of its own');
my %after = account($node);
is($after{cached} + $after{lost} - $before{cached} - $before{lost}, $taken - 3 * 80 * 3, 'what they have left is counted as lost');
is(sql(q{SELECT count(*) FROM idgen_cache WHERE name ~ '[1-4]\d$'}), '0', 'and is not cached');

$node->stop;
done_testing();

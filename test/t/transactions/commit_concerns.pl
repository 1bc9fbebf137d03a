# When a transaction ends, it looks at the id sequences that it concerns, and at
# no others, however many are cached. The same goes for what concerns all id
# sequences of a database. The test holds the lock of one in the cache: a
# session that looks at it has to wait.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('concerns');

$node->safe_psql(
	'postgres', q{
	CREATE TABLE empty (a int);
	CREATE SEQUENCE busy_seq INCREMENT BY 2000000000;
	CREATE SEQUENCE other_seq INCREMENT BY 10;
	SELECT idgen_create('other_name', source => 'sequence', source_name => 'other_seq'), idgen_create('plain'), idgen_create('unused');
	SELECT idgen_next('busy', 'sequence'), idgen_next('other', 'sequence'), idgen_next('other_name'), idgen_next('plain');
	CREATE DATABASE elsewhere});
$node->safe_psql('elsewhere', 'CREATE TABLE empty (a int)');
$node->safe_psql('elsewhere', q{CREATE EXTENSION idgen; SELECT idgen_create('x'), idgen_next('x')});

my $holder = $node->background_psql('postgres', on_error_stop => 0);
my $holder_pid = $holder->query_safe('SELECT pg_backend_pid()');
my @sessions;

# Let a session run a statement until it is done, or waits for a lock. Returns
# what it waits for.
sub outcome
{
	my ($database, $statement) = @_;
	my $session = $node->background_psql($database, on_error_stop => 0);
	my $pid = $session->query_safe('SELECT pg_backend_pid()');

	push @sessions, $session;
	$session->query_until(qr/running/, "\\echo running\n$statement;\nSELECT 'done';\n");
	$node->poll_query_until(
		'postgres', qq{
		SELECT wait_event_type = 'Lock' OR wait_event ~ '^Idgen' OR state = 'idle' AND query ~ 'done'
		FROM pg_stat_activity WHERE pid = $pid})
	  or die 'neither waiting nor done';
	return $node->safe_psql(
		'postgres', qq{
		SELECT wait_event FROM pg_stat_activity WHERE pid = $pid AND (wait_event_type = 'Lock' OR wait_event ~ '^Idgen')});
}

# Stop the process of a session that does nothing but draw from "busy" until
# that happens with the lock held.
sub hold
{
	$holder->query_until(qr/running/,
		"\\echo running\nSELECT count(idgen_next('busy', 'sequence')) FROM (SELECT generate_series(1, 2000000000)) s;\n");
	$node->poll_query_until('postgres', "SELECT idgen_peek('busy', 'sequence') % 2000000000 > 1000")
	  or die 'nobody draws';
	for my $try (1 .. 200)
	{
		kill('STOP', $holder_pid);
		return if outcome('postgres', 'SELECT idgen_stats_reset()') eq 'IdgenSequence';
		kill('CONT', $holder_pid);
		(pop @sessions)->quit;
	}
	die 'never stopped with the lock held';
}

# In that order: once it goes on, it draws no further id.
sub release
{
	kill('INT', $holder_pid);
	kill('CONT', $holder_pid);
	$holder->query('SELECT 1');
	$_->quit for @sessions;
	@sessions = ();
	return;
}

# While the lock is held, what the end of a transaction does not have to wait
# for ...
hold();
is(outcome(@$_), '', "$$_[0]: $$_[1]") foreach (
	[ 'postgres', 'TRUNCATE empty' ],
	[ 'postgres', 'DROP TABLE empty' ],
	[ 'elsewhere', 'TRUNCATE empty' ],
	[ 'elsewhere', 'SELECT count(*) FROM idgen_stats, idgen_cache' ],
	[ 'elsewhere', 'SELECT idgen_stats_reset()' ],
	[ 'elsewhere', 'TRUNCATE id_sequences' ],
	[ 'elsewhere', 'DROP EXTENSION idgen' ],
	[ 'postgres', q{INSERT INTO id_sequences (name, next_block_start) VALUES ('new', 1)} ],
	[ 'postgres', q{UPDATE id_sequences SET block_size = 7 WHERE name = 'plain'} ],
	[ 'postgres', q{UPDATE id_sequences SET name = 'renamed' WHERE name = 'other_name'} ],
	[ 'postgres', q{DELETE FROM id_sequences WHERE name = 'renamed'} ],
	[ 'postgres', 'ALTER SEQUENCE other_seq RESTART' ],
	[ 'postgres', 'DROP SEQUENCE other_seq' ]);

# ... and what it does
is(outcome('postgres', 'ALTER SEQUENCE busy_seq RESTART'), 'IdgenSequence', 'restart');
release();
is($node->safe_psql('postgres', q{SELECT idgen_peek('busy', 'sequence') < 1000000000}), 't', 'which takes effect');

hold();
is(outcome('postgres', q{INSERT INTO id_sequences (name, next_block_start) VALUES ('busy', 77)}),
	'IdgenSequence', 'a row of that name');
release();
is($node->safe_psql('postgres', q{SELECT idgen_next('busy')}), '77', 'which counts');

# What concerns all id sequences of a database waits for that one, too. It keeps
# nobody from others meanwhile, not even from a place in the cache.
$node->safe_psql('postgres', q{DELETE FROM id_sequences WHERE name = 'busy'; SELECT idgen_next('busy', 'sequence')});
$node->safe_psql('elsewhere', q{CREATE EXTENSION idgen; SELECT idgen_create('z')});
hold();
is(outcome('postgres', "SELECT count(*) FROM $_"), 'IdgenSequence', $_) foreach ('idgen_stats', 'idgen_cache');
is(outcome('postgres', "SELECT idgen_next('unused')"), '', 'a draw that needs a place');
release();
hold();
is(outcome('postgres', 'TRUNCATE id_sequences'), 'IdgenSequence', 'TRUNCATE');
is(outcome('elsewhere', "SELECT idgen_next('z')"), '', 'a draw that needs a place, elsewhere');
release();
ok($node->poll_query_until('postgres', 'SELECT count(*) = 0 FROM idgen_cache'), 'TRUNCATE goes on');

$holder->quit;
$node->stop;
done_testing();

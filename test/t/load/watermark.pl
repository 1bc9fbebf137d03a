# A reader that polls up to the watermark sees each row that was committed,
# exactly once and in order, whatever the sessions do that write: they sleep,
# roll back, use savepoints, prepare, draw ranges and many ids at once, are
# killed, and so is the server. A reader that goes by the greatest id that it
# has seen misses rows. WATERMARK_SECONDS=n makes a round last as long.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{WATERMARK_SECONDS} // 3;
my $node = idgen_server('watermark', conf => q{
max_connections = 60
max_prepared_transactions = 60
restart_after_crash = on
deadlock_timeout = 100ms
});

# Refills by the sessions, the worker and from a native sequence
my %kinds = (own => '', worker => "refill = 'worker'", auto => "refill = 'auto'",
	native => "source = 'sequence', block_size = 5", single => 'block_size = 1');

$node->safe_psql('postgres', q{
	CREATE SEQUENCE native_seq;
	CREATE TABLE outbox (kind text, id bigint, PRIMARY KEY (kind, id));
	CREATE TABLE progress (kind text PRIMARY KEY, last bigint NOT NULL DEFAULT 0, greatest bigint NOT NULL DEFAULT 0);
	CREATE TABLE seen (kind text, id bigint, PRIMARY KEY (kind, id));
	CREATE TABLE seen_by_greatest (kind text, id bigint);
	CREATE PROCEDURE poll(name text, times integer) LANGUAGE plpgsql AS $$
	DECLARE
		mark bigint;
	BEGIN
		FOR i IN 1 .. times LOOP
			BEGIN
				mark := idgen_watermark(name);
			EXCEPTION WHEN object_not_in_prerequisite_state THEN
				mark := 0; -- not known yet
			END;
			INSERT INTO seen SELECT o.kind, o.id FROM outbox o, progress p
				WHERE o.kind = name AND p.kind = name AND o.id > p.last AND o.id <= mark;
			UPDATE progress SET last = greatest(last, mark) WHERE kind = name;
			WITH new AS (
				INSERT INTO seen_by_greatest SELECT o.kind, o.id FROM outbox o, progress p
					WHERE o.kind = name AND p.kind = name AND o.id > p.greatest
					RETURNING id)
			UPDATE progress SET greatest = greatest(greatest, (SELECT max(id) FROM new)) WHERE kind = name;
			COMMIT;
			PERFORM pg_sleep(0.001);
		END LOOP;
	END$$});
foreach my $kind (sort keys %kinds)
{
	$node->safe_psql('postgres', qq{
		INSERT INTO progress (kind) VALUES ('$kind');
		SELECT idgen_create('$kind');
		UPDATE id_sequences SET watermark = true WHERE name = '$kind';} . ($kinds{$kind} ? qq{
		UPDATE id_sequences SET $kinds{$kind} WHERE name = '$kind'} : ''));
}

# What sessions do, for each kind
my @scripts = map { my $script = $_; map { $script =~ s/KIND/$_/gr } sort keys %kinds } (
	q{INSERT INTO outbox VALUES ('KIND', idgen_next('KIND'));},
	q{BEGIN;
INSERT INTO outbox VALUES ('KIND', idgen_next('KIND'));
\set pause random(1, 20)
\sleep :pause ms
INSERT INTO outbox VALUES ('KIND', idgen_next('KIND'));
COMMIT;},
	q{BEGIN;
INSERT INTO outbox VALUES ('KIND', idgen_next('KIND'));
ROLLBACK;},
	q{BEGIN;
INSERT INTO outbox VALUES ('KIND', idgen_next('KIND'));
SAVEPOINT a;
INSERT INTO outbox SELECT 'KIND', idgen_next('KIND') FROM generate_series(1, 30);
ROLLBACK TO a;
\sleep 3 ms
INSERT INTO outbox VALUES ('KIND', idgen_next('KIND'));
COMMIT;},
	q{BEGIN;
INSERT INTO outbox SELECT 'KIND', generate_series(first_id, last_id) FROM idgen_next_range('KIND', 7);
INSERT INTO outbox VALUES ('KIND', idgen_next('KIND'));
\sleep 2 ms
COMMIT;},
	q{INSERT INTO outbox SELECT 'KIND', idgen_next('KIND') FROM generate_series(1, 200);},
	q{BEGIN;
INSERT INTO outbox VALUES ('KIND', idgen_next('KIND'));
\set name random(1, 1000000000)
PREPARE TRANSACTION ':name';
\sleep 5 ms
COMMIT PREPARED ':name';});
my $dir = PostgreSQL::Test::Utils::tempdir();
append_to_file("$dir/$_", "$scripts[$_]\n") foreach 0 .. $#scripts;

# A client that does one thing after the other, until its session is killed
sub start_writer
{
	my %run = (stdout => '', stderr => '');

	$run{run} = IPC::Run::start(
		[ $node->installed_command('pgbench'), '-n', '-T', 1000, (map { ('-f', "$dir/$_") } 0 .. $#scripts), $node->connstr('postgres') ],
		'>', \$run{stdout}, '2>', \$run{stderr});
	return \%run;
}

# roll_back_prepared(seconds): rolls back what was prepared as long ago or
# longer: whoever has prepared it is gone.
sub roll_back_prepared
{
	my ($age) = @_;

	$node->safe_psql('postgres', "ROLLBACK PREPARED '$_'")
	  foreach split /\n/, $node->safe_psql('postgres', "SELECT gid FROM pg_prepared_xacts WHERE prepared <= clock_timestamp() - interval '$age s'");
	return;
}

foreach my $end ('the clients end', 'the server crashes', 'the server is restarted')
{
	my $idle = $node->background_psql('postgres');
	my @readers = map { start_clients($node, 1, "CALL poll('$_', 1000000);\n", times => 1) } sort keys %kinds;
	my @writers = map { start_writer() } 1 .. 8;
	my $before;

	# A transaction that has nothing to do with it is open all the time. When
	# the watermarks are needed for the first time, it would be waited for.
	wait_until(sub { $node->safe_psql('postgres', q{SELECT count(*) FROM progress WHERE last > 0}) == keys %kinds }, 'readers to see rows');
	$idle->query_safe('BEGIN; SELECT txid_current()');
	$before = $node->safe_psql('postgres', 'SELECT sum(last) FROM progress');
	for (1 .. $seconds * 5)
	{
		select(undef, undef, undef, 0.2);
		roll_back_prepared(1);
		run_sql($node, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pgbench' ORDER BY random() LIMIT 1});
		$_->{run}->pump_nb foreach @writers;
		@writers = map { $_->{run}->pumpable ? $_ : start_writer() } @writers;
	}
	cmp_ok($node->safe_psql('postgres', 'SELECT sum(last) FROM progress'), '>', $before, "$end: an unrelated transaction holds nobody up");
	$idle->quit;

	if ($end eq 'the server crashes')
	{
		kill_server($node);
		$node->start;
	}
	elsif ($end eq 'the server is restarted')
	{
		end_kept_sessions($node);
		$node->stop;
		$node->start;
	}
	else
	{
		$_->{run}->signal('KILL') foreach @writers;
		$node->safe_psql('postgres', q{SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'pgbench' OR query ~ '^CALL'});
	}
	finish_clients(@writers, @readers);
	roll_back_prepared(0);
	$node->safe_psql('postgres', "CALL poll('$_', 1)") foreach sort keys %kinds;
	is($node->safe_psql('postgres', q{
		(SELECT 'missed', kind, id FROM (TABLE outbox EXCEPT TABLE seen) m ORDER BY kind, id LIMIT 3)
		UNION ALL (SELECT 'not there', kind, id FROM (TABLE seen EXCEPT TABLE outbox) m ORDER BY kind, id LIMIT 3)}),
		'', "$end: each row was seen once");
}
note($node->safe_psql('postgres', 'SELECT count(*) FROM seen') . ' rows');
isnt($node->safe_psql('postgres', q{SELECT count(*) FROM (TABLE outbox EXCEPT TABLE seen_by_greatest) m}), '0',
	'a reader without watermark misses rows');
done_testing();

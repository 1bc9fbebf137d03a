# Sessions without ids are served before refills ahead of need, also if those
# were requested earlier; among themselves, first come, first served. A refill
# ahead of need that somebody begins to wait for is one of the former from then
# on. Each row tells when it was refilled: by its xmin in which order, by the
# time of the commit in which transaction.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('waiting', conf => q{
track_commit_timestamp = on
idgen.max_prefetch_blocks = 1
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100s'
});
$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('ahead' || i, refill => 'worker') FROM generate_series(1, 200) i;
	SELECT idgen_create('empty' || i, refill => 'worker') FROM generate_series(1, 3) i;
	SELECT count(idgen_next('ahead' || i)) FROM generate_series(1, 200) i});

# While the worker is stopped, requests gather.
my $pid = stop_worker($node, 'postgres');
$node->safe_psql(
	'postgres', q{
	DO $$ BEGIN
		FOR i IN 1 .. 200 LOOP
			PERFORM idgen_next('ahead' || i) FROM generate_series(1, 18);
		END LOOP;
	END $$});
my @waiters;
foreach my $draw (q{max(idgen_next('ahead150')) FROM generate_series(1, 2)}, map { "idgen_next('empty$_')" } 3, 1, 2)
{
	push @waiters, start_statement($node, "SELECT $draw");
	wait_for_waiters($node, scalar @waiters, 'idgen_next', 'Extension');
}
kill('CONT', $pid);
is(join(' ', map { $_->query_safe('') } @waiters), '21 1 1 1', 'all that wait get their ids');
$node->poll_query_until('postgres', q{SELECT bool_and(next_block_start > 21) FROM id_sequences WHERE name LIKE 'ahead%'})
  or die 'not all are refilled';

my @order = split /\n/, $node->safe_psql('postgres', 'SELECT name FROM id_sequences ORDER BY age(xmin) DESC');
is(join(' ', @order[0 .. 3]), 'ahead150 empty3 empty1 empty2', 'sessions that wait are served first, in turn');
my @groups = split / /, $node->safe_psql(
	'postgres', q{
	SELECT string_agg(n::text, ' ' ORDER BY at)
	FROM (SELECT pg_xact_commit_timestamp(xmin) AS at, count(*) AS n FROM id_sequences GROUP BY 1) s});
is($groups[0], '4', 'who waits gets a commit of their own');

# A worker that is ended leaves the requests to the next one.
$node->safe_psql('postgres', 'CREATE TABLE before AS SELECT name, next_block_start FROM id_sequences');
$pid = stop_worker($node, 'postgres');
$node->safe_psql('postgres', q{SELECT count(idgen_next('ahead' || i)) FROM generate_series(1, 200) i, generate_series(1, 19)});
begin_statement($waiters[0], "SELECT count(idgen_next('empty1')) FROM generate_series(1, 20)");
wait_for_waiters($node, 1, 'idgen_next', 'Extension');
$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)");
kill('CONT', $pid);
is($waiters[0]->query(''), '20', 'a session that waits gets another worker');
isnt(worker_pid($node, 'postgres', $pid), $pid, 'which is another one indeed');
ok( $node->poll_query_until(
		'postgres', q{
		SELECT count(*) = 200 FROM id_sequences r JOIN before b USING (name)
		WHERE name LIKE 'ahead%' AND r.next_block_start > b.next_block_start}),
	'and that one does what was requested before');

$_->quit for @waiters;
$node->stop;
done_testing();

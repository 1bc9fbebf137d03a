# Whatever has been asked of the worker by the time that it looks, it does in
# one transaction. That works with more id sequences than the cache has room
# for, too.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('many', conf => q{
max_connections = 40
track_commit_timestamp = on
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100s'
});

$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('n' || i, refill => 'worker') FROM generate_series(1, 20) i;
	SELECT idgen_create('other', refill => 'worker');
	SELECT idgen_next('other')});

# While the worker is stopped, requests gather.
my $pid = stop_worker($node, 'postgres');
my @waiters = map { start_statement($node, "SELECT idgen_next('n$_')") } 1 .. 20;
wait_for_waiters($node, 20, 'idgen_next', 'Extension');
kill('CONT', $pid);
is(join(' ', map { $_->query_safe('') } @waiters), join(' ', (1) x 20), 'all of them get an id');
is( $node->safe_psql(
		'postgres', q{
		SELECT count(*), count(DISTINCT pg_xact_commit_timestamp(xmin)) FROM id_sequences WHERE name <> 'other'}),
	'20|1', 'from one transaction');

# Rows that one transaction has locked
my $holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN; SELECT FROM id_sequences FOR UPDATE');
begin_statement($waiters[$_], "SELECT max(idgen_next('n" . ($_ + 1) . "')) FROM generate_series(1, 40)")
  for 0 .. 19;
wait_for_waiters($node, 20, 'idgen_next', 'Extension');
$holder->query_safe('COMMIT');
is(join(' ', map { $_->query_safe('') } @waiters), join(' ', (41) x 20), 'all of them get ids when it ends');
$_->quit for ($holder, @waiters);

# With four slots, most id sequences have none at a time; every id is accounted
# for nevertheless. (Nothing is left from before: the counters begin at zero.)
$node->append_conf('postgresql.conf', 'idgen.max_sequences = 4');
$node->stop('immediate');
$node->start;
$node->safe_psql(
	'postgres', q{
	TRUNCATE id_sequences;
	CREATE TABLE drawn (name text, id bigint, PRIMARY KEY (name, id));
	CREATE SEQUENCE issued;
	SELECT idgen_create('n' || i, block_size => 5, refill => 'worker') FROM generate_series(1, 12) i});
my $draw = q{
\set a random(1, 12)
\set b random(1, 12)
BEGIN;
INSERT INTO drawn SELECT 'n' || :a, idgen_next('n' || :a) FROM generate_series(1, 3);
INSERT INTO drawn SELECT 'n' || :b, idgen_next('n' || :b) FROM generate_series(1, 7);
SELECT nextval('issued');
COMMIT;
};
$node->pgbench(
	'-n -c 8 -j 2 -t 60', 0,
	[qr{processed: 480/480}], [qr/^$/],
	'many sessions draw from many id sequences',
	{ 'commit@3' => $draw, 'rollback@1' => $draw =~ s/COMMIT/ROLLBACK/r });
my $issued = 10 * $node->safe_psql('postgres', 'SELECT last_value FROM issued');
wait_until(sub { return unaccounted($node, $issued) == 0 }, 'the account of all ids');

# None was left behind busy: those drawn last have slots.
foreach my $name (map { "n$_" } 1 .. 12)
{
	$node->safe_psql('postgres', "SELECT idgen_next('$name')");
	is($node->safe_psql('postgres', "SELECT count(*) FROM idgen_stats WHERE name = '$name'"), '1', "$name is cached")
	  if $name =~ /[05]$/;
}

$node->stop;
done_testing();

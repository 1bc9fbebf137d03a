# A commit that has allocated is stopped where nobody else could: before it is
# on disk, nothing of the block is issued to others. When others see it, they
# get at the row before the rest of the block is in the cache. Then sessions
# that need a block wait for the rest, so that their ids ascend; a change of the
# row that comes in between makes the rest void; no watermark passes over it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = plain_server('commit', conf => q{
deadlock_timeout = '100s'
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100s'
});
my $library = build_library('stop_at_commit', '-isystem', $node->config_data('--includedir-server'));
plan skip_all => 'there is no compiler' unless defined $library;
$node->append_conf('postgresql.conf', "shared_preload_libraries = '$library,idgen'");
$node->restart;
$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION idgen;
	SELECT idgen_create(name) FROM unnest('{plain,inner,changed,lost}'::text[]) name;
	SELECT idgen_create('watched', watermark => true);
	SELECT idgen_watermark('watched');
	SELECT idgen_create(name, refill => 'auto') FROM unnest('{first,auto}'::text[]) name});

# stop(when, process): from its next commit on. Answers what lets it go.
sub stop
{
	my ($when, $pid) = @_;
	my $file = $node->data_dir . "/$when.$pid";

	write_file($file, '');
	return sub { unlink($file) or die "$file: $!" };
}

# allocate(when, name, savepoint): a session whose COMMIT is stopped then, what
# lets it go, and its process.
sub allocate
{
	my ($when, $name, $savepoint) = @_;
	my $session = $node->background_psql('postgres');
	my $pid = $session->query_safe('SELECT pg_backend_pid()');
	my $go = stop($when, $pid);

	$session->query_safe($savepoint ? "BEGIN; SAVEPOINT s; SELECT idgen_next('$name'); RELEASE s" : "BEGIN; SELECT idgen_next('$name')");
	begin_statement($session, 'COMMIT');
	return ($session, $go);
}

sub wait_until_visible
{
	my ($name) = @_;
	wait_for_true($node, "SELECT next_block_start > 1 FROM id_sequences WHERE name = '$name'", 'a commit that others see');
	return;
}

# What was allocated in a savepoint, too: whoever waits for that alone would
# wait for nothing.
foreach my $name ('plain', 'inner')
{
	my ($session, $go) = allocate('after_commit', $name, $name eq 'inner');

	wait_until_visible($name);
	my $other = start_statement($node, "SELECT idgen_next('$name')");
	wait_for_waiters($node, 1, 'idgen_next');
	$go->();
	is($session->query(''), '', "$name: the commit goes on");
	is($other->query(''), '2', "$name: the next id is of the same block");
	is($node->safe_psql('postgres', "SELECT idgen_next('$name')"), '3', "$name: and the next one");
	$_->quit foreach ($session, $other);
}

my ($session, $go) = allocate('after_commit', 'watched');
wait_until_visible('watched');
is($node->safe_psql('postgres', q{SELECT idgen_watermark('watched')}), '0', 'watched: the block may still be drawn');
$go->();
is($session->query(''), '', 'watched: the commit goes on');
is($node->safe_psql('postgres', q{SELECT idgen_watermark('watched')}), '1', 'watched: the rest is in the cache');
$session->quit;

# A change of the row that is committed first
($session, $go) = allocate('after_commit', 'changed');
wait_until_visible('changed');
$node->safe_psql('postgres', q{UPDATE id_sequences SET next_block_start = 1 WHERE name = 'changed'});
$go->();
is($session->query(''), '', 'changed: the commit goes on');
is($node->safe_psql('postgres', q{
		SELECT count(*), count(DISTINCT id), min(id), max(id) FROM (
			SELECT idgen_next('changed') FROM generate_series(1, 39)) d (id)}),
	'39|39|1|39', 'changed: ids from where the row says, each once');
is($node->safe_psql('postgres', q{SELECT ids_lost_changed FROM idgen_stats WHERE name = 'changed'}), '19', 'changed: the rest is a gap');
$session->quit;

# The worker, and a session that has locked the row, and so refills itself
is($node->safe_psql('postgres', q{SELECT idgen_next('first')}), '1', 'there is a worker');
$go = stop('after_commit', worker_pid($node, 'postgres'));
my $waiter = start_statement($node, q{SELECT idgen_next('auto')});
wait_until_visible('auto');
my $holder = start_statement($node, q{SELECT idgen_next('auto') FROM generate_series(1, 3)},
	q{BEGIN; SELECT FROM id_sequences WHERE name = 'auto' FOR UPDATE});
wait_for_waiters($node, 1, 'idgen_next.*generate_series');

# Whoever waits for the worker does not turn to the other one, which waits, too.
sleep 1;
$go->();
like($waiter->query(''), qr/^[1-4]$/, 'auto: who waits for the worker gets an id of its block');
my @ids = split /\n/, $holder->query('');
is("@ids", join(' ', sort { $a <=> $b } @ids), 'auto: the ids of who has locked the row ascend');
cmp_ok($ids[-1], '<=', 4, 'auto: and are of that block');
$_->quit foreach ($waiter, $holder);

# A commit that a crash undoes
($session, $go) = allocate('before_commit', 'lost');
my $other = start_statement($node, q{SELECT idgen_next('lost')});
wait_for_waiters($node, 1, 'idgen_next');
kill_server($node);
$go->();
$node->start;
is($node->safe_psql('postgres', q{SELECT idgen_next('lost')}), '1', 'lost: nobody has had an id of the block');

$node->stop;
done_testing();

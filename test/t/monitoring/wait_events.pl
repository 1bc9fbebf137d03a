# A session that waits for one of the cache's locks shows which one: the locks
# have tranche names of their own.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('events', conf => 'idgen.max_sequences = 16');

# There are ids for as long as the test may take, and more names than slots.
$node->safe_psql('postgres', join(';', map { "CREATE SEQUENCE s$_ INCREMENT BY 1000000" } 0 .. 99));
$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('busy', block_size => 2000000000);
	SELECT idgen_next('busy');
	SELECT idgen_create('n' || i, source => 'sequence', source_name => 's' || i) FROM generate_series(0, 99) i});

# While one session does nothing but take and release a lock, stop its process
# until that happens with the lock held. Another session then waits for it.
# The query "begun" tells that the first one is at it; before, it might be
# stopped with a lock of the server's own. It may be so later, too, so no
# connection is made meanwhile, and pg_stat_activity is left alone: both need
# the server's table of locks.
sub wait_event
{
	my ($call, $begun, $waiter_sql) = @_;
	my $watcher = $node->background_psql('postgres');
	my $holder = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $holder->query_safe('SELECT pg_backend_pid()');
	my $event;

	$holder->query_until(qr/running/,
		"\\echo running\nSELECT count($call) FROM (SELECT generate_series(1, 2000000000) AS i) s;\n");
	$node->poll_query_until('postgres', $begun) or die 'nobody takes the lock';
	for my $try (1 .. 200)
	{
		my $waiter = $node->background_psql('postgres');
		my $waiter_pid = $waiter->query_safe('SELECT pg_backend_pid()');
		my $sql = $waiter_sql =~ s/TRY/$try/gr;

		kill('STOP', $pid);
		$waiter->query_until(qr/running/, "\\echo running\n$sql;\n");
		wait_until(
			sub {
				$event = $watcher->query_safe(
					qq{
					SELECT wait_event_type, wait_event FROM pg_stat_get_activity($waiter_pid)
					WHERE wait_event_type = 'LWLock' OR state = 'idle' AND query !~ 'pg_backend_pid'});
				return $event ne '';
			},
			'a session to wait or to be done');
		kill('CONT', $pid);
		$waiter->quit;
		last if $event =~ /\|Idgen/;
	}
	kill('INT', $pid);
	$holder->query('');
	$_->quit for $holder, $watcher;
	return $event;
}

is( wait_event(
		"idgen_next('busy')",
		"SELECT idgen_peek('busy') > 1000",
		"SELECT idgen_next('busy')"),
	'LWLock|IdgenSequence', 'waiting for an id sequence');
is( wait_event(
		"idgen_next('n' || i % 50)",
		'SELECT evictions > 1000 FROM idgen_cache_totals',
		"SELECT idgen_peek('n' || 50 + TRY % 50)"),
	'LWLock|IdgenCache', 'waiting for the cache');

$node->stop;
done_testing();

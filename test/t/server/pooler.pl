# A pooler in front of the centre executes each statement in whatever session it
# likes. So what a node sets in its session is set in one of many. Each commit
# of a refill is synchronous all the same, although the centre has
# synchronous_commit off; and the transaction isolation of the centre makes no
# refill fail.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use Pooler;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'pgbouncer is not here' unless Pooler::is_here();

my $sessions = 12;

# Nothing but commits writes or flushes the WAL.
my $centre = central_server('centre', conf => q{
synchronous_commit = off
default_transaction_isolation = 'serializable'
wal_writer_delay = 10s
checkpoint_timeout = 1h
autovacuum = off
});
$centre->safe_psql('postgres', q{ALTER ROLE CURRENT_USER SET client_connection_check_interval = '1s'});
my ($node) = idgen_nodes(1, centres => [$centre]);
my $at_centre = $centre->background_psql('postgres');

# Is the WAL up to the last commit on the centre's disk? The next record may
# begin behind the header of a page.
sub is_flushed
{
	return $at_centre->query_safe('SELECT pg_current_wal_insert_lsn() - pg_current_wal_flush_lsn() <= 40') eq 't';
}

# Have the pooler open that many sessions at the centre, which know nothing of
# idgen: as many transactions wait for a lock.
sub open_sessions
{
	my ($pooler) = @_;
	my $script = $centre->basedir . '/wait';

	$at_centre->query_safe('SELECT pg_advisory_lock(1)');
	append_to_file($script, "SELECT pg_advisory_xact_lock_shared(1);\n") unless -e $script;
	my $clients = IPC::Run::start(
		[ $centre->installed_command('pgbench'), '-n', '-c', $sessions, '-t', 1, '-f', $script, $pooler->connstr ],
		'>', \my $stdout, '2>', \my $stderr);
	wait_for_waiters($centre, $sessions, 'pg_advisory_xact_lock_shared');
	$at_centre->query_safe('SELECT pg_advisory_unlock(1)');
	$clients->finish or die "pgbench failed: $stderr";
	return;
}

foreach my $mode ('transaction', 'statement')
{
	# Each statement goes to the session that has been idle for longest, and
	# nothing else goes there.
	my $pooler = Pooler->new($centre, $mode, conf => "server_round_robin = 1\nserver_check_delay = 1000\n");
	my $host = $pooler->host;

	$node->safe_psql('postgres', "ALTER SERVER central OPTIONS (SET host '$host', SET port '6432')");
	$centre->safe_psql('postgres', "INSERT INTO id_sequences VALUES ('one_$mode', 1, 1), ('all_$mode', 1, 1)");
	create_remote("${_}_$mode", '', $node) foreach ('one', 'all');
	open_sessions($pooler);

	my $session = $node->background_psql('postgres');
	my @ids;
	my $flushed = 0;
	foreach my $round (1 .. 2 * $sessions)
	{
		push @ids, $session->query_safe("SELECT idgen_next('one_$mode')");
		$flushed++ if is_flushed();
	}
	is(join(' ', @ids), join(' ', 1 .. 2 * $sessions), "$mode: a session draws");
	is($flushed, 2 * $sessions, "$mode: each refill is on the centre's disk");
	is( $at_centre->query_safe(q{SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'WITH central AS%'}),
		$sessions, "$mode: all sessions of the pooler have refilled");

	$node->safe_psql('postgres', "CREATE TABLE drawn_$mode (id bigint PRIMARY KEY DEFAULT idgen_next('all_$mode'))");
	my $clients = start_pgbench($node, $mode, "INSERT INTO drawn_$mode DEFAULT VALUES;\n", '-c', 8, '-t', 50);
	ok($clients->{run}->finish, "$mode: many sessions draw at a time") or diag($clients->{stderr});
	is($node->safe_psql('postgres', "SELECT count(*) FROM drawn_$mode"), 400, "$mode: an id each");

	# A statement that is given up does not go on waiting at the centre.
	$at_centre->query_safe('BEGIN; SELECT FROM id_sequences FOR UPDATE');
	is( sqlstate($node, "SET statement_timeout = '1s'; SELECT idgen_next('one_$mode')"),
		'57014', "$mode: a refill is given up");
	ok( $centre->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'}),
		"$mode: nobody waits for the lock any more");
	$at_centre->query_safe('COMMIT');

	$session->quit;
	$pooler->stop;
}

# What shows that a commit is on disk shows as well that one is not. The WAL may
# be written just then.
my $unflushed = 0;
foreach my $round (1 .. 10)
{
	$centre->safe_psql('postgres', q{UPDATE id_sequences SET block_size = block_size + 1 WHERE name = 'one_statement'});
	$unflushed++ unless is_flushed();
}
cmp_ok($unflushed, '>', 0, 'other commits are not');

$at_centre->quit;
$_->stop foreach ($node, $centre);
done_testing();

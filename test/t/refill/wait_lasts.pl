# However long a session waits for another's refill: the server's log says so
# once, and statement_timeout counts.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('lasts', conf => "deadlock_timeout = '20ms'\nlog_lock_waits = on\n");
my $holder = $node->background_psql('postgres');

$node->safe_psql('postgres', "SELECT idgen_create('x')");
$holder->query_safe("BEGIN; SELECT idgen_next('x')");

# A session that begins to wait, and its process
sub start_waiting
{
	my ($settings) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query_safe("SET client_min_messages = error; $settings; SELECT pg_backend_pid()");

	begin_statement($session, "SELECT idgen_next('x')");
	$node->poll_query_until('postgres', "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = $pid")
	  or die 'does not wait';
	return ($session, $pid);
}

# How often the log says that the process waits
sub told
{
	my ($pid) = @_;
	my @told = slurp_file($node->logfile) =~ /process $pid still waiting/g;

	return scalar @told;
}

# End the wait of a session. It waits in rounds, each ended by a timeout of its
# own, and the server takes a cancel that comes in the same moment for that
# timeout. So this asks again.
sub cancel
{
	my ($session, $pid) = @_;

	wait_until(
		sub {
			kill('INT', $pid);
			return $node->safe_psql('postgres', "SELECT state = 'idle' FROM pg_stat_activity WHERE pid = $pid") eq 't';
		},
		'the end of the wait');
	$session->query('');
	$session->quit;
	return;
}

# While the first session waits, the log tells of ten others, one after the
# other, so it would tell of the first one again.
my ($session, $first) = start_waiting('');
wait_until(sub { return told($first) }, 'the log');
for (1 .. 10)
{
	my ($other, $pid) = start_waiting('');

	wait_until(sub { return told($pid) }, 'the log');
	cancel($other, $pid);
}
is(told($first), 1, 'the log says once that it waits');
cancel($session, $first);

# A process that does not get to run until both deadlock_timeout and
# statement_timeout are over
($session, my $pid) = start_waiting(q{SET deadlock_timeout = '300ms'; SET statement_timeout = '3s'});
kill('STOP', $pid) or die;
$node->poll_query_until('postgres', "SELECT clock_timestamp() > query_start + interval '3.1 s' FROM pg_stat_activity WHERE pid = $pid")
  or die 'it is gone';
kill('CONT', $pid) or die;
$node->poll_query_until('postgres', "SELECT state = 'idle' FROM pg_stat_activity WHERE pid = $pid") or die 'it goes on';
$holder->query_safe('COMMIT');
$session->query('SELECT 1');
like($session->{stderr}, qr/canceling statement due to statement timeout/, 'statement_timeout counts all the same');
$session->quit;

$holder->quit;
$node->stop;
done_testing();

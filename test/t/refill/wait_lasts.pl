# A session that waits long for another's refill looks again now and then. That
# shows neither in the server's log, nor in what statement_timeout does.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes 'sleep';

my $node = idgen_server('lasts', conf => "deadlock_timeout = '200ms'\nlog_lock_waits = on\n");
my $holder = $node->background_psql('postgres');

$node->safe_psql('postgres', "SELECT idgen_create('x')");
$holder->query_safe("BEGIN; SELECT idgen_next('x')");

# A session that begins to wait, and its process
sub start_waiting
{
	my ($settings) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);
	my $pid = $session->query_safe("SET client_min_messages = error; $settings; SELECT pg_backend_pid()");

	$session->query_until(qr/running/, "\\echo running\nSELECT idgen_next('x');\n");
	$node->poll_query_until('postgres', "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = $pid")
	  or die 'does not wait';
	return ($session, $pid);
}

# Several times
my ($session, $pid) = start_waiting('');
sleep(2);
kill('INT', $pid);
$session->query('SELECT 1');
my @logged = slurp_file($node->logfile) =~ /process $pid still waiting/g;
is(scalar @logged, 1, 'the log says once that it waits');
$session->quit;

# A process that did not get to run when both the wait and statement_timeout
# were over
($session, $pid) = start_waiting(q{SET deadlock_timeout = '2s'; SET statement_timeout = '3s'});
kill('STOP', $pid);
sleep(4);
kill('CONT', $pid);
$node->poll_query_until('postgres', "SELECT state = 'idle' FROM pg_stat_activity WHERE pid = $pid");
$holder->query_safe('COMMIT');
$session->query('SELECT 1');
like($session->{stderr}, qr/canceling statement due to statement timeout/, 'statement_timeout counts all the same');
$session->quit;

$holder->quit;
$node->stop;
done_testing();

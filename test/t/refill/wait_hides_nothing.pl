# What the server tells a session that waits for another's refill is not lost:
# DROP DATABASE, which all sessions have to take note of, comes to its end.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('hides', conf => "deadlock_timeout = '100ms'\n");
my $holder = $node->background_psql('postgres');

$node->safe_psql('postgres', "SELECT idgen_create('x')");
$node->safe_psql('postgres', 'CREATE DATABASE dropped');
$holder->query_safe("BEGIN; SELECT idgen_next('x')");
my $waiting = $node->background_psql('postgres');
my $pid = $waiting->query_safe('SELECT pg_backend_pid()');
begin_statement($waiting, "SELECT idgen_next('x')");
$node->poll_query_until('postgres', "SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = $pid")
  or die 'does not wait';

# The process does not get to run until it has been told, and deadlock_timeout
# is over
kill('STOP', $pid);
my $dropping = start_statement($node, 'DROP DATABASE dropped');
$node->poll_query_until('postgres', q{SELECT wait_event = 'ProcSignalBarrier' FROM pg_stat_activity WHERE query ~ '^DROP'})
  or die 'does not tell others';
$node->poll_query_until('postgres', "SELECT clock_timestamp() > query_start + interval '300 ms' FROM pg_stat_activity WHERE pid = $pid");
kill('CONT', $pid);
$holder->query_safe('COMMIT');
is($waiting->query_safe(''), '2', 'the session gets its id');
ok( $node->poll_query_until('postgres', q{SELECT NOT EXISTS (SELECT FROM pg_database WHERE datname = 'dropped')}),
	'and has taken note');
$_->quit for ($holder, $waiting, $dropping);
$node->stop;
done_testing();

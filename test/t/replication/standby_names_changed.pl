# Whether a refill has waited for a synchronous standby is a matter of what the
# server asks for at that time, not of the setting that the session has seen
# last.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('names', init => [ allows_streaming => 1 ]);

$node->safe_psql('postgres', q{SELECT idgen_create('own'); CREATE SEQUENCE native_seq INCREMENT BY 20});

sub set_names
{
	my ($names) = @_;

	$node->safe_psql('postgres', "ALTER SYSTEM SET synchronous_standby_names = '$names'");
	$node->reload;
	return;
}

# The pid of a session that has said that name, and waits for a standby
sub waiting_pid
{
	my ($name) = @_;
	my $query = qq{SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = '$name'};

	$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM ($query) s") or die 'nobody waits';
	return $node->safe_psql('postgres', $query);
}

# A session does not look at its settings while a command runs, so this one
# still takes it that there is nobody to wait for.
my $holder = $node->background_psql('postgres');
$holder->query_safe('SELECT pg_advisory_lock(1)');
my $session = start_statement($node,
	q{DO $$BEGIN PERFORM pg_advisory_lock(1); PERFORM idgen_next('own'); COMMIT; END$$},
	q{SET application_name = 'draws'; SET client_min_messages = error});
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted});
set_names('nobody');
my $other = start_statement($node, q{CREATE TABLE t ()},
	q{SET application_name = 'writes'; SET client_min_messages = error});
$node->safe_psql('postgres', sprintf 'SELECT pg_terminate_backend(%d)', waiting_pid('writes'));
$holder->query_safe('SELECT pg_advisory_unlock(1)');
$node->safe_psql('postgres', sprintf 'SELECT pg_cancel_backend(%d)', waiting_pid('draws'));
$session->query('');
is($node->safe_psql('postgres', q{SELECT ids_lost_prepared, ids_cached FROM idgen_stats WHERE name = 'own'}),
	'19|0', 'names set while a command runs: what the standby does not have is not cached');

# Looking after the client is an interrupt, but nobody has cancelled anything.
$node->safe_psql('postgres', 'SET synchronous_commit = local; CHECKPOINT');
my $waits = start_statement($node, q{SELECT idgen_next('native', 'sequence')},
	q{SET application_name = 'waits'; SET client_connection_check_interval = '10ms'});
waiting_pid('waits');
set_names('');
is($waits->query(''), '1', 'no names any more: a refill that waited has its ids');
is($node->safe_psql('postgres', q{SELECT ids_cached FROM idgen_stats WHERE name = 'native'}), '19', '... and the rest is cached');

$_->quit foreach ($holder, $waits);
$session->{run}->finish if $session->{stderr} =~ /terminat/;
$_->{run}->kill_kill foreach ($session, $other);
$node->stop;
done_testing();

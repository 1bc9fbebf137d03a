# A session that is ended while its refill waits for a lock at the central
# server does not leave that waiting: the process there ends soon, and allocates
# nothing, however long the lock is held.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre]);
my @ways = ('cancelled', 'terminated', 'statement_timeout', 'idgen.server_timeout', 'crashed');

$centre->safe_psql('postgres', qq{INSERT INTO id_sequences VALUES ('$_', 1, 1)}) foreach @ways;
create_remote($_, '', $node) foreach @ways;

my $holder = $centre->background_psql('postgres');
$holder->query_safe('BEGIN; SELECT FROM id_sequences FOR UPDATE');

# A session that draws from the id sequence named so
sub start_waiting
{
	my ($way, @before) = @_;
	return start_statement($node, "SELECT idgen_next('$way')", '\set VERBOSITY sqlstate', @before);
}

# Waits until that number of processes of the central server wait, for nodes
# that do or do not.
sub waiting_at_centre
{
	my ($number) = @_;
	return $centre->poll_query_until('postgres', qq{
		SELECT count(*) = $number FROM pg_stat_activity
		WHERE application_name = 'idgen' AND wait_event_type = 'Lock'});
}

sub signal_session
{
	my ($way, $function) = @_;
	$node->safe_psql('postgres', "SELECT $function(pid) FROM pg_stat_activity WHERE query ~ '^SELECT idgen_next.*$way'");
	return;
}

my %session = map { $_ => start_waiting($_) } ('cancelled', 'terminated');
$session{$_} = start_waiting($_, "SET $_ = '2s'") foreach ('statement_timeout', 'idgen.server_timeout');
waiting_at_centre(4) or die 'the centre is not asked';
signal_session('cancelled', 'pg_cancel_backend');
is(answer($session{cancelled}, ''), '57014', 'cancelled');
signal_session('terminated', 'pg_terminate_backend');
$session{terminated}->{run}->finish;
like($session{terminated}->{stderr}, qr/57P01/, 'terminated');
is(answer($session{'statement_timeout'}, ''), '57014', 'statement_timeout');
is(answer($session{'idgen.server_timeout'}, ''), '08006', 'idgen.server_timeout');
ok(waiting_at_centre(0), 'nobody waits any more at the server');
$session{$_}->quit foreach ('cancelled', 'statement_timeout', 'idgen.server_timeout');

# The whole node is gone.
$session{crashed} = start_waiting('crashed');
waiting_at_centre(1) or die 'the centre is not asked';
kill_server($node);
ok(waiting_at_centre(0), 'nor after a crash of the node');

$holder->query_safe('COMMIT');
$node->start;
foreach my $way (@ways)
{
	is($node->safe_psql('postgres', "SELECT idgen_next('$way')"), '1', "$way: nothing was allocated");
}
$holder->quit;
$session{crashed}->{run}->finish;

$node->stop;
$centre->stop;
done_testing();

# Sessions that wait for the same refill share its failure if nobody can reach
# the centre, be it a session's or the worker's. A call waits for the worker for
# idgen.server_timeout and a second at most, and for another session until
# lock_timeout.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Proxy;
use Test::More;

my $centre = central_server('centre');
my $proxy = Proxy->new($centre);

# Whoever relies on these has to wait for longer than the test may last.
my ($node) = idgen_nodes(1, centres => [$proxy], conf => q{
deadlock_timeout = '1000s'
idgen.worker_timeout = '1000s'
idgen.server_timeout = '1000s'
});

$centre->safe_psql('postgres', q{
	INSERT INTO id_sequences VALUES ('x', 1, 1), ('y', 1, 1), ('w', 1, 1), ('a', 1, 1), ('late', 1, 1)});
create_remote($_, '', $node) for ('x', 'y');
create_remote($_, q{refill => 'worker'}, $node) for ('w', 'late');
create_remote('a', q{refill => 'auto'}, $node);

# Statements that last longer than this are cancelled: 57014.
my $limit = q{SET statement_timeout = '60s'};

# A session that has that much time for an answer
sub connected
{
	my ($timeout) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	$session->query_safe($_) foreach ('\set VERBOSITY sqlstate', $limit, "SET idgen.server_timeout = '$timeout'");
	return $session;
}

# Has it draw.
sub draw
{
	my ($name, $session) = @_;

	return begin_statement($session, "SELECT idgen_next('$name')");
}

sub start
{
	my ($name, $timeout, @before) = @_;
	my $session = connected($timeout);

	$session->query_safe($_) foreach @before;
	return draw($name, $session);
}

# One asks in vain, the others wait for it.
my @sessions = map { connected('3s') } 0 .. 20;
$proxy->hold;
draw('x', $sessions[0]);
$proxy->wait_for_held(1);
draw('x', $_) foreach @sessions[ 1 .. 20 ];
wait_for_waiters($node, 20, '^SELECT idgen_next', 'Lock');
my $accepted = $proxy->accepted;
is(join(' ', map { answer($_, '') } @sessions), join(' ', ('08001') x 21), 'all of them fail');
is($proxy->accepted, $accepted, 'and no other one has asked');
$_->quit for @sessions;

# One that waits does not share a failure that came early.
@sessions = map { connected($_) } ('5s', '500s');
draw('x', $sessions[0]);
$proxy->wait_for_held(1);
draw('x', $sessions[1]);
wait_for_waiters($node, 1, '^SELECT idgen_next', 'Lock');
is(answer($sessions[0], ''), '08001', 'one with little time fails');
$proxy->wait_for_held(1);
$proxy->pass;
like(answer($sessions[1], ''), qr/^\d+$/, 'another one goes on');
$_->quit for @sessions;

# One that waits does not do so for ever, though the other one goes on.
$proxy->hold;
@sessions = start('x', '500s');
$proxy->wait_for_held(1);
my $second = start('x', '500ms', q{SET lock_timeout = '500ms'});
is(answer($second, ''), '55P03', 'waiting for another session');
my $third = start('w', '500ms');
is(answer($third, ''), '53000', 'waiting for the worker');
my $fourth = start('a', '500ms', q{SET idgen.worker_start_timeout = '1000s'});
like(answer($fourth, ''), qr/^0800[16]$/, 'waiting for the worker, then asking');
$proxy->pass;
like(answer($sessions[0], ''), qr/^\d+$/, 'the other one gets its id');
$_->quit for ($second, $third, $fourth, @sessions);

# Sessions that come while the worker tries in vain share its failure, too.
$node->append_conf('postgresql.conf', q{idgen.server_timeout = '3s'});
$node->reload;
$node->poll_query_until('postgres', 'SHOW idgen.server_timeout', '3s') or die 'not reloaded';
$node->poll_query_until('postgres', q{SELECT idgen_next('w') IS NOT NULL}) or die 'the worker does not get on';
$node->safe_psql('postgres', 'SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE backend_type = $$idgen worker$$');
$proxy->wait_for_connected(0);
@sessions = map { connected('500s') } 1 .. 6;
$proxy->hold;
draw('late', $_) foreach @sessions[ 0 .. 2 ];
$proxy->wait_for_held(1);
draw('late', $_) foreach @sessions[ 3 .. 5 ];
wait_for_waiters($node, 6, '^SELECT idgen_next', 'Extension');
$accepted = $proxy->accepted;
my @answers = map { answer($_, '') } @sessions;
is(join(' ', @answers), join(' ', ('08001') x 6), 'worker: all of them fail');
is($proxy->accepted, $accepted, 'worker: of one attempt');
$_->quit for @sessions;

$proxy->pass;
$node->stop;
$centre->stop;
done_testing();

# A central server that does not answer any more holds nobody up longer than
# idgen.server_timeout, connect_timeout or statement_timeout say, or until
# somebody cancels the wait. Nothing of it is left behind.
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
my ($node) = idgen_nodes(1, centres => [$proxy], conf => q{
deadlock_timeout = '100s'
});
my $draw = q{SELECT idgen_next('x')};

$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 1)});
create_remote('x', '', $node);
$node->safe_psql('postgres', $draw);

# A session that asks the silent server, on a new connection or one that it has
# used before.
sub start_asking
{
	my ($kept, @before) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	$proxy->wait_for_connected(0);
	$session->query_safe('\set VERBOSITY sqlstate');
	$session->query_safe($draw) if $kept;
	$proxy->hold;
	$session->query_safe($_) for @before;
	begin_statement($session, $draw);
	return $session;
}

# One that will wait until something is done about it
sub start_waiting
{
	my ($kept) = @_;
	my $session = start_asking($kept);

	$proxy->wait_for_held(1);
	return $session;
}

sub signal_backend
{
	my ($function) = @_;
	$node->safe_psql('postgres', qq{
		SELECT $function(pid) FROM pg_stat_activity
		WHERE query ~ 'idgen_next' AND state = 'active' AND pid <> pg_backend_pid()});
	return;
}

# It has ended, and the session goes on when the server does.
sub answers
{
	my ($session, $state, $name) = @_;

	is(answer($session, ''), $state, "$name ends the wait");
	$proxy->wait_for_connected(0);
	$proxy->pass;
	$session->query_safe('RESET ALL');
	like($session->query_safe($draw), qr/^\d+$/, 'and it works again');
	$session->quit;
	return;
}

for my $kept (0, 1)
{
	my $when = $kept ? 'with a connection' : 'while connecting';

	answers(start_asking($kept, q{SET idgen.server_timeout = '200ms'}),
		$kept ? '08006' : '08001', "$when: idgen.server_timeout");
	answers(start_asking($kept, q{SET statement_timeout = '200ms'}), '57014', "$when: statement_timeout");

	my $session = start_waiting($kept);
	is($node->safe_psql('postgres', q{SELECT wait_event_type FROM pg_stat_activity WHERE query ~ '^SELECT idgen_next'}),
		'Extension', "$when: it is seen to wait");
	signal_backend('pg_cancel_backend');
	answers($session, '57014', "$when: pg_cancel_backend()");

	$session = start_waiting($kept);
	signal_backend('pg_terminate_backend');
	$session->{run}->finish;
	like($session->{stderr}, qr/FATAL:  57P01/, "$when: pg_terminate_backend() ends the session");
	$proxy->wait_for_connected(0);
	$proxy->pass;
}

# What it says
my $session = start_asking(1, '\set VERBOSITY verbose', q{SET idgen.server_timeout = '200ms'});
$session->query('');
like($session->{stderr}, qr/ERROR:  08006: server "central" did not answer in time/, 'the server is named');
like($session->{stderr}, qr/while refilling id sequence "x"/, 'so is the id sequence');
$session->quit;
$proxy->pass;

# connect_timeout, in seconds
$node->safe_psql('postgres', q{ALTER SERVER central OPTIONS (ADD connect_timeout '1')});
my $accepted = $proxy->accepted;
answers(start_asking(0, q{SET idgen.server_timeout = '3s'}), '08001', 'connect_timeout, then idgen.server_timeout');
cmp_ok($proxy->accepted - $accepted, '>=', 2, 'the host was tried again after connect_timeout');
$node->safe_psql('postgres', q{ALTER SERVER central OPTIONS (DROP connect_timeout)});

# Several sessions want the same id sequence: whichever is ended, the rest goes
# on.
my @sessions = start_waiting(1);
push @sessions, start_statement($node, $draw) for 1 .. 3;
wait_for_waiters($node, 3, 'SELECT idgen_next', 'Lock');
is(sqlstate($node, "SET statement_timeout = '50ms'; $draw"), '57014', 'one of those who wait is ended');
$node->safe_psql('postgres', q{
	SELECT pg_cancel_backend(pid) FROM pg_stat_activity
	WHERE query ~ '^SELECT idgen_next' ORDER BY backend_start LIMIT 1});
is(answer($sessions[0], ''), '57014', 'the one who asks the server is ended');
$proxy->pass;
my @ids = map { $_->query_safe('') } @sessions[ 1 .. 3 ];
is(scalar(grep { /^\d+$/ } @ids), 3, 'the others have an id each');
is(duplicates(@ids), '', 'of their own');
$_->quit for @sessions;

# The server does not come back: they all get to know it. The first one has a
# connection, and begins to ask before the others come.
@sessions = start_asking(1, q{SET idgen.server_timeout = '3s'});
$proxy->wait_for_held(1);
for (1 .. 3)
{
	push @sessions, start_statement($node, $draw, '\set VERBOSITY sqlstate', q{SET idgen.server_timeout = '200ms'});
}
is(join(' ', map { answer($_, '') } @sessions), '08006 08001 08001 08001', 'all of them have an error');
$proxy->wait_for_connected(0);
$proxy->pass;
$_->query_safe('RESET ALL') for @sessions;
is(join(' ', grep { !/^\d+$/ } map { $_->query_safe($draw) } @sessions), '', 'and ids later');
$_->quit for @sessions;

# One process of the central server does nothing more, others do.
$session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe($_) for ('\set VERBOSITY sqlstate', $draw, q{SET idgen.server_timeout = '200ms'});
my $pid = $centre->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE application_name = 'idgen'});
kill('STOP', $pid);
is(answer($session, $draw), '08006', 'a process that is stopped');
like($node->safe_psql('postgres', $draw), qr/^\d+$/, 'another session has another one');
$session->query_safe('RESET ALL');
like($session->query_safe($draw), qr/^\d+$/, 'so has this one from now on');
kill('CONT', $pid);
$session->quit;

# The first one of two hosts takes connections and does not answer. The second
# one has what is left of the time.
$node->safe_psql('postgres', sprintf(q{ALTER SERVER central OPTIONS (SET host '%s,%s', SET port '%s,%s')},
		$proxy->host, $centre->host, $proxy->port, $centre->port));
$proxy->hold;
like($node->safe_psql('postgres', "SET idgen.server_timeout = '3s'; $draw"), qr/^\d+$/, 'the second host is reached');
$proxy->wait_for_connected(0);

$node->stop;
$centre->stop;
done_testing();

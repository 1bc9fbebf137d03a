# A central server that does not let itself be written to says so. Of several
# hosts, the one is taken that does.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = central_server('primary', init => [ allows_streaming => 1 ]);
$primary->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 1), ('w', 1, 1)});
my $standby = start_standby($primary, 'standby');
$primary->wait_for_catchup($standby);

my ($node) = idgen_nodes(1, centres => [$standby]);
create_remote('x', '', $node);
create_remote('w', q{refill => 'worker'}, $node);

my ($x, $w) = map { "SELECT idgen_next('$_')" } ('x', 'w');

# It is tried again for that time. The worker takes it from the configuration.
sub set_timeout
{
	my ($timeout) = @_;

	$node->append_conf('postgresql.conf', "idgen.server_timeout = '$timeout'");
	$node->reload;
	$node->poll_query_until('postgres', 'SHOW idgen.server_timeout', $timeout) or die 'not reloaded';
	return;
}

# Waits for that SQLSTATE: on a busy machine, a host may also take longer than
# the time is, which is another error.
sub is_refused
{
	my ($sqlstate, $what) = @_;

	wait_until(sub { $sqlstate->() eq '08001' }, $what);
	return pass($what);
}

set_timeout('300ms');
my $options = server_options($standby, $primary) =~ s/, dbname.*//r =~ s/(host|port)/SET $1/gr;

is_refused(sub { sqlstate($node, $x) }, 'a standby');
is_refused(sub { sqlstate($node, $w) }, 'the same for the worker');
wait_until(
	sub {
		($node->psql('postgres', $x))[2] =~
		  qr/could not connect to server "central"\nDETAIL:  cannot execute .* in a read-only transaction\nCONTEXT:  while refilling id sequence "x"/;
	},
	'what is wrong');
pass('says what is wrong');
set_timeout('100s');

# Of several, the primary
$node->safe_psql('postgres', "ALTER SERVER central OPTIONS ($options)");
is($node->safe_psql('postgres', $x), '1', 'the second host');
is($node->safe_psql('postgres', $w), '1', 'the same for the worker');
$node->safe_psql('postgres', q{ALTER SERVER central OPTIONS (ADD target_session_attrs 'any')});
is($node->safe_psql('postgres', $x), '2', 'also if libpq is told that any host will do');
$node->safe_psql('postgres', q{ALTER SERVER central OPTIONS (DROP target_session_attrs)});

# Writing is off by default.
$primary->safe_psql('postgres', 'ALTER DATABASE postgres SET default_transaction_read_only = on');
$node->safe_psql('postgres', sprintf(q{ALTER SERVER central OPTIONS (SET host '%s', SET port '%s')}, $primary->host, $primary->port));
set_timeout('300ms');
is_refused(sub { sqlstate($node, $x) }, 'transactions are read-only');
$primary->safe_psql('postgres', 'ALTER DATABASE postgres RESET default_transaction_read_only',
	connstr => $primary->connstr('template1'));

# In a session that is connected already
set_timeout('100s');
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe($_) for ('\set VERBOSITY sqlstate', $x);
$primary->append_conf('postgresql.conf', 'default_transaction_read_only = on');
$primary->reload;
$primary->poll_query_until('template1', 'SHOW default_transaction_read_only', 'on') or die 'not reloaded';
ok($node->poll_query_until('postgres', 'SELECT true'), 'the session is idle');
$session->query_safe(q{SET idgen.server_timeout = '300ms'});
is_refused(sub { answer($session, $x) }, 'from now on');
$primary->append_conf('postgresql.conf', 'default_transaction_read_only = off');
$primary->reload;
$primary->poll_query_until('postgres', 'SHOW default_transaction_read_only', 'off') or die 'not reloaded';
$session->query_safe('RESET idgen.server_timeout');
like($session->query_safe($x), qr/^\d+$/, 'and not any more');
$session->quit;

# The primary ends, the standby takes over.
$node->safe_psql('postgres', "ALTER SERVER central OPTIONS ($options)");
$session = $node->background_psql('postgres', on_error_stop => 0);
my $before = $session->query_safe($x);
$primary->wait_for_catchup($standby);
$primary->stop;
is_refused(sub { sqlstate($node, "SET idgen.server_timeout = '300ms'; $x") }, 'no host can be written to');
$standby->promote;
my $after = $session->query_safe($x);
cmp_ok($after, '>', $before, 'a host that is promoted');
cmp_ok($node->safe_psql('postgres', $w), '>', 1, 'the same for the worker');

# A session that is connected to a host which cannot be written to any more goes
# to the other one. (That has its own opinion of what is next, since it does not
# follow any more.)
$primary->start;
$standby->append_conf('postgresql.conf', 'default_transaction_read_only = on');
$standby->reload;
$standby->poll_query_until('postgres', 'SHOW default_transaction_read_only', 'on') or die 'not reloaded';
$session->query_safe('\set VERBOSITY sqlstate');
is(answer($session, $x), '55000', 'the other host, which is behind');
is($session->query_safe(q{SELECT idgen_accept_centre('central')}), '2', 'if that is what one wants');
is($session->query_safe($x), $before + 1, 'it gives ids');
$session->quit;

$_->stop for ($node, $standby, $primary);
done_testing();

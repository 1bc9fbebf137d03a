# What libpq refuses among the options of a server, it says when the time is
# over. What idgen refuses fails at once.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my $port = $centre->port;

$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 1)});
my ($node) = idgen_nodes(1, centres => [$centre], conf => q{
idgen.worker_timeout = '100s'
idgen.server_timeout = '500ms'
});
create_remote('x', q{refill => 'transaction'}, $node);
create_remote('w', q{refill => 'worker'}, $node);

# A session and the worker fail for that reason.
sub is_refused
{
	my ($change, $undo, $state, $message) = @_;

	$node->safe_psql('postgres', "ALTER SERVER central OPTIONS ($change)");
	foreach my $name ('x', 'w')
	{
		my ($ret, $stdout, $stderr) = $node->psql(
			'postgres', qq{SET statement_timeout = '10s'; SELECT idgen_next('$name')},
			extra_params => [ '-v', 'VERBOSITY=verbose' ]);

		like($stderr, qr/ERROR:  $state: .*\Q$message\E/s, "$change: $name");
	}
	$node->safe_psql('postgres', "ALTER SERVER central OPTIONS ($undo)");
	return;
}

is_refused(q{ADD sslmode 'bogus'}, 'DROP sslmode', '08001', 'DETAIL:  invalid sslmode value: "bogus"');
is_refused(q{ADD channel_binding 'bogus'}, 'DROP channel_binding', '08001', 'invalid channel_binding value: "bogus"');
is_refused(q{ADD target_session_attrs 'bogus'}, 'DROP target_session_attrs', '08001', 'invalid target_session_attrs value: "bogus"');
is_refused(q{ADD service 'bogus'}, 'DROP service', '08001', 'definition of service "bogus" not found');
is_refused(qq{SET port '$port,$port'}, "SET port '$port'", '08001', 'could not match 2 port numbers to 1 hosts');
is_refused(q{ADD hostaddr '127.0.0.1,127.0.0.1'}, 'DROP hostaddr', '22023', 'hostaddr does not match host');
is_refused(q{ADD connect_timeout '9999999999'}, 'DROP connect_timeout', '22003', 'value "9999999999" is out of range for type integer');
is_refused("SET port '$_'", "SET port '$port'", '08001', qq{"$_"}) foreach ('0', '65536', '5432x');

$node->safe_psql('postgres', "ALTER SERVER central OPTIONS (SET port ' $port ')");
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '1', 'what libpq accepts will do');

# A centre that is not there yet is another matter.
$centre->stop;
my $session = start_statement($node, q{SELECT idgen_next('x')}, q{SET idgen.server_timeout = '100s'});
wait_for_waiters($node, 1, '^SELECT idgen_next', 'Extension');
$centre->start;
is($session->query_safe(''), '2', 'a centre that comes up is waited for');
$session->quit;

$node->stop;
$centre->stop;
done_testing();

# Of several hosts, one that lets nodes in and then does not get as far as to take a statement
# is as good as none: the next one is used.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;

use FakeCentre;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my %fakes = (
	'is silent' => FakeCentre->new(settings => ''),
	'ends the connection' => FakeCentre->new(settings => undef),
	'is out of memory' => FakeCentre->new(settings => error_message(S => 'ERROR', V => 'ERROR', C => '53200', M => 'no memory') . ready()));
my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre], conf => q{
idgen.server_timeout = '4s'
idgen.worker_timeout = '100s'
});

$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 1), ('w', 1, 1)});
create_remote('x', '', $node);
create_remote('w', q{refill => 'worker'}, $node);

# Whether one can write there is not to be the reason.
$node->safe_psql('postgres', q{ALTER SERVER central OPTIONS (ADD target_session_attrs 'any')});

for my $what (sort keys %fakes)
{
	my ($host, $port) = server_options($fakes{$what}, $centre) =~ /host '(.*?)', port '(.*?)'/;

	$node->safe_psql('postgres', "ALTER SERVER central OPTIONS (SET host '$host', SET port '$port')");

	my $session = start_statement($node, q{SELECT idgen_next('w')});
	like($node->safe_psql('postgres', q{SELECT idgen_next('x')}), qr/^\d+$/, "one $what: session");
	like($session->query_safe(''), qr/^\d+$/, 'worker');
	$session->quit;
}

$node->stop;
$centre->stop;
done_testing();

# Of several hosts, one that lets nodes in and then does not get as far as to
# take a statement is as good as none: the next one is used.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

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
my $sequences = 0;
my ($node) = idgen_nodes(1, centres => [$centre], conf => q{
idgen.server_timeout = '3s'
idgen.worker_timeout = '100s'
});

# The node does not ask whether it can write there: that would be another
# reason.
$node->safe_psql('postgres', q{ALTER SERVER central OPTIONS (ADD target_session_attrs 'any')});

for my $what (sort keys %fakes)
{
	my ($host, $port) = server_options($fakes{$what}, $centre) =~ /host '(.*?)', port '(.*?)'/;

	$node->safe_psql('postgres', "ALTER SERVER central OPTIONS (SET host '$host', SET port '$port')");
	for my $refill ('transaction', 'worker')
	{
		# One of its own, of which nothing can be cached
		my $name = $refill . ++$sequences;

		$centre->safe_psql('postgres', "INSERT INTO id_sequences VALUES ('$name', 1, 20)");
		create_remote($name, "refill => '$refill'", $node);
		is($node->safe_psql('postgres', "SELECT idgen_next('$name')"), '1', "one $what: $refill");
	}
}

$node->stop;
$centre->stop;
done_testing();

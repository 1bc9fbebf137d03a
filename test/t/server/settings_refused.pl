# A central server that does not know what a new session there is told, or not
# in those words, is as good as another, and is not told that in any statement;
# one that fails at it is not, nor is one that knows it and does not permit it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use FakeCentre;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($node) = idgen_nodes(1, centres => [ FakeCentre->new() ], conf => q{idgen.worker_timeout = '100s'});

# What the settings are answered with, and what comes of the draw
foreach my $case ([ '42P01', '' ], [ '42601', '' ], [ '22023', '' ], [ '0A000', '' ], [ '42501', '08001' ], [ '57014', '08001' ], [ 'XX000', '08001' ])
{
	my ($answer, $expected) = @{$case};
	my $centre = FakeCentre->new(
		settings => error_message(S => 'ERROR', V => 'ERROR', C => $answer, M => 'no settings') . ready(),
		unknown => qr/set_config|current_setting/);
	my $host = $centre->host;

	$node->safe_psql('postgres', "ALTER SERVER central OPTIONS (SET host '$host')");
	create_remote("s$answer", '', $node);
	create_remote("w$answer", q{refill => 'worker'}, $node);
	foreach my $name ("s$answer", "w$answer")
	{
		my ($ret, $stdout, $stderr) = $node->psql('postgres', "SELECT idgen_next('$name')", extra_params => [ '-v', 'VERBOSITY=verbose' ]);

		is($stdout, $expected eq '' ? '1' : '', "$name: id");
		like($stderr, $expected eq '' ? qr/^$/ : qr/ERROR:  $expected: .*\nDETAIL:  no settings/, "$name: error");
	}
}

$node->stop;
done_testing();

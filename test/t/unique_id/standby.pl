# A standby draws time-ordered ids while it is one, and goes on after its
# promotion. With a number of its own, it draws none that the primary does.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = idgen_server('primary', init => [ allows_streaming => 1 ], conf => 'idgen.node_id = 1');
# Clients pause, so that they do not come to an end before the promotion.
my $statement = "SELECT idgen_unique_id() FROM generate_series(1, 10);\n\\! sleep 0.002\n";

my $before = $primary->safe_psql('postgres', 'SELECT idgen_unique_id()');
my $standby = start_standby($primary, 'standby', conf => 'idgen.node_id = 2');

is($standby->safe_psql('postgres', 'SELECT pg_is_in_recovery()'), 't', 'this is a standby');
my @on_primary = start_clients($primary, 1, $statement);
my @on_standby = start_clients($standby, 2, $statement);
wait_for_lines(200, @on_primary, @on_standby);
my @told = slurp_file($standby->logfile) =~ /time-ordered ids are drawn on a standby, with node number (\d+)/g;
is("@told", '2', 'the server log says once that a standby draws');
unlike(slurp_file($primary->logfile), qr/drawn on a standby/, 'nothing of the primary');
terminate_clients($primary, @on_primary);
$primary->stop('immediate');

# Its sessions go on through the promotion.
$standby->promote;
wait_for_lines((sort { $b <=> $a } map { slurp_file($_->{out}) =~ tr/\n// } @on_standby)[0] + 100, @on_standby);
terminate_clients($standby, @on_standby);

my @all;
foreach my $client (@on_primary, @on_standby)
{
	my @ids = grep { /^\d+$/ } split /\n/, slurp_file($client->{out});

	is(scalar(grep { $ids[$_] <= ($_ == 0 ? $before : $ids[ $_ - 1 ]) } 0 .. $#ids), 0, 'ids of a client ascend');
	is(scalar(grep { (($_ >> 12) & 1023) != ($client == $on_primary[0] ? 1 : 2) } @ids), 0, 'their node is the server');
	push @all, @ids;
}
is(duplicates(@all), '', 'no id was issued twice');

# Restarted as a standby is, after a crash, too
$standby->stop('immediate');
$standby->start;
my ($max) = sort { $b <=> $a } @all;
cmp_ok($standby->safe_psql('postgres', 'SELECT idgen_unique_id()'), '>', $max, 'crash: later than before');

$standby->stop;
done_testing();

# While sessions draw time-ordered ids, the clock steps back, by three seconds
# and by an hour. Each session sees its ids ascend, and no two see the same one.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'libfaketime is not here' unless fake_clock_library();

my $node = idgen_server('steps');
$node->stop;
start_with_clock($node, '+3600');

# They pause, so that they do not come to an end while they are refused. The
# server's pg_sleep() would wait for the clock.
my @clients = start_clients($node, 4, "SELECT idgen_unique_id() FROM generate_series(1, 10);\n\\! sleep 0.002\n", on_error_stop => 0);

# Let every client draw some more.
sub more
{
	my ($most) = sort { $b <=> $a } map { slurp_file($_->{out}) =~ tr/\n// } @clients;

	wait_for_lines($most + 100, @clients);
	return;
}

wait_for_lines(100, @clients);
foreach my $step ('+3597', '+3600', '+3598', '+3595')
{
	set_clock($node, $step);
	more();
}

# An hour back: wait until every client has been refused, then go on.
set_clock($node, '+0');
foreach my $client (@clients)
{
	my $refused = 0;

	for (1 .. 50 * $PostgreSQL::Test::Utils::timeout_default)
	{
		$refused = slurp_file($client->{err}) =~ /ERROR:  the clock is 3\d\d\d s behind the last time-ordered id/;
		last if $refused;
		select(undef, undef, undef, 0.02);
	}
	ok($refused, 'an hour back: refused');
}
set_clock($node, '+3600');
more();
terminate_clients($node, @clients);

my @all;
foreach my $client (@clients)
{
	my @ids = grep { /^\d+$/ } split /\n/, slurp_file($client->{out});
	my @wrong = grep { $ids[$_] <= $ids[ $_ - 1 ] } 1 .. $#ids;

	is(scalar @wrong, 0, 'ids of a client ascend');
	push @all, @ids;
}
cmp_ok(scalar @all, '>', 1600, 'clients saw ids');
is(duplicates(@all), '', 'no id was issued twice');

$node->stop;
done_testing();

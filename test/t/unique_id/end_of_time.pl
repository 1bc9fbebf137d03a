# The time in an id ends in 2093: then no id is left, and none that is negative
# or begins anew is issued.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'libfaketime is not here' unless fake_clock_library();

my $node = idgen_server('end_of_time');
$node->stop;

# The last millisecond is 551 into this second.
my $end = 1_704_067_200 + 2_199_023_255;
start_with_clock($node, sprintf('%+d', $end - 600 - time));

sub refused
{
	my ($what) = @_;
	is(sqlstate($node, 'SELECT idgen_unique_id()'), '2200H', $what);
	return;
}

set_clock($node, $end);
my @ids = split /\n/, $node->safe_psql('postgres', 'SELECT idgen_unique_id() FROM generate_series(1, 3)');
is("@ids", join(' ', map { ((2**41 - 552) << 22) + $_ } 0 .. 2), 'the last second');
set_clock($node, $end + 1);
refused('the next one');
set_clock($node, 32_503_680_000);
refused('in the year 3000');
set_clock($node, $end - 2);
is($node->safe_psql('postgres', 'SELECT idgen_unique_id()'), $ids[2] + 1, 'in time again');

# After a crash, it waits until the clock is behind what was reserved: behind
# the end.
kill_server($node);
start_with_clock($node, sprintf('%+d', $end - 1 - time));
refused('reserved up to the end');

# It was started in the year 3000 once.
$node->stop;
start_with_clock($node, 32_503_680_000);
refused('started in the year 3000');
$node->stop;
start_with_clock($node, '+0');
is(sqlstate($node, 'SELECT idgen_unique_id()'), '55000', 'started at the true time');

$node->stop;
done_testing();

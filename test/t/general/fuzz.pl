# Whatever SQL is run, the server does not crash, no error is an internal one,
# and nothing hangs. See test/fuzz; "make fuzz" runs this for longer, each time
# with other SQL.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib", "$FindBin::RealBin/../../fuzz";

use Driver;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{FUZZ_SECONDS} // 12;
my $seed = $ENV{SEED} // ($ENV{FUZZ_SECONDS} ? time % 1_000_000 : 1);
my $driver = Driver->new;
my $end = time + $seconds;

# Rounds differ: the cache has room for all id sequences, or for few of them, or
# is that of each session.
while (time < $end)
{
	my $conf = (
		"shared_preload_libraries = 'idgen'\nidgen.max_sequences = 1024\n",
		"shared_preload_libraries = 'idgen'\nidgen.max_sequences = 8\n",
		"shared_preload_libraries = ''\n")[ $seed % 4 == 3 ? 2 : $seed % 2 == 0 ? 1 : 0 ];
	my $left = $end - time;
	my @findings = $driver->round(seed => $seed, seconds => $left < 20 ? $left : 20, sessions => 4 + $seed % 5, conf => $conf);

	is(scalar @findings, 0, "seed $seed");
	diag($_) foreach @findings;
	$seed++;
}
cmp_ok($driver->{statements}, '>', 0, 'statements were run');
if ($ENV{FUZZ_SECONDS})
{
	my $list = sub { my ($count) = @_; return join(', ', map { "$_: $count->{$_}" } sort keys %$count) };

	diag("$driver->{statements} statements; errors: " . $list->($driver->{errors}));
	diag('let pass: ' . $list->($driver->{let_pass}));
}
done_testing();

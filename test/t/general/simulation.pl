# The model of nodes and a centre (test/simulation) is right where the answer is
# known.
use strict;
use warnings FATAL => 'all';

use FindBin;

use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'python3 is not here' if system('python3 -c "" 2>/dev/null') != 0;

chdir "$FindBin::RealBin/../../simulation" or die "test/simulation: $!";
my ($stdout, $stderr) = run_command([ 'python3', '-B', '-m', 'unittest' ]);

like($stderr, qr/^OK$/m, 'tests of the model') or diag($stderr);
cmp_ok($stderr =~ /^Ran (\d+) tests/m, '&&', $1 > 20, 'they were run');

done_testing();

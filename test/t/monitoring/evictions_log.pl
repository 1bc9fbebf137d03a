# When id sequences take turns in too few slots of the cache, the server's log
# names the setting to raise, once a minute at most.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use List::Util 'pairmap';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'libfaketime is not here' unless fake_clock_library();

my $node = idgen_server('evictions', conf => q{
idgen.max_sequences = 4
idgen.warn_evictions = 50
});
$node->safe_psql('postgres', q{SELECT idgen_create('n' || i) FROM generate_series(1, 8) i});
$node->stop;
my $now = 1_900_000_000;
start_with_clock($node, $now);

# evict(seconds, draws, evictions): that many seconds later, draws one after the
# other, of which each but the first few has an id sequence give way.
my $next = 0;

sub evict
{
	my ($seconds, $draws, $evictions) = (@_, $_[1]);
	my $evicted = 'SELECT evictions FROM idgen_cache_totals';
	my $before = $node->safe_psql('postgres', $evicted);

	set_clock($node, $now += $seconds);
	$node->safe_psql('postgres', join('', map { "SELECT idgen_next('n" . ($next++ % 8 + 1) . "');\n" } 1 .. $draws));
	is($node->safe_psql('postgres', $evicted) - $before, $evictions, "after $seconds seconds, $evictions more");
	return;
}

# The lines of the log, in its order: evictions/milliseconds
sub told
{
	my @told = slurp_file($node->logfile) =~
	  /LOG:  id sequences lose their slots in the cache too frequently \((\d+) within (\d+) ms\)\n.*DETAIL:  It has 4 slots\.\n.*HINT:  Consider increasing the configuration parameter "idgen\.max_sequences"\.\n/g;
	return join(' ', pairmap { "$a/$b" } @told);
}

# The first four find free slots.
evict(0, 54, 50);
is(told(), '', 'as many in a minute as the setting says: nothing is said');
evict(59, 1);
is(told(), '51/59000', 'one more in that minute');
evict(1, 200);
is(told(), '51/59000', 'once a minute');
evict(61, 5);
is(told(), '51/59000', 'when that is over, it is said only if it goes on');
evict(1, 100);
is(told(), '51/59000 51/1000', 'and then it is');

# Slowly
evict(3600, 25);
my $before = told();
for (1 .. 5)
{
	evict(31, 25);
}
is(told(), $before, 'less than that many a minute, for some time: nothing is said');

# Off
$node->safe_psql('postgres', 'ALTER SYSTEM SET idgen.warn_evictions = 0');
$node->reload;
$node->poll_query_until('postgres', q{SELECT current_setting('idgen.warn_evictions') = '0'}) or die 'not reloaded';
evict(3600, 500);
is(told(), $before, '0 turns the messages off');

$node->stop;
done_testing();

# A session's own cache holds names of any length, and tells them apart. A slot
# can be used again for another name, shorter or longer than the one before.
use strict;
use warnings FATAL => 'all';
use utf8;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('names', preload => 0);

# More short names than there are slots; and names of 255 characters, in as many
# bytes as there can be, that differ at the end
my $slots = 65_536;
my $long = '😀' x 253;
utf8::encode($long);
$node->safe_psql(
	'postgres', qq{
	INSERT INTO id_sequences (name, next_block_start)
		SELECT 'short' || i, 1 FROM generate_series(1, $slots) i UNION ALL
		SELECT 'other' || i, 1 FROM generate_series(1, 3000) i UNION ALL
		SELECT '$long' || i, 1 FROM generate_series(10, 39) i});

my $session = $node->background_psql('postgres');

# Draw once from each name that is like this. Returns how many names there are,
# the lowest id, and the highest one.
sub draw
{
	my ($like) = @_;
	return $session->query_safe(
		"SELECT count(*), min(id), max(id) FROM (SELECT idgen_next(name) id FROM id_sequences WHERE name LIKE '$like') d");
}

# How many names like this are cached, and how many ids of each are.
sub cached
{
	my ($like) = @_;
	return $session->query_safe(
		"SELECT count(DISTINCT name), min(ids_cached), max(ids_cached) FROM idgen_stats WHERE name LIKE '$like'");
}

is(draw("$long%"), '30|1|1', 'each long name has ids of its own');
is(draw("$long%"), '30|2|2', 'and goes on with what is cached');
is(cached("$long%"), '30|18|18', 'all are seen in the view');

# All slots get short names, and then some of them long ones again.
draw('short%') for 1 .. 2;
draw('other%');
is(cached("$long%"), '0||', 'long names give way to short ones');
is($session->query_safe('SELECT sequences = max_sequences FROM idgen_cache_totals'), 't', 'which use their slots');
is(draw("$long%"), '30|21|21', 'and short names to long ones');
is(draw("$long%"), '30|22|22', 'which go on with what is cached');
is(cached("$long%"), '30|18|18', 'all are seen again');

$session->quit;
$node->stop;
done_testing();

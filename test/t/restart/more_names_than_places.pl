# A clean stop and start loses nothing, also where there are more id sequences
# than the cache has places for: what was cached is cached, and every id is
# accounted for. With fewer places than before, what is cached was cached, and
# nothing is issued twice. After a crash, nothing is cached.
use strict;
use warnings FATAL => 'all';
use utf8;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('kept', conf => "idgen.max_sequences = 20\n");
my $long = '語' x 253;
utf8::encode($long);

$node->safe_psql(
	'postgres', qq{
	CREATE TABLE drawn (name text, id bigint, PRIMARY KEY (name, id));
	CREATE SEQUENCE seq INCREMENT BY 10;
	SELECT idgen_create('n' || i, block_size => 10) FROM generate_series(10, 89) i;
	SELECT idgen_create('$long' || i, block_size => 10) FROM generate_series(10, 29) i;
	SELECT idgen_create('s' || i, source => 'sequence', source_name => 'seq') FROM generate_series(10, 19) i});

# One more id of each, in a transaction each; an id that is there already is an
# error. Those of the native sequence are as one.
my @names = ((map { "n$_" } 10 .. 89), (map { "$long$_" } 10 .. 29), (map { "s$_" } 10 .. 19));
my $draws = join('', map { "INSERT INTO drawn VALUES (regexp_replace('$_', '^s\\d+', 's'), idgen_next('$_'));\n" } @names);

sub draw
{
	$node->safe_psql('postgres', $draws);
	return;
}

sub cached
{
	return $node->safe_psql('postgres', q{
		SELECT name, generate_series(first_id, last_id) FROM idgen_cache ORDER BY 1, 2});
}

# What is counted of those that have a place
sub counted
{
	return $node->safe_psql('postgres', 'SELECT name, ids_issued, ids_lost, blocks_taken, refills, waits, last_refill FROM idgen_stats ORDER BY name');
}

# What is neither issued nor cached. Counters of what is lost may begin anew
# when the server starts.
sub gap
{
	return unaccounted($node, $node->safe_psql('postgres', 'SELECT count(*) FROM drawn')) + ids_lost($node);
}

foreach my $mode ('fast', 'smart')
{
	draw() for 1, 2;
	my ($cached, $counted, $gap) = (cached(), counted(), gap());
	is($gap, ids_lost($node), "$mode shutdown: what is neither issued nor cached is lost") if $mode eq 'fast';
	$node->stop($mode);
	$node->start;
	is(cached(), $cached, "$mode shutdown: what was cached is cached");
	is(counted(), $counted, "$mode shutdown: counters go on");
	is(gap(), $gap, "$mode shutdown: and accounted for");
	my $lost = ids_lost($node);
	draw();
	is(gap() - $gap, ids_lost($node) - $lost, "$mode shutdown: so is what is drawn then");
}

foreach my $places (200, 3)
{
	my %before = map { $_ => 1 } split /\n/, cached();
	$node->adjust_conf('postgresql.conf', 'idgen.max_sequences', $places);
	$node->restart;
	is(join(' ', grep { !$before{$_} } split /\n/, cached()), '', "$places places: what is cached was cached before");
	isnt(cached(), '', "$places places: some of it is cached");
	draw();
}

# The file that the clean stop has left is used once.
$node->restart;
draw();
kill_server($node);
$node->start;
is(cached(), '', 'after a crash, nothing is cached');
draw();
is( $node->safe_psql('postgres', q{
		SELECT name FROM drawn JOIN id_sequences USING (name) WHERE source = 'table'
		GROUP BY name, next_block_start, block_size HAVING max(id) <> next_block_start - block_size}),
	'', 'each goes on with its next block');

$node->stop;
done_testing();

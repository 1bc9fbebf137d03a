# A clean stop and start loses nothing: each id sequence of each database goes
# on with the very next id, and what was cached is cached again.
use strict;
use warnings FATAL => 'all';
use utf8;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('restart');
my @databases = ('postgres', 'other');

# Names of 255 characters, in as many bytes as there can be, that differ at the
# end
my $long = '😀' x 254;
utf8::encode($long);

$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION idgen');
$node->safe_psql(
	$_, qq{
	CREATE SEQUENCE up_seq INCREMENT BY 20;
	CREATE SEQUENCE down_seq INCREMENT BY -20 START -1;
	CREATE SEQUENCE single_seq;
	CREATE SEQUENCE worked_seq INCREMENT BY 20;
	CREATE TABLE counter (next bigint);
	INSERT INTO counter VALUES (1);
	CREATE FUNCTION scattered(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint)
	BEGIN ATOMIC
		WITH counter AS (UPDATE counter SET next = next + 40 RETURNING next - 40 AS first)
		SELECT first + i, first + i + 2 FROM counter, generate_series(0, 39, 10) i;
	END;
	CREATE FUNCTION ordinal(bigint) RETURNS bigint RETURN \$1 / 10 * 3 + \$1 % 10;
	SELECT idgen_create('table'),
		idgen_create('gapless', block_size => 1),
		idgen_create('unused'),
		idgen_create('far', next_block_start => 9223372036854775798),
		idgen_create('low', next_block_start => -9223372036854775808),
		idgen_create('wide', big_base => 1e30),
		idgen_create('${long}x'),
		idgen_create('${long}y', next_block_start => 1001),
		idgen_create('worker', refill => 'worker'),
		idgen_create('worker1', block_size => 1, refill => 'worker'),
		idgen_create('runs', source => 'sequence', source_name => 'single_seq'),
		idgen_create('worked', source => 'sequence', refill => 'worker'),
		idgen_create('fun', source => 'function', source_name => 'scattered')}) foreach @databases;

# Id sequences, with an expression that counts, from 0 on, what was drawn from
# them
my %draw = (
	table => q{idgen_next('table') - 1},
	gapless => q{idgen_next('gapless') - 1},
	far => q{idgen_next('far') - 9223372036854775798},
	low => q{idgen_next('low') + 9223372036854775807 + 1},
	wide => q{idgen_next_big('wide') - 1e30 - 1},
	longx => qq{idgen_next('${long}x') - 1},
	longy => qq{idgen_next('${long}y') - 1001},
	worker => q{idgen_next('worker') - 1},
	worker1 => q{idgen_next('worker1') - 1},
	runs => q{idgen_next('runs') - 1},
	worked => q{idgen_next('worked') - 1},
	fun => q{ordinal(idgen_next('fun') - 1)},
	up => q{idgen_next('up', 'sequence') - 1},
	down => q{-1 - idgen_next('down', 'sequence')});
my @names = sort keys %draw;
my $drawn = 0;

# Draws that number of ids of each, in turns.
sub draw
{
	my ($number, $when) = @_;
	my $counts = join(', ', map { $draw{$_} } @names);
	my $expected = join("\n", map { join('|', ($_) x @names) } $drawn .. $drawn + $number - 1);

	is($node->safe_psql($_, "SELECT $counts FROM generate_series(1, $number)"),
		$expected, "$_: $when") foreach @databases;
	$drawn += $number;
	return;
}

sub cached
{
	return join("\n", map { $node->safe_psql($_, 'TABLE idgen_cache ORDER BY name, first_id') } @databases);
}

draw(2, 'ids');
my $cached = cached();
like($cached, qr/^fun\|.*\nfun\|/m, 'an id sequence has several blocks cached');

foreach my $mode ('fast', 'smart', 'fast')
{
	$node->stop($mode);
	$node->start;
	is(cached(), $cached, "$mode shutdown: the same is cached as before");
}
draw(3, 'the next ids after three times');

# So that there are refills
$node->restart;
draw(5, 'ids from what was cached, and behind it');
$node->restart;
is( $node->safe_psql($_, q{
		SELECT count(*) FROM (
			SELECT idgen_next('table'), idgen_next('worker'), idgen_next('up', 'sequence'), idgen_next('worked')
			FROM generate_series(11, 100)) s(a, b, c, d) WHERE a = b AND b = c AND c = d}),
	'90', "$_: many ids") foreach @databases;
$node->restart;
is( $node->safe_psql($_, q{
		SELECT idgen_next('table'), idgen_next('worker'), idgen_next('up', 'sequence'), idgen_next('worked')}),
	'101|101|101|101', "$_: the next ones") foreach @databases;
is(sqlstate($node, q{SELECT idgen_next('far')}), '2200H', 'what was exhausted is');

$node->stop;
done_testing();

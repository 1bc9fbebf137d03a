# UUIDs follow the clock. When it stands still or is set back, they count on
# from the last one; when it is set back by more than a few seconds, they are
# refused until it has caught up.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Basename qw(dirname);
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'libfaketime is not here' unless fake_clock_library();

my $node = idgen_server('uuid_clock');
$node->stop;
start_with_clock($node, '+0');

# UUIDs as "milliseconds after $start/65,536ths"
my $start = time + 60;

sub show
{
	return join(' ', map { my $tick = uuid_tick($_); ($tick >> 16) - $start * 1000 . '/' . ($tick & 0xffff) } @_);
}

sub draw
{
	my ($number) = @_;
	return show(split /\n/,
		$node->safe_psql('postgres', "SELECT idgen_unique_uuid() FROM generate_series(1, $number)"));
}

sub refused
{
	return refused_by_clock($node, 'idgen_unique_uuid()', @_);
}

set_clock($node, $start);
is(draw(3), '0/0 0/1 0/2', 'a clock that stands still');
set_clock($node, $start + 1);
is(draw(2), '1000/0 1000/1', 'a second later');

# Set back by up to five seconds: the last tick goes on.
set_clock($node, $start - 2);
is(draw(2), '1000/2 1000/3', 'three seconds back');
set_clock($node, $start - 4);
is(draw(2), '1000/4 1000/5', 'five seconds back');
set_clock($node, $start - 5);
refused(6, 'six seconds back');
set_clock($node, $start - 3600);
refused(3601, 'an hour back');
set_clock($node, 1_000_000_000);
refused(qr/\d+/, 'in 2001');
set_clock($node, $start - 4);
is(draw(2), '1000/6 1000/7', 'five seconds back again');
set_clock($node, $start + 2);
is(draw(2), '2000/0 2000/1', 'and on');

# More than a millisecond has ticks: they carry over, and nobody waits.
set_clock($node, $start + 3);
is( $node->safe_psql(
		'postgres', q{
		SELECT count(DISTINCT id), sum((id < previous)::integer) FROM (
			SELECT id, lag(id) OVER (ORDER BY n) AS previous
			FROM (SELECT n, idgen_unique_uuid() AS id FROM generate_series(1, 200000) AS n OFFSET 0) AS drawn) AS ids}),
	'200000|0',
	'200,000 while the clock stands still');
is(draw(1), '3003/3392', 'they are three milliseconds ahead');

# Both kinds follow the same clock.
set_clock($node, $start + 20);
draw(1);
is(id_time($node->safe_psql('postgres', 'SELECT idgen_unique_id()')), ($start + 20) * 1000, 'an id at the same time');

# It cannot be written how far they have got.
my $directory = dirname(time_file($node));
chmod(0500, $directory) or die "could not change $directory: $!";
set_clock($node, $start + 30);
is(sqlstate($node, 'SELECT idgen_unique_uuid()'), '42501', 'not without that');
chmod(0700, $directory) or die "could not change $directory: $!";
is(draw(1), '30000/0', 'it can');

# The true time again, which is a minute and more behind
set_clock($node, '+0');
is(sqlstate($node, 'SELECT idgen_unique_uuid()'), '55000', 'a minute back');
set_clock($node, '+600');
is(sqlstate($node, 'SELECT idgen_unique_uuid()'), '', 'caught up');

# The time in a UUID ends in the year 10889.
set_clock($node, sprintf('%+d', 2**48 / 1000 + 1 - time));
is(sqlstate($node, 'SELECT idgen_unique_uuid()'), '2200H', 'in August 10889');
set_clock($node, '+600');
is(sqlstate($node, 'SELECT idgen_unique_uuid()'), '', 'and back again');

# Bigints end in 2093, UUIDs do not.
set_clock($node, 32_503_680_000);
is(sqlstate($node, 'SELECT idgen_unique_id()'), '2200H', 'in the year 3000, no bigint is left');
is(uuid_tick($node->safe_psql('postgres', 'SELECT idgen_unique_uuid()')) >> 16, 32_503_680_000_000, 'UUIDs are');
$node->stop('immediate');
start_with_clock($node, 32_503_680_003);
cmp_ok(uuid_tick($node->safe_psql('postgres', 'SELECT idgen_unique_uuid()')) >> 16,
	'>', 32_503_680_000_000, 'and go on behind what was reserved');

$node->stop;
done_testing();

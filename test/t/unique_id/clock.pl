# Time-ordered ids follow the clock. When it stands still or is set back, they
# stay in order: bigints wait for it, UUIDs count on. When it is set back by
# more than a few seconds, both are refused until it has caught up.
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

my $node = idgen_server('clock');
$node->stop;
start_with_clock($node, '+0');

# Ids as "time/counter", and UUIDs as "time/65,536ths", the time in milliseconds
# after $start
my $start = time + 60;

sub show
{
	return join(' ', map {
			my ($time, $count) = /-/ ? (uuid_tick($_) >> 16, uuid_tick($_) & 0xffff) : (id_time($_), $_ & 4095);
			$time - $start * 1000 . "/$count"
	} @_);
}

sub draw
{
	my ($number, $kind) = @_;
	$kind //= 'id';
	return show(
		split /\n/,
		$node->safe_psql('postgres', "SELECT idgen_unique_$kind() FROM generate_series(1, $number)"));
}

# Both kinds are drawn, or refused, in the same way.
sub drawn
{
	my ($number, $expected, $what) = @_;
	is(draw($number, $_), $expected, "$_: $what") foreach ('id', 'uuid');
	return;
}

sub refused
{
	refused_by_clock($node, "idgen_unique_$_()", @_) foreach ('id', 'uuid');
	return;
}

sub sqlstates
{
	return join(' ', map { sqlstate($node, "SELECT idgen_unique_$_()") } 'id', 'uuid');
}

set_clock($node, $start);
drawn(3, '0/0 0/1 0/2', 'a clock that stands still');
set_clock($node, $start + 1);
drawn(2, '1000/0 1000/1', 'a second later');

# Set back by up to five seconds: the last time goes on.
set_clock($node, $start - 2);
drawn(2, '1000/2 1000/3', 'three seconds back');
set_clock($node, $start - 4);
drawn(2, '1000/4 1000/5', 'five seconds back');
set_clock($node, $start - 5);
refused(6, 'six seconds back');
set_clock($node, $start - 3600);
refused(3601, 'an hour back');
set_clock($node, 1_700_000_000);
refused(qr/\d+/, 'before 2024');
set_clock($node, 1_000_000_000);
refused(qr/\d+/, 'in 2001');
set_clock($node, $start - 4);
drawn(2, '1000/6 1000/7', 'five seconds back again');
set_clock($node, $start + 1);
drawn(1, '1000/8', 'as before');
set_clock($node, $start + 2);
drawn(2, '2000/0 2000/1', 'and on');

# More than a millisecond has ticks of UUIDs: they carry over, and nobody waits.
set_clock($node, $start + 3);
is( $node->safe_psql(
		'postgres', q{
		SELECT count(DISTINCT id), sum((id < previous)::integer) FROM (
			SELECT id, lag(id) OVER (ORDER BY n) AS previous
			FROM (SELECT n, idgen_unique_uuid() AS id FROM generate_series(1, 200000) AS n OFFSET 0) AS drawn) AS ids}),
	'200000|0',
	'200,000 UUIDs while the clock stands still');
is(draw(1, 'uuid'), '3003/3392', 'they are three milliseconds ahead');

# When the counter is full, sessions wait until the clock moves. If it is
# behind, they begin one millisecond then, all of them the same.
sub start_drawing
{
	my ($number) = @_;
	my @sessions = map { start_statement($node, "SELECT idgen_unique_id()", '\set VERBOSITY sqlstate') } 1 .. $number;

	$node->poll_query_until('postgres',
		qq{SELECT count(*) = $number FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT idgen_unique%'})
	  or die 'nobody waits';
	return @sessions;
}

sub finish_drawing
{
	my (@sessions) = @_;
	my @ids = sort { $a <=> $b } map { scalar $_->query('') } @sessions;

	$_->quit foreach @sessions;
	return show(@ids);
}

set_clock($node, $start + 10);
like(draw(4096), qr{^10000/0 .* 10000/4095$}, 'all ids of a millisecond');
my @sessions = start_drawing(2);
set_clock($node, $start + 12);
is(finish_drawing(@sessions), '12000/0 12000/1', 'the next ones wait for the clock');

like(draw(4094), qr{^12000/2 .* 12000/4095$}, 'all ids of another one');
set_clock($node, $start + 8);
@sessions = start_drawing(2);
set_clock($node, sprintf('%+d', $start + 8 - time));
is(finish_drawing(@sessions), '12001/0 12001/1', 'the clock has been set back: they wait, too');

set_clock($node, $start + 8);
like(draw(4094), qr{^12001/2 .* 12001/4095$}, 'all ids of that one');
@sessions = start_drawing(1);
$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT idgen_unique%'});
is(answer($sessions[0], ''), '57014', 'waiting can be cancelled');
$sessions[0]->quit;

# Another node, be its number greater or less, begins a new millisecond.
foreach my $case ([ 7, 20 ], [ 3, 30 ])
{
	my ($number, $second) = @$case;

	set_clock($node, $start + $second);
	is(draw(1), $second * 1000 . '/0', 'before the node is changed');
	$node->safe_psql('postgres', "ALTER SYSTEM SET idgen.node_id = $number");
	$node->safe_psql('postgres', 'SELECT pg_reload_conf()');
	$node->poll_query_until('postgres', "SELECT current_setting('idgen.node_id') = '$number'") or die 'not set';
	@sessions = start_drawing(1);
	set_clock($node, $start + $second + 1);
	my $id = $sessions[0]->query('');
	is(show($id), ($second + 1) * 1000 . '/0', "node $number: waits for the clock");
	is(($id >> 12) & 1023, $number, "node $number: in the id");
	$sessions[0]->quit;
}

# It cannot be written how far they have got.
my $directory = dirname(time_file($node));
chmod(0500, $directory) or die "could not change $directory: $!";
set_clock($node, $start + 40);
is(sqlstates(), '42501 42501', 'not without that');
chmod(0700, $directory) or die "could not change $directory: $!";
drawn(1, '40000/0', 'it can');

# The true time again, which is a minute and more behind
set_clock($node, '+0');
is(sqlstates(), '55000 55000', 'a minute back');
set_clock($node, '+600');
is(sqlstates(), ' ', 'caught up');

# The time in a UUID ends in the year 10889.
set_clock($node, sprintf('%+d', 2**48 / 1000 + 1 - time));
is(sqlstate($node, 'SELECT idgen_unique_uuid()'), '2200H', 'in August 10889');
set_clock($node, '+600');
is(sqlstates(), ' ', 'and back again');

# Bigints end in 2093, UUIDs do not.
set_clock($node, 32_503_680_000);
is(sqlstates(), '2200H ', 'in the year 3000, no bigint is left');
is(uuid_tick($node->safe_psql('postgres', 'SELECT idgen_unique_uuid()')) >> 16, 32_503_680_000_000, 'UUIDs are');
$node->stop('immediate');
start_with_clock($node, 32_503_680_003);
cmp_ok(uuid_tick($node->safe_psql('postgres', 'SELECT idgen_unique_uuid()')) >> 16,
	'>', 32_503_680_000_000, 'and go on behind what was reserved');

$node->stop;
done_testing();

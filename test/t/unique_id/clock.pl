# Time-ordered ids follow the clock. When it is set back, they stay in order and
# wait for it; when it is set back by more than a few seconds, they are refused
# until it has caught up.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'libfaketime is not here' unless fake_clock_library();

my $node = idgen_server('clock');
$node->stop;
start_with_clock($node, '+0');

# Ids as "time/counter", the time in milliseconds after $start
my $start = time + 60;

sub show
{
	return join(' ', map { id_time($_) - $start * 1000 . '/' . ($_ & 4095) } @_);
}

sub draw
{
	my ($number) = @_;
	return show(
		split /\n/,
		$node->safe_psql('postgres', "SELECT idgen_unique_id() FROM generate_series(1, $number)"));
}

sub refused
{
	return refused_by_clock($node, 'idgen_unique_id()', @_);
}

set_clock($node, $start);
is(draw(3), '0/0 0/1 0/2', 'a clock that stands still');
set_clock($node, $start + 1);
is(draw(2), '1000/0 1000/1', 'a second later');

# Set back by up to five seconds: the last time goes on.
set_clock($node, $start - 2);
is(draw(2), '1000/2 1000/3', 'three seconds back');
set_clock($node, $start - 4);
is(draw(2), '1000/4 1000/5', 'five seconds back');
set_clock($node, $start - 5);
refused(6, 'six seconds back');
set_clock($node, $start - 3600);
refused(3601, 'an hour back');
set_clock($node, 1_700_000_000);
refused(qr/\d+/, 'before 2024');
set_clock($node, $start - 4);
is(draw(2), '1000/6 1000/7', 'five seconds back again');
set_clock($node, $start + 1);
is(draw(1), '1000/8', 'as before');
set_clock($node, $start + 2);
is(draw(2), '2000/0 2000/1', 'and on');

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

# The true time again, which is a minute behind
set_clock($node, '+0');
is(sqlstate($node, 'SELECT idgen_unique_id()'), '55000', 'a minute back');
set_clock($node, '+600');
is(sqlstate($node, 'SELECT idgen_unique_id()'), '', 'caught up');

$node->stop;
done_testing();

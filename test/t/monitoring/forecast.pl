# When an id sequence will be used up: under a steady load, idgen_health says
# that right. The test sets the clock, so that a day takes no longer than its
# calls.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'libfaketime is not here' unless fake_clock_library();

my $node = idgen_server('forecast');
my $start = time + 60;
my $ids_in_an_hour = 1000;
my @names = ('limited', 'native', 'column', 'worker');

# All are used up when that load has lasted for a day.
$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('limited', block_size => 100, max_value => 24001);
	CREATE SEQUENCE native_seq INCREMENT 100 MAXVALUE 24001;
	SELECT idgen_create('native', source => 'sequence');
	SELECT idgen_create('column', block_size => 100, next_block_start => 32767 - 24000);
	CREATE TABLE short (id smallint DEFAULT idgen_next('column'));
	SELECT idgen_create('worker', block_size => 100, max_value => 24001, refill => 'worker');
	SELECT idgen_create('unused', max_value => 24001);
	SELECT idgen_create('endless')});
$node->stop;

# at_hour(number): sets the clock to that many hours after the start.
sub at_hour
{
	my ($hour) = @_;

	set_clock($node, int($start + $hour * 3600));
	return;
}

sub draw
{
	my ($number) = @_;

	$node->safe_psql('postgres',
		"SELECT idgen_next(name) FROM generate_series(1, $number), unnest(ARRAY['endless', '" . join("', '", @names) . q{'])  AS name});
	return;
}

# The hours after the start when an id sequence will be used up, as the view
# says; empty if it does not know.
sub used_up
{
	my ($name) = @_;

	return $node->safe_psql('postgres',
		"SELECT round((extract(epoch FROM used_up_on) - $start) / 3600, 1) FROM idgen_health WHERE name = '$name'");
}

sub ask
{
	my ($column, $name) = @_;
	return $node->safe_psql('postgres', "SELECT $column FROM idgen_health WHERE name = '$name'");
}

start_with_clock($node, $start);
is(used_up($_), '', "$_: nothing is known of one that was never used") foreach @names;
draw(1);
at_hour(0.9);
draw($ids_in_an_hour * 0.9);
is(used_up($_), '', "$_: nothing is known before an hour") foreach @names;
is(ask('ids_per_second', 'limited'), '0.278', 'the rate is');

at_hour(1);
draw($ids_in_an_hour * 0.1);
foreach my $hour (2 .. 12)
{
	at_hour($hour);
	draw($ids_in_an_hour);
	next unless $hour == 3 || $hour == 12;

	foreach my $name (@names)
	{
		my $foretold = used_up($name);

		ok(abs($foretold - 24) <= 0.1 * (24 - $hour), "$name: foretold at hour $hour, within 10 %")
		  or diag("for hour $foretold");
	}
}
is(ask('limited_by', 'column'), 'column public.short.id (smallint)', 'the limit is the column');
is(ask('ids_per_second', 'limited'), '0.278', 'the rate is steady');
is(used_up('unused'), '', 'of one that is not used nothing is known');
is(ask('used_up_on', 'endless'), 'infinity', 'the last bigint is far away');

# How far ahead that is a problem
like(ask('problem', 'limited'), qr/^In 12 hours, no id will be left within the limit of max_value\. Raise max_value\.$/,
	'it is a problem');
is(ask('problem_kind', 'limited'), 'used_up_soon', 'in a word');
is(ask('problem', 'endless'), '', 'where it is far away it is not');
is($node->safe_psql('postgres', q{SET idgen.warn_days = 0; SELECT problem FROM idgen_health WHERE name = 'limited'}),
	'', 'with idgen.warn_days = 0 it is not');

# It comes true: one is left after 24 hours, and was drawn at the beginning.
foreach my $hour (13 .. 24)
{
	at_hour($hour);
	draw($ids_in_an_hour);
}
is(sqlstate($node, "SELECT idgen_next('$_')"), '2200H', "$_: used up at hour 24") foreach ('limited', 'native', 'worker');
is(sqlstate($node, 'INSERT INTO short DEFAULT VALUES'), '22003', 'column: used up at hour 24');
like(ask('problem', $_), qr/^No id is left/, "$_: which is a problem") foreach @names;

# The load ends: the forecast follows, and begins anew with the counters.
at_hour(48);
is(ask('ids_per_second', 'endless'), '0.139', 'after as much time without load, the rate is half');
$node->safe_psql('postgres', 'SELECT idgen_stats_reset()');
is(used_up('endless'), '', 'after a reset nothing is known');

# A clock that is set back
at_hour(47);
is(ask('ids_per_second', 'endless'), '', 'a clock that is set back: nothing is known');

$node->stop;
done_testing();

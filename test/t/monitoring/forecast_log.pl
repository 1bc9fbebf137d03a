# When ids will be used up soon at the rate at which they are issued, the
# server's log gets a line, and one more each time that the forecast has halved.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'libfaketime is not here' unless fake_clock_library();

my $now = 1_900_000_000;
my $day = 24 * 3600;
my $node = idgen_server('forecast', conf => "idgen.warn_remaining = 0\nidgen.prefetch_threshold = 0\nidgen.max_prefetch_blocks = 1\n");
$node->stop;
start_with_clock($node, $now);

# The forecasts that the log has told about an id sequence, in its order
sub told
{
	my ($sequence) = @_;
	my $log = slurp_file($node->logfile);
	return join(', ', $log =~ /LOG:  id sequence "$sequence" will be used up in (\d+ \w+)\n.*DETAIL:  It has \d+ ids left(?: within the limit of column \S+ \(\w+\))?, and on average issues \d+ a day\.\n/g);
}

sub create
{
	my ($sequence, $columns) = @_;
	$node->safe_psql('postgres', "SELECT idgen_create('$sequence', $columns)");
	return;
}

# Draw that many ids, each in a transaction of its own.
sub draw
{
	my ($sequence, $ids, $setting) = @_;
	my $set = defined $setting ? "SET idgen.warn_days = $setting;\n" : '';
	$node->safe_psql('postgres', $set . "SELECT idgen_next('$sequence');\n" x $ids);
	return;
}

# The same on each of some days. No forecast is made at first: nobody knows how
# fast ids are issued.
sub draw_daily
{
	my ($days, $sequence, $ids, $setting) = @_;

	for (1 .. $days)
	{
		draw($sequence, $ids, $setting);
		set_clock($node, $now += $day);
	}
	return;
}

# 400 ids, of which 10 a day are issued
sub check_400
{
	my ($sequence, $columns) = @_;

	create($sequence, $columns);
	draw_daily(11, $sequence, 10);
	is(told($sequence), '', "$sequence: nothing is said while ids last for 30 days");
	draw_daily(29, $sequence, 10);
	is( told($sequence), '29 days, 14 days, 7 days, 3 days, 24 hours',
		"$sequence: then each time that the forecast has halved");
	return;
}

$node->safe_psql('postgres', 'CREATE SEQUENCE native_seq MAXVALUE 400');
check_400('table', 'block_size => 10, max_value => 400');
check_400('native', q{source => 'sequence', block_size => 10});
like( slurp_file($node->logfile),
	qr/LOG:  id sequence "table" will be used up in 29 days\n.*DETAIL:  It has 290 ids left, and on average issues 10 a day\.\n/,
	'the line');

# The type of the owning column may end the range, whatever the source: there
# are 400 ids up to its end, or down to it.
$node->safe_psql(
	'postgres', q{
	CREATE DOMAIN tiny AS smallint;
	CREATE TABLE t (first smallint, second tiny, third smallint, fourth integer);
	CREATE SEQUENCE up_seq START 32368;
	CREATE SEQUENCE down_seq INCREMENT -10 MINVALUE -100000 START -32369});
check_400('stored', q{block_size => 10, next_block_start => 32368, owned_by => 't.first'});
check_400('stored_up', q{source => 'sequence', source_name => 'up_seq', block_size => 10, owned_by => 't.second'});
check_400('stored_down', q{source => 'sequence', source_name => 'down_seq', block_size => 10, owned_by => 't.third'});
like( slurp_file($node->logfile),
	qr/LOG:  id sequence "stored" will be used up in 29 days\n.*DETAIL:  It has 290 ids left within the limit of column public\.t\.first \(smallint\), and on average issues 10 a day\.\n/,
	'the line says which column');
create('wide', 'block_size => 10, next_block_start => 32368, max_value => 32767');
create('stored_wide', q{block_size => 10, next_block_start => 32368, max_value => 32767, owned_by => 't.fourth'});
draw_daily(12, $_, 10) foreach ('wide', 'stored_wide');
is(told($_), '29 days', "$_: a column that holds more ends nothing") foreach ('wide', 'stored_wide');
$node->safe_psql('postgres', 'ALTER TABLE t ALTER first TYPE integer');
draw_daily(2, 'stored', 10);
is(told('stored'), '29 days, 14 days, 7 days, 3 days, 24 hours', 'a column that has got a wider type does so no more');

# Each gapless id is a refill.
create('gapless', 'block_size => 1, max_value => 400');
draw_daily(40, 'gapless', 10);
is( told('gapless'), '29 days, 14 days, 7 days, 3 days, 42 hours, 21 hours, 9 hours, 4 hours, 2 hours',
	'gapless: each time that the forecast has halved');

# Silence
create('off', 'block_size => 10, max_value => 400');
draw_daily(40, 'off', 10, 0);
is(told('off'), '', '0 turns the messages off');
create('fewer', 'block_size => 10, max_value => 400');
draw_daily(40, 'fewer', 10, 5);
is(told('fewer'), '4 days, 2 days, 24 hours', 'a lower value begins later');
create('bulk', 'block_size => 10, max_value => 400');
draw('bulk', 200);
set_clock($node, $now += 3500);
draw('bulk', 10);
is(told('bulk'), '', 'no forecast is made before ids have been counted for an hour');
create('large', 'block_size => 1000000');
draw_daily(3, 'large', 3);
is(told('large'), '', 'nothing is said of an id sequence without max_value');

# A forecast that goes up and down a bit
create('uneven', 'block_size => 1, max_value => 1000');
draw_daily(1, 'uneven', 40);
draw('uneven', 1);
is(told('uneven'), '24 days', 'uneven: once');
for (1 .. 4)
{
	set_clock($node, $now += $day);
	draw('uneven', 10);
	set_clock($node, $now += 3600);
	draw('uneven', 30);
}
is(told('uneven'), '24 days', 'uneven: not again');

# An id sequence that is raised begins anew, as does one of which ids are issued
# much more slowly for some time.
create('raised', 'block_size => 10, max_value => 400');
draw_daily(20, 'raised', 10);
is(told('raised'), '29 days', 'raised: it will be used up');
$node->safe_psql('postgres', q{UPDATE id_sequences SET max_value = 500 WHERE name = 'raised'});
draw_daily(5, 'raised', 10);
is(told('raised'), '29 days, 29 days', 'raised: once more');
$node->safe_psql('postgres', q{SELECT idgen_stats_reset()});
set_clock($node, $now += 100 * $day);
draw('raised', 11);
set_clock($node, $now += $day);
draw('raised', 100);
is(told('raised'), '29 days, 29 days', 'slower: nothing is said');
$node->safe_psql('postgres', q{SELECT idgen_stats_reset()});
draw('raised', 10);
set_clock($node, $now += $day);
draw('raised', 10);
is(told('raised'), '29 days, 29 days, 6 days', 'and faster again: once more');

# The worker's refills count as well. (libfaketime has no hold on its clock.)
set_clock($node, '-' . 15 * $day);
create('worker', q{block_size => 10, max_value => 400, refill => 'worker'});
draw('worker', 1);
set_clock($node, '+0');
draw('worker', 130);
is(told('worker'), '', 'worker: nothing is said while ids last for 30 days');
draw('worker', 10);
is(told('worker'), '27 days', 'worker: then it is');

# The client is not told.
my ($ret, $stdout, $stderr) = $node->psql('postgres', q{SELECT idgen_next('raised')});
is($stderr, '', 'the client that happens to refill is not told');

$node->stop;
done_testing();

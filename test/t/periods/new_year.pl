# A session that stays connected over New Year draws from the child of the new
# year with its next transaction: in plain statements, in plans that are kept,
# in column defaults. A transaction that lasts over midnight stays in its year.
# What decides is the clock of the row's time zone, also where that is changed
# at midnight.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::Local qw(timegm);

plan skip_all => 'libfaketime is not here' unless fake_clock_library();

my $node = idgen_server('new_year');
$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('bill', period => 'year'), idgen_create('log', period => 'day', block_size => 1000),
		idgen_create('slip', period => 'year', block_size => 1);
	CREATE TABLE bill (number text DEFAULT 'B' || idgen_next('bill'), made date DEFAULT CURRENT_DATE)});
$node->stop;

# set_time(year, month, day, hour, minute, second), of UTC
sub set_time
{
	my ($year, $month, @rest) = @_;
	return set_clock($node, timegm(reverse($year, $month - 1, @rest)));
}

start_with_clock($node, timegm(0, 50, 23, 31, 11, 2026));
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe($_)
  foreach ('\set VERBOSITY sqlstate', "SET TimeZone = 'UTC'", "PREPARE draw AS SELECT idgen_next('bill')", 'SET plan_cache_mode = force_generic_plan');

is(answer($session, 'EXECUTE draw'), 1, 'the old year begins');
is(answer($session, 'EXECUTE draw'), 2, 'and goes on');
set_time(2026, 12, 31, 23, 59, 59);
is(answer($session, 'EXECUTE draw'), 3, 'to its last second');
set_time(2027, 1, 1, 0, 0, 0);
is(answer($session, 'EXECUTE draw'), 1, 'the new year begins with its first second');
is(answer($session, 'INSERT INTO bill DEFAULT VALUES RETURNING number, made'),
	'B2|2027-01-01', 'a column default agrees with the date of the transaction');
is(answer($session, "SELECT idgen_last('bill'), idgen_last('bill/2026')"), '2|3', 'each year has a last number');

# A transaction that began before midnight
set_time(2027, 12, 31, 23, 59, 59);
$session->query_safe('BEGIN');
is(answer($session, 'EXECUTE draw'), 3, 'a transaction before midnight');
set_time(2028, 1, 1, 0, 0, 1);
is(answer($session, 'INSERT INTO bill DEFAULT VALUES RETURNING number, made'),
	'B4|2027-12-31', 'it stays in its year');
is(answer($session, "SELECT idgen_next('slip'), idgen_last('slip/2027')"),
	'1|1', 'also with its first draw of a name');
is( $node->safe_psql('postgres', "SELECT idgen_next('bill'), idgen_next('bill')"),
	'1|2', 'while others are in the next one');
$session->query_safe('COMMIT');
is(answer($session, 'EXECUTE draw'), 3, 'and then so is it');

# A clock that is put back
set_time(2027, 12, 31, 23, 59, 58);
is(answer($session, 'EXECUTE draw'), 5, 'a clock that is put back has the old year go on');
set_time(2028, 1, 1, 0, 0, 2);
is(answer($session, 'EXECUTE draw'), 4, 'and put forward, the new one');

# Clocks that are changed at midnight: forward, so that a day begins at one
# o'clock; back, so that a day begins twice; back a minute after midnight, so
# that the day before goes on; and a whole day that there was not. In each hour
# around that, the day must be that of the server's own arithmetic. Blocks are
# large: a refill would find the day out anew.
my %changes = (
	'America/Sao_Paulo' => [ 2018, 11, 4 ],
	'America/Havana' => [ 2026, 11, 1 ],
	'America/St_Johns' => [ 2010, 11, 7 ],
	'Asia/Beirut' => [ 2027, 3, 28 ],
	'Pacific/Apia' => [ 2011, 12, 30 ],
	'Europe/Berlin' => [ 2026, 3, 29 ]);
foreach my $zone (sort keys %changes)
{
	my ($year, $month, $day) = @{ $changes{$zone} };
	my $start = timegm(0, 0, 0, $day, $month - 1, $year);
	my @wrong;

	$session->query_safe("UPDATE id_sequences SET time_zone = '$zone' WHERE name = 'log'");
	for (my $minute = -15 * 60; $minute <= 30 * 60; $minute += 15)
	{
		set_clock($node, $start + 60 * $minute + 59);
		my $child = q{'log/' || to_char(now() AT TIME ZONE time_zone, 'YYYY-MM-DD')};
		my $answer = answer($session,
			"SELECT idgen_next('log') - idgen_last($child) FROM id_sequences WHERE name = 'log'");
		push @wrong, "$minute: $answer" if $answer ne '0';
	}
	is("@wrong", '', "$zone: around a change of the clock");
}

# Years of five digits have no periods.
set_clock($node, sprintf('%+d', timegm(0, 0, 0, 1, 0, 10000) - time));
like($session->query_safe('SELECT now()'), qr/^10000-/, 'the year 10000');
is(answer($session, q{SELECT idgen_next('bill')}), '22008', 'no period is named after it');
$session->quit;
$node->stop;
done_testing();

# When ids run low, the server's log gets one line for each percent of the
# range, however many refills there are, and whichever session makes them.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('low', conf => 'max_connections = 30');

# The percentages that the log has told about an id sequence, in its order
sub told
{
	my ($sequence) = @_;
	my $log = slurp_file($node->logfile);
	return join(' ', $log =~ /LOG:  id sequence "$sequence" has (\d+)% of its ids left\n/g);
}

# Draw that many ids, each in a transaction of its own.
sub draw
{
	my ($sequence, $ids, $setting) = @_;
	my $set = defined $setting ? "SET idgen.warn_remaining = $setting;\n" : '';
	$node->safe_psql('postgres', $set . "SELECT idgen_next('$sequence');\n" x $ids);
	return;
}

sub create
{
	my ($sequence, $columns) = @_;
	$node->safe_psql('postgres', "SELECT idgen_create('$sequence', $columns)");
	return;
}

# A percent is one refill, ten refills, or a part of one.
create('even', 'block_size => 1, max_value => 100');
draw('even', 90);
is(told('even'), '', 'nothing is said while 10 percent are left');
draw('even', 10);
is(told('even'), '9 8 7 6 5 4 3 2 1 0', 'then each percent, to the last');

create('many', 'block_size => 1, max_value => 1000');
draw('many', 900);
is(told('many'), '', 'many refills: nothing is said while 10 percent are left');
draw('many', 100);
is(told('many'), '9 8 7 6 5 4 3 2 1 0', 'many refills: each percent is told once');

create('few', 'block_size => 25, max_value => 1000');
draw('few', 1000);
is(told('few'), '7 5 2 0', 'few refills: what is left is rounded down');

# The range begins where the id sequence did.
create('offset', 'next_block_start => -1000, block_size => 1, max_value => -901');
draw('offset', 95);
is(told('offset'), '9 8 7 6 5', 'the range need not begin at 1');
is($node->safe_psql('postgres', "SELECT percent_left FROM idgen_stats WHERE name = 'offset'"),
	'5.00', 'idgen_stats shows it too');

# The setting
create('off', 'block_size => 10, max_value => 100');
draw('off', 100, 0);
is(told('off'), '', '0 turns the messages off');
create('more', 'block_size => 10, max_value => 100');
draw('more', 100, 51);
is(told('more'), '50 40 30 20 10 0', 'a greater value begins earlier');

# Refills that are rolled back, and made again
create('again', 'block_size => 10, max_value => 100');
draw('again', 90);
$node->safe_psql('postgres', "BEGIN; SELECT idgen_next('again'); ROLLBACK") for 1 .. 3;
draw('again', 1);
is(told('again'), '0', 'a refill that is made again is told once');

# An id sequence that is raised, or restarted, begins anew.
create('raised', 'block_size => 10, max_value => 100');
draw('raised', 91);
is(told('raised'), '0', 'raised: it runs out');
$node->safe_psql('postgres',
	"UPDATE id_sequences SET max_value = 200, exhausted = 0 WHERE name = 'raised'");
draw('raised', 100);
is(told('raised'), '0 5 0', 'raised: once more');
$node->safe_psql('postgres', "SELECT idgen_restart('raised', 1)");
draw('raised', 200);
is(told('raised'), '0 5 0 5 0', 'restarted: once more');

# Of gapless ids, what a transaction has reserved for speed goes back at its
# commit. So it is then that the log is told what is left, and not if they come
# back.
sub draw_bulk
{
	my ($sequence, $ids, $end) = @_;
	$node->safe_psql('postgres', "BEGIN; SELECT count(idgen_next('$sequence')) FROM generate_series(1, $ids); $end");
	return;
}
create('gapless', 'block_size => 1, max_value => 1000');
draw_bulk('gapless', 895, 'COMMIT');
is(told('gapless'), '', 'gapless: nothing is said while 10 percent are left at the commit');
draw_bulk('gapless', 60, 'ROLLBACK');
draw_bulk('gapless', 60, 'ROLLBACK');
is(told('gapless'), '', 'gapless: nothing is said of what is rolled back');
$node->safe_psql(
	'postgres', q{
	BEGIN;
	SELECT idgen_next('gapless');
	SAVEPOINT a;
	SELECT count(idgen_next('gapless')) FROM generate_series(1, 60);
	ROLLBACK TO a;
	COMMIT});
is(told('gapless'), '', 'gapless: nor of what a savepoint takes back');
draw_bulk('gapless', 24, 'COMMIT');
is(told('gapless'), '8', 'gapless: what is left at the commit');
draw_bulk('gapless', 80, q{DELETE FROM id_sequences WHERE name = 'gapless'; COMMIT});
is(told('gapless'), '8', 'gapless: nothing is said of what the transaction removes');
create('to_the_last', 'block_size => 1, max_value => 1000');
draw_bulk('to_the_last', 1000, 'COMMIT');
is(told('to_the_last'), '0', 'gapless: to the last');

# Ordinary ids are far from the end.
create('ordinary', 'block_size => 2000000000');
draw('ordinary', 3);
is(told('ordinary'), '', 'nothing is said of an id sequence without max_value');

# Many sessions at once. They may take many blocks in one refill, but far less
# than a percent.
create('crowd', 'block_size => 2, max_value => 20000');
$node->safe_psql('postgres', "UPDATE id_sequences SET next_block_start = 18001 WHERE name = 'crowd'");
$node->pgbench(
	'-n -c 16 -j 2 -t 120', 0,
	[qr{processed: 1920/1920}], [qr/^$/],
	'many sessions draw',
	{ 'draw' => "SELECT idgen_next('crowd')" });
draw('crowd', 80);
is(told('crowd'), '9 8 7 6 5 4 3 2 1 0', 'each percent is told once, whoever refills');

# The client is not told.
create('client', 'block_size => 10, max_value => 10');
my ($ret, $stdout, $stderr) = $node->psql('postgres', "SELECT idgen_next('client')");
is($stderr, '', 'the client that happens to refill is not told');
is(told('client'), '0', 'though the log is');

$node->stop;
done_testing();

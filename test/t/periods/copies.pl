# Rows with periods, and their children, in a dump and on a standby: numbers go
# on in each period. A standby makes no children, but shows what comes next.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = idgen_server('primary', init => [ allows_streaming => 1 ]);
my $standby = start_standby($primary, 'standby');
$primary->safe_psql(
	'postgres', q{
	SELECT idgen_create('bill/*', period => 'year', block_size => 1), idgen_create('unused', 7, period => 'day', block_size => 1),
		idgen_create('east', period => 'day', time_zone => 'Etc/GMT-14');
	SELECT idgen_next('bill/a'), idgen_next('bill/a'), idgen_next('bill/a/1999'), idgen_next('east')});

# A standby
$primary->wait_for_catchup($standby);
my $session = $standby->background_psql('postgres', on_error_stop => 0);
is(answer($session, "SELECT idgen_peek('bill/a'), idgen_peek('bill/a/1999'), idgen_peek('unused')"),
	'3|2|7', 'a standby shows what comes next');
like(answer($session, "SELECT idgen_next('bill/a')"),
	qr/cannot execute idgen_next\(\) in a read-only transaction/, 'it does not draw');
like(answer($session, "SELECT idgen_next('bill/b')"),
	qr/cannot execute idgen_next\(\) in a read-only transaction/, 'nor does it make children');
like(answer($session, "SELECT idgen_next('unused/2001-01-01')"),
	qr/cannot execute idgen_next\(\) in a read-only transaction/, 'of periods, either');
$primary->safe_psql('postgres', "UPDATE id_sequences SET period = 'month' WHERE name = 'unused'; SELECT idgen_next('unused')");
$primary->wait_for_catchup($standby);
is(answer($session, "SELECT idgen_peek('unused')"), '8', 'it learns of another period');

# A dump
my $dir = PostgreSQL::Test::Utils::tempdir();
my $rows = 'SELECT name, next_block_start, block_size, period, time_zone, template FROM id_sequences ORDER BY name';
$primary->command_ok([ 'pg_dump', '-f', "$dir/plain.sql", 'postgres' ], 'pg_dump');
$primary->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE template0');
$primary->command_ok([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', 'copy', '-f', "$dir/plain.sql" ], 'restore');
is($primary->safe_psql('copy', $rows), $primary->safe_psql('postgres', $rows), 'the same rows');
is( $primary->safe_psql('copy', "SELECT idgen_next('bill/a'), idgen_next('bill/a/1999'), idgen_next('bill/a/2000'), idgen_next('bill/b')"),
	'3|2|1|1', 'numbers go on');

# The standby, promoted
$primary->stop('immediate');
$standby->promote;
is( answer($session, "SELECT idgen_next('bill/a'), idgen_next('bill/a/1999'), idgen_next('bill/b'), idgen_last('bill/a')"),
	'3|2|1|3', 'a standby that is promoted goes on');
$session->quit;
$standby->stop;
done_testing();

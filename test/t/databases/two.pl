# Databases of one server do not share ids, though their id sequences have the
# same names; nor does a copy of a database, where even the OIDs are the same.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('databases');

sub draw
{
	my ($database, $sequence) = @_;
	return $node->safe_psql($database, "SELECT idgen_next('$sequence')");
}

# Two databases
$node->safe_psql('postgres', 'CREATE DATABASE one');
$node->safe_psql('postgres', 'CREATE DATABASE two');
$node->safe_psql('one', "CREATE EXTENSION idgen; SELECT idgen_create('x', 1)");
$node->safe_psql('two', "CREATE EXTENSION idgen; SELECT idgen_create('x', 1001)");
is(draw('one', 'x'), '1', 'first database');
is(draw('two', 'x'), '1001', 'second database');
is(draw('one', 'x'), '2', 'first database again');
is(draw('two', 'x'), '1002', 'second database again');

# A change in one of them
$node->safe_psql('one', "SELECT idgen_restart('x', 501)");
is(draw('one', 'x'), '501', 'the first one was restarted');
is(draw('two', 'x'), '1003', 'the second one was not');
$node->safe_psql('one', 'DROP EXTENSION idgen');
is(draw('two', 'x'), '1004', 'nor does it notice that the first one drops the extension');
$node->safe_psql('two', "SELECT idgen_create('y')");
draw('two', 'y') for 1 .. 3;
$node->safe_psql('postgres', 'SELECT idgen_stats_reset()');
is($node->safe_psql('two', "SELECT ids_issued FROM idgen_stats WHERE name = 'y'"),
	'3', 'idgen_stats_reset() is about its own database');

# A copy, made while ids are cached
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE two');
is( $node->safe_psql('copy', "SELECT 'id_sequences'::regclass::oid"),
	$node->safe_psql('two', "SELECT 'id_sequences'::regclass::oid"),
	'the copy has the same OIDs');
is($node->safe_psql('copy', 'SELECT count(*) FROM idgen_cache'), '0', 'but no cached ids');
is(draw('copy', 'x'), '1021', 'it begins after the blocks allocated by then');
is(draw('two', 'x'), '1005', 'the original goes on');
is(draw('copy', 'x'), '1022', 'and so does the copy');

$node->safe_psql('copy', "UPDATE id_sequences SET next_block_start = 1 WHERE name = 'x'");
is(draw('copy', 'x'), '1', 'a change in the copy counts there');
is(draw('two', 'x'), '1006', 'and only there');

$node->safe_psql('copy', 'TRUNCATE id_sequences');
is(draw('two', 'x'), '1007', 'not even TRUNCATE counts elsewhere');

# A copy whose original has all its ids cached
$node->safe_psql(
	'two', q{
	SELECT idgen_create('short', block_size => 10, max_value => 10);
	SELECT idgen_next('short')});
$node->safe_psql('postgres', 'CREATE DATABASE copy2 TEMPLATE two');
my ($ret, $stdout, $stderr) = $node->psql('copy2', "SELECT idgen_next('short')");
like($stderr, qr/id sequence "short" is exhausted/, 'a copy does not draw what the original holds');
is(draw('two', 'short'), '2', 'which the original does');

$node->stop;
done_testing();

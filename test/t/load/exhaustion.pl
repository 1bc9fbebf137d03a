# Many sessions that draw until there is nothing left get every id up to
# max_value once, and then all of them are told so.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('end', conf => 'max_connections = 30');

$node->safe_psql('postgres', 'CREATE TABLE drawn (sequence text, id numeric, PRIMARY KEY (sequence, id))');

# Sixteen clients draw until they fail. Answers what their errors were.
sub draw_all
{
	my ($sequence) = @_;
	my $script = $node->basedir . "/$sequence";

	append_to_file($script, "INSERT INTO drawn VALUES ('$sequence', idgen_next('$sequence'));\n");
	my ($stdout, $stderr) = run_command(
		[ 'pgbench', '-n', '-c', 16, '-j', 2, '-t', 2000, '-f', $script, $node->connstr('postgres') ]);
	my %errors;
	$errors{$_}++ for $stderr =~ /ERROR:  (.*)/g;
	return join(', ', map { "$errors{$_} times $_" } sort keys %errors);
}

# block_size 1, one that does not divide the range, one greater than it
foreach my $block_size (1, 7, 5000)
{
	$node->safe_psql('postgres',
		"SELECT idgen_create('s$block_size', block_size => $block_size, max_value => 1000)");
	is( draw_all("s$block_size"),
		"16 times id sequence \"s$block_size\" is exhausted",
		"block_size $block_size: every client draws to the end");
	is( $node->safe_psql(
			'postgres', qq{
			SELECT count(*), min(id), max(id) FROM drawn WHERE sequence = 's$block_size';
			SELECT exhausted, ids_issued, ids_cached, ids_lost, percent_left
			FROM id_sequences JOIN idgen_stats USING (name) WHERE name = 's$block_size'}),
		"1000|1|1000\n1|1000|0|0|0.00",
		"block_size $block_size: each id was issued once");
}

# At the very end of bigint
$node->safe_psql('postgres',
	"SELECT idgen_create('end', next_block_start => 9223372036854775708, block_size => 7)");
is(draw_all('end'), '16 times id sequence "end" is exhausted', 'the last ids of all');
is( $node->safe_psql('postgres',
		"SELECT count(*), min(id), max(id) FROM drawn WHERE sequence = 'end'"),
	'100|9223372036854775708|9223372036854775807', 'each was issued once');

# The last block comes back when the transaction that took it rolls back.
$node->safe_psql('postgres', "SELECT idgen_create('back', block_size => 10, max_value => 10)");
my $session = $node->background_psql('postgres');
$session->query_safe("BEGIN; SELECT idgen_next('back')");
my $waiter = $node->background_psql('postgres');
$waiter->query_until(qr/waiting/, "\\echo waiting\nSELECT idgen_next('back');\n");
$node->poll_query_until(
	'postgres', q{
	SELECT count(*) = 1 FROM pg_stat_activity
	WHERE wait_event_type = 'Lock' AND query ~ 'back'})
  or die 'nobody waits';
$session->query_safe('ROLLBACK');
is($waiter->query_safe(''), '1', 'who waited for the last block gets it after a rollback');
is($session->query_safe("SELECT idgen_next('back')"), '2', 'and shares it');

# A session that waited in vain is told.
$session->query_safe(
	q{
	SELECT idgen_create('vain', block_size => 3, max_value => 3);
	BEGIN;
	SELECT idgen_next('vain') FROM generate_series(1, 3)});
$waiter->query_until(qr/waiting/,
	"\\set ON_ERROR_STOP 0\n\\echo waiting\nSELECT idgen_next('vain');\n");
$node->poll_query_until(
	'postgres', q{
	SELECT count(*) = 1 FROM pg_stat_activity
	WHERE wait_event_type = 'Lock' AND query ~ 'vain'})
  or die 'nobody waits';
$session->query_safe('COMMIT');
$waiter->query('');
like($waiter->{stderr}, qr/id sequence "vain" is exhausted/, 'who waited in vain is told');

$_->quit for ($session, $waiter);
$node->stop;
done_testing();

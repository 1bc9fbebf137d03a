# A backend that is killed while it draws takes the whole server down with it,
# shared memory included. The server comes back without reusing an id.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('kill', conf => q{
restart_after_crash = on
synchronous_commit = off
wal_writer_delay = 10s
});

$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('busy', block_size => 5),
		idgen_create('cached', block_size => 2000000000),
		idgen_create('gapless', block_size => 1)});

# The looping client draws from the cache all the time, so that is where it is
# hit, often with a lock held.
my @ids;
foreach my $application ('client', 'looping', 'looping')
{
	my @clients = start_clients(
		$node, 4, q{
SELECT 'busy ' || idgen_next('busy');
SELECT 'cached ' || idgen_next('cached');
BEGIN;
SELECT 'busy ' || idgen_next('busy');
SELECT 'gapless ' || idgen_next('gapless');
COMMIT;
});
	wait_for_lines(300, @clients);
	my $looping = IPC::Run::start(
		[
			$node->installed_command('psql'), '-XAt',
			'-d', $node->connstr('postgres') . ' application_name=looping',
			'-c', q{DO $$BEGIN LOOP PERFORM idgen_next('cached'); END LOOP; END$$}
		],
		'>', \my $out,
		'2>', \my $err);
	ok( $node->poll_query_until(
			'postgres', q{
			SELECT count(*) = 1 FROM pg_stat_activity
			WHERE application_name = 'looping' AND state = 'active'}),
		'the looping client draws');
	my $pid = $node->safe_psql(
		'postgres', qq{
		SELECT min(pid) FROM pg_stat_activity
		WHERE application_name = '$application'});
	my $offset = -s $node->logfile;
	is(kill('KILL', $pid), 1, "killed a client's backend ($application)");
	finish_clients(@clients);
	$looping->finish;
	push @ids, committed_ids(@clients);
	wait_for_restart($node, $offset);
}

cmp_ok(scalar @ids, '>', 1000, 'clients saw ids');
is(duplicates(@ids), '', 'no id was issued twice');
foreach my $sequence ('busy', 'cached', 'gapless')
{
	my ($max) = sort { $b <=> $a } map { /^$sequence (\d+)/ } @ids;
	cmp_ok($node->safe_psql('postgres', "SELECT idgen_next('$sequence')"),
		'>', $max, "\"$sequence\" goes on");
}

$node->stop;
done_testing();

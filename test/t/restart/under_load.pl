# A shutdown in the middle of work: what committed transactions and the worker
# have allocated is issued or cached, before the stop and after the start, and
# nothing twice.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('load');
my $clients = 5;

# Blocks so big that none can be missing without being missed
$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE native_seq INCREMENT BY 20;
	SELECT idgen_create('own', block_size => 500),
		idgen_create('worker', block_size => 500, refill => 'worker'),
		idgen_create('small', block_size => 3),
		idgen_create('small_worker', block_size => 3, refill => 'worker')});

my (@seen, $stops);
foreach my $round (1 .. 3)
{
	my @running = start_clients(
		$node, $clients, q{
SELECT 'own ' || idgen_next('own');
SELECT 'worker ' || idgen_next('worker');
SELECT 'own ' || idgen_next('own');
SELECT 'worker ' || idgen_next('worker');
SELECT 'small ' || idgen_next('small');
SELECT 'small_worker ' || idgen_next('small_worker');
SELECT 'native ' || idgen_next('native', 'sequence');
});
	wait_for_lines(100 + 300 * $round, @running);
	$node->stop('fast');
	finish_clients(@running);
	push @seen, seen_ids(@running);
	$stops++;
	$node->start;
	unlike(slurp_file($node->logfile), qr/PANIC|terminated by signal/, 'no process has crashed');

	# Of what a client was just about to get when the server stopped, it knows
	# nothing.
	foreach my $name ('own', 'worker')
	{
		my $left = $node->safe_psql(
			'postgres', qq{
			SELECT next_block_start - 1 - (SELECT coalesce(sum(last_id - first_id + 1), 0)
					FROM idgen_cache c WHERE c.name = s.name)
			FROM id_sequences s WHERE name = '$name'});
		my $lost = $left - grep { /^$name / } @seen;

		cmp_ok($lost, '>=', 0, "$name: no more is cached than was left");
		cmp_ok($lost, '<=', $clients * $stops, "$name: no block is lost");
	}
}
is(duplicates(@seen), '', 'no id was issued twice');

# During a smart shutdown, a session draws and refills as long as it stays.
my $session = $node->background_psql('postgres');
my $last = $session->query_safe(q{SELECT idgen_next('own')});
my $stop = IPC::Run::start([ $node->installed_command('pg_ctl'), '-D', $node->data_dir, '-m', 'smart', 'stop' ]);
$node->wait_for_log(qr/received smart shutdown request/);
is($session->query_safe(q{SELECT count(idgen_next('own')) FROM generate_series(1, 2000)}),
	'2000', 'during a smart shutdown: ids');
$last = $session->query_safe(q{SELECT idgen_last('own')});
$session->quit;
$stop->finish;
$node->_update_pid(0);
$node->start;
is($node->safe_psql('postgres', q{SELECT idgen_next('own')}), $last + 1, 'during a smart shutdown: the next id');

$node->stop;
done_testing();

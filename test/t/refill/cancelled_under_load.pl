# Statements that are cancelled or time out wherever it may be, in a refill, in
# the queue for one, or in a transaction of several, cost no uniqueness and
# leave no trace in the cache.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# With room for one id sequence only, whatever keeps it busy is noticed. Refills
# ahead do not grow, so that there are many to be cancelled.
my $node = idgen_server('cancel', conf => q{
idgen.max_sequences = 1
idgen.max_prefetch_blocks = 1
lock_timeout = 2ms
});

$node->safe_psql('postgres', "SELECT idgen_create('x', block_size => 2), idgen_create('other')");

my @clients = start_clients(
	$node, 6, q{
SELECT 'x ' || idgen_next('x');
BEGIN;
SELECT 'x ' || idgen_next('x');
SELECT 'x ' || idgen_next('x');
SELECT 'x ' || idgen_next('x');
COMMIT;
}, on_error_stop => 0);
wait_for_lines(50, @clients);

# On a busy machine most sessions have nothing to cancel most of the time: their
# clients wait for a processor.
wait_until(sub {
	$node->safe_psql(
		'postgres', q{
		DO $$
		DECLARE
			pids int[] := array(SELECT pid FROM pg_stat_activity WHERE application_name = 'client');
		BEGIN
			FOR i IN 1 .. 1000 LOOP
				PERFORM pg_cancel_backend(pids[1 + i % array_length(pids, 1)]);
				PERFORM pg_sleep(0.001);
			END LOOP;
		END$$});
	return grep { slurp_file($_->{err}) =~ /canceling statement due to user request/ } @clients;
}, 'a statement that is cancelled');

# What is cached and refilled does not last for longer than they wait.
$node->safe_psql('postgres', q{
	BEGIN;
	SET LOCAL lock_timeout = 0;
	SELECT FROM id_sequences WHERE name = 'x' FOR UPDATE;
	SELECT pg_sleep(0.2);
	COMMIT});
wait_for_lines(200, @clients);
terminate_clients($node, @clients);

my $errors = join('', map { slurp_file($_->{err}) } @clients);
like($errors, qr/canceling statement due to user request/, 'statements were cancelled');
like($errors, qr/canceling statement due to lock timeout/, 'statements timed out');
my $others = join("\n", grep { !/canceling statement|current transaction is aborted/ }
	  $errors =~ /ERROR: .*/g);
is($others, '', 'nothing else failed');

my @ids = committed_ids(@clients);
cmp_ok(scalar @ids, '>', 300, 'clients saw ids');
is(duplicates(@ids), '', 'no id was issued twice');

my ($max) = sort { $b <=> $a } map { /^x (\d+)/ } @ids;
cmp_ok($node->safe_psql('postgres', "SELECT idgen_next('x')"), '>', $max, 'ids go on');
$node->safe_psql('postgres', "SELECT idgen_next('other')");
is($node->safe_psql('postgres', 'SELECT name, ids_cached FROM idgen_stats'),
	'other|19', 'nothing is left behind');

$node->stop;
done_testing();

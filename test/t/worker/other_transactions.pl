# Where the worker refills, nobody waits for a user's transaction: neither for
# one that has drawn and stays open, nor for one that keeps the worker from
# refilling another id sequence. Only a row that is itself locked is waited for,
# and that not forever.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('others');

$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('busy', block_size => 5, refill => 'worker'),
		idgen_create('held', block_size => 5, refill => 'worker')});

# What a session without patience is told
sub complaint
{
	my ($sequence) = @_;
	my ($ret, $stdout, $stderr) = $node->psql(
		'postgres', qq{
		SET idgen.worker_timeout = '100ms';
		SELECT idgen_next('$sequence')},
		extra_params => [ '-v', 'VERBOSITY=verbose' ]);

	return $stderr;
}

my $open = $node->background_psql('postgres');
my $holder = $node->background_psql('postgres');
is( $open->query_safe(
		q{BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT max(idgen_next('busy')) FROM generate_series(1, 12)}),
	'12', 'a transaction has drawn and stays open');
$holder->query_safe(q{BEGIN; SELECT FROM id_sequences WHERE name = 'held' FOR UPDATE});
my @waiters = map { start_statement($node, q{SELECT idgen_next('held')}, q{SET idgen.worker_timeout = '500s'}) } 1 .. 6;
wait_for_waiters($node, 6, 'idgen_next', 'Extension');

my @clients = start_clients($node, 8, "SELECT 'busy ' || idgen_next('busy');\n");
wait_for_lines(300, @clients);
terminate_clients($node, @clients);
my @ids = seen_ids(@clients);
cmp_ok(scalar @ids, '>=', 2400, 'meanwhile, others draw');
is(duplicates(@ids, map { "busy $_" } 1 .. 12), '', 'no id was issued twice');

wait_for_waiters($node, 6, 'idgen_next', 'Extension');
like(complaint('held'),
	qr/ERROR:  55P03: the worker cannot refill id sequence "held"\n.*another transaction had locked/,
	'a row that stays locked');
$holder->query_safe('COMMIT');
is(join(' ', sort map { $_->query_safe('') } @waiters), '1 2 3 4 5 6', 'who waits goes on when it is free');
cmp_ok($node->safe_psql('postgres', q{SELECT refills FROM idgen_stats WHERE name = 'held'}),
	'<=', 3, 'there was not a refill for each of them');
$_->quit for @waiters;

# The table, in a mode that only writers feel. The worker gives up before the
# session does, which asks again.
$node->append_conf('postgresql.conf', q{idgen.worker_timeout = '50ms'});
$node->reload;
$node->poll_query_until('postgres', q{SELECT current_setting('idgen.worker_timeout') = '50ms'})
  or die 'not reloaded';
$holder->query_safe('BEGIN; LOCK TABLE id_sequences IN SHARE MODE');
my $next = $node->safe_psql('postgres', q{SELECT next_block_start FROM id_sequences WHERE name = 'held'});
my $log = -s $node->logfile;
is( $node->safe_psql(
		'postgres', qq{
		SET idgen.worker_timeout = '100s';
		SELECT max(idgen_next('held')) FROM generate_series(1, $next - 7)}),
	$next - 1, 'what is cached is issued whatever is locked');
my $waiter = start_statement($node, q{SELECT idgen_next('held')}, q{SET idgen.worker_timeout = '100s'});
$node->wait_for_log(qr/could not lock the row of id sequence "held", or what it draws from, within 50 ms/, $log);
wait_for_waiters($node, 1, 'idgen_next', 'Extension');
like(complaint('held'), qr/ERROR:  55P03: /, 'a table that stays locked');
$holder->query_safe('COMMIT');
is($waiter->query_safe(''), $next, 'a patient session waits longer than the worker tries');

$open->query_safe('ROLLBACK');
$_->quit for ($open, $holder, $waiter);
my ($max) = sort { $b <=> $a } map { /(\d+)/ } @ids;
cmp_ok($node->safe_psql('postgres', q{SELECT idgen_next('busy')}), '>', $max, 'what was drawn in a transaction that is rolled back is not issued a second time');

$node->stop;
done_testing();

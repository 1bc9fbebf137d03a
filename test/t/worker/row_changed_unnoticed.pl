# The worker finds another row than the session that asks it: one that is not
# for a worker, or has periods. Nothing has told the cache. The session looks
# again and goes on, instead of asking as fast as the worker answers.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('unnoticed', conf => q{
idgen.worker_timeout = '20s'
idgen.worker_idle_timeout = '1s'
idgen.max_prefetch_blocks = 1
idgen.prefetch_threshold = 0
});

# Transactions of the server, those of workers included: each tells how many
# when it ends.
sub transactions
{
	$node->poll_query_until('postgres', q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'idgen worker'})
	  or die 'the worker does not end';
	return $node->safe_psql('postgres', q{SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'postgres'});
}

# few_transactions NAME WHAT: runs WHAT; there were few transactions meanwhile.
sub few_transactions
{
	my ($name, $what) = @_;
	my $before = transactions();
	$what->();
	my $took = transactions() - $before;
	cmp_ok($took, '<', 500, "$name: few transactions") or diag($took);
	return;
}

my $session = $node->background_psql('postgres', on_error_stop => 0);
my $changer = $node->background_psql('postgres');

# What a row that the session has drawn two ids from is changed to, and what it
# draws then.
my %changes = (
	by_session => [q{refill = 'transaction'}, '3 4 5'],
	with_periods => [q{period = 'year'}, '1 2 3']);

# It changes while the worker waits for it.
foreach my $name (sort keys %changes)
{
	my ($change, $ids) = @{ $changes{$name} };

	$node->safe_psql('postgres', "SELECT idgen_create('$name', block_size => 2, refill => 'worker')");
	is($session->query_safe("SELECT idgen_next('$name'), idgen_next('$name')"), '1|2', "$name: the first block");
	$node->safe_psql('postgres', 'ALTER TABLE id_sequences DISABLE TRIGGER USER');
	few_transactions(
		$name,
		sub {
			$changer->query_safe("BEGIN; UPDATE id_sequences SET $change WHERE name = '$name'");
			begin_statement($session, "SELECT string_agg(idgen_next('$name')::text, ' ') FROM generate_series(1, 3)");
			wait_for_waiters($node, 1, 'idgen_next', 'Extension');
			$changer->query_safe('COMMIT');
			is(answer($session, ''), $ids, "$name: the session goes on as the row says");
		});
	$node->safe_psql('postgres', 'ALTER TABLE id_sequences ENABLE TRIGGER USER');
}

# The row of a child is another program's for a while, so the worker cannot make
# it; then it goes, and by now the template is not for a worker. The session has
# read the table in its transaction.
foreach my $level ('READ COMMITTED', 'REPEATABLE READ')
{
	$node->safe_psql(
		'postgres', q{
		DELETE FROM id_sequences WHERE name LIKE 't/%';
		SELECT idgen_create('t/*', refill => 'worker')});
	few_transactions(
		"template, $level",
		sub {
			$session->query_safe("BEGIN ISOLATION LEVEL $level; SELECT count(*) FROM id_sequences");
			$changer->query_safe(q{BEGIN; INSERT INTO id_sequences (name, next_block_start) VALUES ('t/a', 1)});
			begin_statement($session, q{SELECT idgen_next('t/a')});
			wait_for_waiters($node, 1, 'idgen_next', 'Extension');
			$node->safe_psql('postgres', q{UPDATE id_sequences SET refill = 'transaction' WHERE name = 't/*'});
			$changer->query_safe('ROLLBACK');
			is(answer($session, ''), '1', "template, $level: the session has an id");
			$session->query_safe('COMMIT');
		});
}

$_->quit for ($session, $changer);
$node->stop;
done_testing();

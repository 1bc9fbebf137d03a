# With early_release, whoever waits for the next number waits neither for the
# disk nor for a standby. The client of each commit does.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('early_release', init => [ allows_streaming => 1 ], conf => q{
wal_writer_delay = 10s
checkpoint_timeout = 1h
max_prepared_transactions = 5
});
my $insert = q{INSERT INTO bill VALUES (idgen_next('bill'))};
my $numbers = q{SELECT string_agg(number::text, ' ' ORDER BY number) FROM bill};

$node->safe_psql('postgres', q{
	SELECT idgen_create('bill', block_size => 1, early_release => true, watermark => true);
	SELECT idgen_create('cached', block_size => 10);
	SELECT idgen_create('late', block_size => 1);
	CREATE TABLE bill (number bigint);
	CREATE TABLE other (id bigint)});

sub standby_is
{
	my ($name) = @_;

	$node->safe_psql('postgres', "ALTER SYSTEM SET synchronous_standby_names = '$name'");
	$node->reload;
	return;
}

# How many commits wait for a standby that does not come
sub wait_for_commits
{
	my ($number, $event) = @_;

	ok( $node->poll_query_until('postgres',
			"SELECT count(*) = $number FROM pg_stat_activity WHERE wait_event = '" . ($event // 'SyncRep') . "'"),
		"$number wait for " . ($event // 'the standby'));
	return;
}

# Each of them waits for the standby, with the row passed on to the next one.
standby_is('nobody');
my @clients = map { start_statement($node, $insert) } 1 .. 3;
wait_for_commits(3);
my $reader = start_statement($node, 'SELECT 1', 'SET synchronous_commit = off');
$reader->query_safe('');
is($reader->query_safe($numbers), '1 2 3', 'others see the rows');

# Who wants to act on what it reads waits as well, and gets no answer else.
my $waiter = start_statement($node, q{SELECT idgen_wait_durable(), 'durable'});
wait_for_commits(4);
$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ '^SELECT idgen_wait_durable'});
$waiter->query('');
like($waiter->{stderr}, qr/canceling statement due to user request/, 'a wait that is cancelled brings no result');
$waiter->quit;
my $watched = start_statement($node, q{SELECT idgen_watermark('bill')});
wait_for_commits(4);
$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ '^SELECT idgen_watermark'});
$watched->query('');
like($watched->{stderr}, qr/canceling statement due to user request/, 'nor does a watermark vouch for less');
$watched->quit;

# A commit by which ids get to the cache waits before it lets its row go, and so
# does one of an id sequence without the column, and one that is prepared.
foreach my $also (q{SELECT idgen_next('cached')}, q{SELECT idgen_next('late')})
{
	my $mixed = start_statement($node, 'COMMIT', 'BEGIN', $insert, $also);
	wait_for_commits(4);
	my $next = start_statement($node, $insert);
	wait_for_commits(1, 'transactionid');
	$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity
		WHERE query ~ '^COMMIT' AND wait_event = 'SyncRep'});
	$mixed->query('');
	wait_for_commits(4);
	push @clients, $next;
	$mixed->quit;
	$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'});
	$_->query('') for @clients;
	$_->quit for @clients;
	@clients = map { start_statement($node, $insert) } 1 .. 3;
	wait_for_commits(3);
}
my $prepared = start_statement($node, q{PREPARE TRANSACTION 'p'}, 'BEGIN', $insert);
wait_for_commits(4);

# The standby is not needed any more.
standby_is('');
$_->query_safe('') for (@clients, $prepared);
$_->quit for (@clients, $prepared);
is($node->safe_psql('postgres', 'SHOW synchronous_commit'), 'on', 'a setting of one commit only');
$node->safe_psql('postgres', q{COMMIT PREPARED 'p'});
is($node->safe_psql('postgres', 'SELECT count(*) = max(number), count(*) = count(DISTINCT number) FROM bill'), 't|t', 'no hole');

# A commit that fails at the last moment leaves the setting as it was.
my ($first, $second) = map { $node->background_psql('postgres', on_error_stop => 0) } 1 .. 2;
$_->query_safe('BEGIN ISOLATION LEVEL SERIALIZABLE') for ($first, $second);
$_->query_safe('SELECT count(*) FROM other') for ($first, $second);
$_->query_safe('INSERT INTO other VALUES (1)') for ($first, $second);
$second->query_safe($insert);
$first->query_safe('COMMIT');
$second->query('COMMIT');
like($second->{stderr}, qr/could not serialize access/, 'a commit fails');
$second->{stderr} = '';
is($second->query_safe('SHOW synchronous_commit'), 'on', 'the setting is as it was');
$_->quit for ($first, $second);

# What a client was told survives, whatever synchronous_commit says. Another row
# that is written without a flush shows whether the crash took anything back.
foreach my $level ('on', 'off')
{
	my ($crashes, $kept) = (0);

	do
	{
		my $last = $node->safe_psql('postgres', qq{
			TRUNCATE bill; CHECKPOINT; SET synchronous_commit = $level; $insert RETURNING number});
		$node->safe_psql('postgres', q{SET synchronous_commit = off; INSERT INTO bill VALUES (0)});
		$node->stop('immediate');
		$node->start;
		is($node->safe_psql('postgres', 'SELECT max(number) FROM bill'), $last, "the row is there, $level");
		is($node->safe_psql('postgres', "$insert RETURNING number"), $last + 1, "so is the number, $level");
		$kept = $node->safe_psql('postgres', 'SELECT count(*) FROM bill WHERE number = 0');
	} until $kept == 0 || ++$crashes == 5;
	is($kept, 0, 'the crash took back what was not flushed');
}

done_testing();

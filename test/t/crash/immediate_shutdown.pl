# An immediate shutdown loses what was not written to disk. No id that a client
# saw in a committed transaction is issued again, whatever synchronous_commit
# is.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The server ends without writing its WAL buffers. So that it has something to
# lose, nobody writes them for it in between.
my $node = idgen_server('crash', conf => q{
wal_writer_delay = 10s
checkpoint_timeout = 1h
});

sub crash
{
	$node->stop('immediate');
	$node->start;
	return;
}

# Have many clients run the statements until a crash, three times. Each of them
# gets that number of answers before.
sub load
{
	my ($name, $lines, $statements) = @_;
	my (@ids, %max);

	foreach my $round (1 .. 3)
	{
		my @clients = start_clients($node, 6, $statements);
		wait_for_lines($lines, @clients);
		$node->stop('immediate');
		finish_clients(@clients);
		push @ids, committed_ids(@clients);
		$node->start;
	}
	cmp_ok(scalar @ids, '>', 6 * $lines, "$name: clients saw ids");
	is(duplicates(@ids), '', "$name: no id was issued twice");

	foreach my $id (@ids)
	{
		my ($sequence, $number) = split / /, $id;
		$max{$sequence} = $number if $number > ($max{$sequence} // 0);
	}
	foreach my $sequence (sort keys %max)
	{
		cmp_ok(run_sql($node, "SELECT idgen_next('$sequence')"),
			'>', $max{$sequence}, "$name: \"$sequence\" goes on");
	}
	return;
}

foreach my $mode ('on', 'off')
{
	run_sql($node, "ALTER SYSTEM SET synchronous_commit = $mode");
	$node->reload;

	run_sql($node, qq{
		SELECT idgen_create('lonely_$mode', block_size => 20),
			idgen_create('gapless_$mode', block_size => 1),
			idgen_create('busy_$mode', block_size => 3),
			idgen_create('bulk_$mode', block_size => 20);
		CREATE TABLE written_$mode (id bigint)});

	# One client, nothing else that could flush the WAL for it. What it wrote
	# after it drew shows whether the crash lost anything; rarely, the WAL
	# writer is faster, and it takes another try.
	my ($crashes, $kept) = (0);
	do
	{
		run_sql($node, 'CHECKPOINT');
		is( run_sql($node, qq{
				SELECT idgen_next('lonely_$mode');
				SELECT idgen_next('gapless_$mode');
				INSERT INTO written_$mode VALUES ($crashes)}),
			(1 + 20 * $crashes) . "\n" . (1 + $crashes),
			"synchronous_commit = $mode: ids after $crashes crashes");
		crash();
		$kept = run_sql($node, "SELECT count(*) FROM written_$mode WHERE id = $crashes");
		$crashes++;
	} until ($kept == ($mode eq 'on' ? 1 : 0) || $crashes == 10);
	is($kept, $mode eq 'on' ? 1 : 0,
		"synchronous_commit = $mode: a crash loses what it may lose");
	is( run_sql($node, qq{
			SELECT idgen_next('lonely_$mode');
			SELECT idgen_next('gapless_$mode')}),
		(1 + 20 * $crashes) . "\n" . (1 + $crashes),
		"synchronous_commit = $mode: and no ids");

	# Ids from a transaction of several savepoints and refills.
	run_sql($node, 'CHECKPOINT');
	my $last = run_sql($node, qq{
		BEGIN;
		SAVEPOINT a;
		SELECT count(idgen_next('bulk_$mode')) FROM generate_series(1, 1000);
		ROLLBACK TO a;
		SELECT count(idgen_next('bulk_$mode')) FROM generate_series(1, 500);
		RELEASE a;
		COMMIT;
		SELECT idgen_last('bulk_$mode')});
	$last =~ s/.*\n//s;
	crash();
	cmp_ok(run_sql($node, "SELECT idgen_next('bulk_$mode')"),
		'>', $last, "synchronous_commit = $mode: ids of a bulk load");

	load("synchronous_commit = $mode", 300, qq{
SELECT 'busy_$mode ' || idgen_next('busy_$mode');
BEGIN;
SELECT 'busy_$mode ' || idgen_next('busy_$mode');
SELECT 'lonely_$mode ' || idgen_next('lonely_$mode');
COMMIT;
BEGIN;
SELECT 'busy_$mode ' || idgen_next('busy_$mode');
ROLLBACK;
SELECT 'gapless_$mode ' || idgen_next('gapless_$mode');
});
}

# Where it takes a while from recording a commit to flushing it, most crashes
# come just in between. Nobody must have got ids from that transaction by then;
# the clients do not come all at once, so that some of them could.
$node->append_conf('postgresql.conf', q{
fsync = on
commit_delay = 50000
commit_siblings = 0
});
$node->restart;
run_sql($node, "SELECT idgen_create('slow', block_size => 5)");
load('slow commits', 30, q{
SELECT 'slow ' || idgen_next('slow') FROM pg_sleep(random() / 30);
});

$node->stop;
done_testing();

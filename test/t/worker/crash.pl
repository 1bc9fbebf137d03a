# A crash, be it of the worker alone, re-issues nothing that a client saw from
# an id sequence that the worker refills, not even in a transaction that was
# rolled back or was still open.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# A crash has something to lose: nobody writes the WAL in between but who must.
# And with that delay, most crashes come between the record of a commit and its
# flush.
my $node = idgen_server('crash', conf => q{
restart_after_crash = on
wal_writer_delay = 10s
checkpoint_timeout = 1h
synchronous_commit = off
fsync = on
commit_delay = 20000
commit_siblings = 0
});
my @sequences = ('rows', 'wide', 'runs');

$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE wide_seq INCREMENT BY 3;
	CREATE SEQUENCE runs_seq;
	SELECT idgen_create('rows', block_size => 3, refill => 'worker'),
		idgen_create('wide', source => 'sequence', refill => 'worker'),
		idgen_create('runs', source => 'sequence', block_size => 3, refill => 'worker'),
		idgen_create('lonely', refill => 'worker');
	CREATE TABLE written (id bigint)});

# One client, nothing else that could flush the WAL for it. What it wrote after
# it drew shows whether the crash lost anything; rarely, the WAL writer is
# faster, and it takes another try.
my ($crashes, $kept) = (0);
do
{
	$node->safe_psql('postgres', 'CHECKPOINT');
	is( $node->safe_psql(
			'postgres', qq{
			SELECT idgen_next('lonely');
			INSERT INTO written VALUES ($crashes)}),
		1 + 20 * $crashes, "the id after $crashes crashes");
	$node->stop('immediate');
	$node->start;
	$kept = $node->safe_psql('postgres', "SELECT count(*) FROM written WHERE id = $crashes");
	$crashes++;
} until ($kept == 0 || $crashes == 10);
is($kept, 0, 'a crash loses what it may lose');
is($node->safe_psql('postgres', q{SELECT idgen_next('lonely')}), 1 + 20 * $crashes, 'and no ids');

my %crash = (
	'immediate shutdown' => sub {
		my (@clients) = @_;

		$node->stop('immediate');
		finish_clients(@clients);
		$node->start;
	},
	'killed worker' => sub {
		my (@clients) = @_;
		my $offset = -s $node->logfile;

		kill('KILL', worker_pid($node, 'postgres'));
		finish_clients(@clients);
		wait_for_restart($node, $offset);
	});
my $script = join('', map { qq{
SELECT '$_ ' || idgen_next('$_');
BEGIN;
SELECT '$_ ' || idgen_next('$_');
SELECT '$_ ' || idgen_next('$_');
ROLLBACK;
} } @sequences);
my (@ids, %max);

foreach my $kind ('immediate shutdown', 'killed worker', 'immediate shutdown', 'killed worker')
{
	my @clients = start_clients($node, 6, $script);
	my @seen;

	wait_for_lines(60, @clients);
	$crash{$kind}->(@clients);
	@seen = seen_ids(@clients);
	cmp_ok(scalar @seen, '>', 180, "$kind: clients saw ids");
	push @ids, @seen;
	is(duplicates(@ids), '', "$kind: no id was issued twice");
}

foreach my $id (@ids)
{
	my ($sequence, $number) = split / /, $id;
	$max{$sequence} = $number if $number > ($max{$sequence} // 0);
}
foreach my $sequence (@sequences)
{
	cmp_ok($node->safe_psql('postgres', "SELECT idgen_next('$sequence')"),
		'>', $max{$sequence}, "\"$sequence\" goes on");
}

$node->stop;
done_testing();

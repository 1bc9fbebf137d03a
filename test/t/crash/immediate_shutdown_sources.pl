# An immediate shutdown loses what was not written to disk. No id that a client
# saw is issued again, be it from a native sequence or a function, whatever
# synchronous_commit is and whether its transaction committed or not.
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
synchronous_commit = off
wal_writer_delay = 10s
checkpoint_timeout = 1h
});

run_sql($node, q{
	CREATE SEQUENCE native;
	CREATE SEQUENCE blocks_seq INCREMENT BY 20;
	CREATE SEQUENCE single_seq;
	CREATE SEQUENCE runs_seq;
	SELECT idgen_create('runs', source => 'sequence', block_size => 50);
	CREATE UNLOGGED SEQUENCE unlogged_seq INCREMENT BY 20});
create_from_function($node, 'fun', 20);

my %draw = (
	blocks => q{idgen_next('blocks', 'sequence')},
	single => q{idgen_next('single', 'sequence')},
	runs => q{idgen_next('runs')},
	fun => q{idgen_next('fun')});

sub crash
{
	$node->stop('immediate');
	$node->start;
	return;
}

# One client, nothing else that could flush the WAL for it. What nextval() gives
# at the end shows whether the crash lost anything; rarely, the WAL writer is
# faster, and it takes another try.
foreach my $name (sort keys %draw)
{
	my ($crashes, $again) = (0, 0);

	do
	{
		run_sql($node, 'CHECKPOINT');
		my ($id, $native) = split /\n/,
		  run_sql($node, "SELECT $draw{$name}; SELECT nextval('native')");
		crash();
		my ($next, $next_native) = split /\n/,
		  run_sql($node, "SELECT $draw{$name}; SELECT nextval('native')");

		cmp_ok($next, '>', $id, "$name: the id is not issued a second time");
		$again = $next_native <= $native;
		$crashes++;
	} until ($again || $crashes == 10);
	ok($again, "$name: what nextval() gave does");
}

# An unlogged sequence has promised nothing.
is(run_sql($node, q{SELECT idgen_next('unlogged', 'sequence')}), '1', 'unlogged');
crash();
is(run_sql($node, q{SELECT idgen_next('unlogged', 'sequence')}),
	'1', 'unlogged: starts again after a crash');

# Many clients until a crash, twice
my @seen;
foreach my $round (1, 2)
{
	my @clients = start_clients(
		$node, 6, qq{
SELECT 'blocks ' || $draw{blocks};
BEGIN;
SELECT 'single ' || $draw{single};
SELECT 'blocks ' || $draw{blocks};
SELECT 'runs ' || $draw{runs};
ROLLBACK;
SELECT 'runs ' || $draw{runs};
});
	wait_for_lines(300, @clients);
	$node->stop('immediate');
	finish_clients(@clients);
	push @seen, seen_ids(@clients);
	$node->start;
}
cmp_ok(scalar @seen, '>', 2000, 'clients saw ids');
is(duplicates(@seen), '', 'no id was issued twice');
foreach my $name ('blocks', 'single', 'runs')
{
	my ($max) = sort { $b <=> $a } map { /^$name (\d+)/ } @seen;
	cmp_ok(run_sql($node, "SELECT $draw{$name}"), '>', $max, "$name: goes on");
}

$node->stop;
done_testing();

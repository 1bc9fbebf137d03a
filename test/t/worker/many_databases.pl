# Each database has its own worker, which does what was asked there, however
# many databases ask at a time.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $number = 10;
my @databases = map { "d$_" } 1 .. $number;
my $node = idgen_server('databases', conf => q{
max_worker_processes = 20
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100s'
});
$node->safe_psql('postgres', q{CREATE DATABASE d1});
$node->safe_psql('d1', q{CREATE EXTENSION idgen; SELECT idgen_create(name, refill => 'worker') FROM unnest('{x,y}'::text[]) name});
$node->safe_psql('postgres', "CREATE DATABASE $_ TEMPLATE d1") foreach @databases[ 1 .. $number - 1 ];

# Each has a request ahead of need, and the last ones have a session that waits,
# too.
my @pids;
foreach my $database (@databases)
{
	$node->safe_psql($database, q{SELECT idgen_next('x')});
	push @pids, stop_worker($node, $database);
	$node->safe_psql($database, q{SELECT idgen_next('x') FROM generate_series(1, 15)});
}
my @waiters;
foreach my $database ('d8', 'd10')
{
	push @waiters, $node->background_psql($database);
	begin_statement($waiters[-1], "SELECT idgen_next('y')");
	wait_for_waiters($node, scalar @waiters, 'idgen_next', 'Extension');
}

# Every second worker goes on, then the others. What they have to do is done,
# and nobody else does it.
my @even = grep { $_ % 2 == 0 } 1 .. $number;
my @odd = grep { $_ % 2 == 1 } 1 .. $number;

sub refilled
{
	my (@numbers) = @_;
	return join ' ', map {
		$node->safe_psql("d$_", q{SELECT string_agg(next_block_start::text, ',' ORDER BY name) FROM id_sequences})
	} @numbers;
}

sub wait_for_refill
{
	my ($number) = @_;
	ok($node->poll_query_until("d$number", q{SELECT next_block_start > 21 FROM id_sequences WHERE name = 'x'}),
		"d$number is refilled");
	return;
}
kill('CONT', $pids[ $_ - 1 ]) foreach @even;
wait_for_refill($_) foreach reverse @even;
is(join(' ', map { $_->query_safe('') } @waiters), '1 1', 'sessions that wait get ids');
is(refilled(@odd), join(' ', ('21,1') x @odd), 'others are not refilled');
kill('CONT', $pids[ $_ - 1 ]) foreach @odd;
wait_for_refill($_) foreach @odd;

# A worker leaves when there is nothing to do, and not before.
$node->append_conf('postgresql.conf', q{idgen.worker_idle_timeout = '0'});
$node->reload;
wait_for_no_worker($node);
is(join(' ', map { $node->safe_psql($_, q{SELECT count(DISTINCT idgen_next('y')) FROM generate_series(1, 200)}) } @databases),
	join(' ', (200) x $number), 'all of them draw on');

$_->quit for @waiters;
$node->stop;
done_testing();

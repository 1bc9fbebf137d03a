# A transaction that rolls back the savepoint in which it has refilled, and then
# refills again, does not get in line behind a session that still waits for it:
# neither would ever get on.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('savepoint');

# What waits is idgen or another program, which waits for the row in any case.
foreach my $case (
	[ 'gapless', 1, "SELECT idgen_next('gapless')", '1 2 3' ],
	[
		'shared', 20,
		q{UPDATE id_sequences SET next_block_start = next_block_start + block_size
			WHERE name = 'shared' RETURNING next_block_start - block_size},
		'1 2 41'
	])
{
	my ($name, $block_size, $wait, $ids) = @$case;
	my ($first, $waiter, $other) = map { $node->background_psql('postgres', on_error_stop => 0) } 1 .. 3;

	$node->safe_psql('postgres', "SELECT idgen_create('$name', block_size => $block_size)");

	# The block's own subtransaction ends before the savepoint does. From then
	# on, a session that waits for it waits for the whole transaction.
	$first->query_safe(
		qq{
		BEGIN;
		SAVEPOINT s;
		DO \$\$
		BEGIN
			PERFORM idgen_next('$name');
		EXCEPTION WHEN division_by_zero THEN
			NULL;
		END\$\$});
	$waiter->query_until(qr/waiting/, "\\echo waiting\n$wait;\n");
	wait_for_waiters($node, 1, 'id');
	$first->query_safe('ROLLBACK TO s');

	# The row is free, and a third session was faster.
	my @drawn = $other->query_safe("BEGIN; SELECT idgen_next('$name')");
	$first->query_until(qr/waiting/, "\\echo waiting\nSELECT idgen_next('$name');\n");
	wait_for_waiters($node, 2, 'id');
	$other->query_safe('COMMIT');
	push @drawn, scalar $first->query('');
	$first->query_safe('COMMIT');
	push @drawn, scalar $waiter->query('');
	is(join(' ', @drawn), $ids, "$name: all three get what they came for");
	$_->quit for ($first, $waiter, $other);
}

$node->stop;
done_testing();

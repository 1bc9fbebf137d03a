# The extension can be dropped, created anew and moved while there is a worker,
# and while sessions wait for it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('extension', conf => q{
idgen.worker_idle_timeout = '100s'
idgen.worker_timeout = '100s'
});

$node->safe_psql('postgres', q{SELECT idgen_create('x', block_size => 5, refill => 'worker')});
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '1', 'first id');
my $pid = worker_pid($node, 'postgres');

# Moved while sessions wait: a function that calls it by a search_path finds it
# again.
my $mover = $node->background_psql('postgres');
my $prepared = $node->background_psql('postgres');
$mover->query_safe('CREATE SCHEMA ids');
$prepared->query_safe(q{SET search_path = public, ids; PREPARE draw AS SELECT idgen_next('x')});
$mover->query_safe(q{BEGIN; SELECT FROM id_sequences WHERE name = 'x' FOR UPDATE});
my $last = use_up($node, 'x');
my @waiters = map { start_statement($node, q{SELECT idgen_next('x')}) } 1 .. 3;
wait_for_waiters($node, 3, 'idgen_next', 'Extension');
$mover->query_safe('ALTER EXTENSION idgen SET SCHEMA ids; COMMIT');
is( join(' ', sort { $a <=> $b } map { $_->query_safe('') } @waiters),
	join(' ', map { $last + $_ } 1 .. 3), 'who has waited gets ids');
is($prepared->query_safe('EXECUTE draw'), $last + 4, 'a prepared statement');
is($node->safe_psql('postgres', q{SELECT max(ids.idgen_next('x')) FROM generate_series(1, 100)}), $last + 104, 'there are more');
is(worker_pid($node, 'postgres'), $pid, 'from the same worker');
$_->quit for @waiters;

# Dropped, and not dropped after all, while a session waits
$mover->query_safe(q{BEGIN; SELECT FROM ids.id_sequences WHERE name = 'x' FOR UPDATE});
$last = use_up($node, 'x', 'ids');
@waiters = (start_statement($node, q{SELECT idgen_next('x')}, 'SET search_path = ids'));
wait_for_waiters($node, 1, 'idgen_next', 'Extension');
$mover->query_safe('DROP EXTENSION idgen; ROLLBACK');
is($waiters[0]->query_safe(''), $last + 1, 'not dropped');
$_->quit for @waiters;

$mover->query_safe(q{BEGIN; SELECT FROM ids.id_sequences WHERE name = 'x' FOR UPDATE});
use_up($node, 'x', 'ids');
@waiters = (start_statement($node, q{SELECT idgen_next('x')}, 'SET search_path = ids', '\set VERBOSITY sqlstate'));
wait_for_waiters($node, 1, 'idgen_next', 'Extension');
$mover->query_safe('DROP EXTENSION idgen; COMMIT');
like(answer($waiters[0], ''), qr/^42/, 'who has waited is told that it is dropped');
$_->quit for ($mover, @waiters);

# Created anew, with the worker that is still there, and one after the other
foreach my $round (1 .. 5)
{
	$node->safe_psql(
		'postgres', qq{
		CREATE EXTENSION idgen;
		SELECT idgen_create('x', $round, block_size => 5, refill => 'worker')});
	is($node->safe_psql('postgres', q{SELECT max(idgen_next('x')) FROM generate_series(1, 20)}), $round + 19, "created anew, $round");
	$node->safe_psql('postgres', 'DROP EXTENSION idgen');
}
is(worker_pid($node, 'postgres'), $pid, 'the worker has not ended');
unlike(slurp_file($node->logfile), qr/LOG:.*could not refill/, 'nor found anything wrong');

$prepared->quit;
$node->stop;
done_testing();

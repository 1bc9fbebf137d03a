# A range that nobody waits for any more: the worker, which could not get at the
# row until now, allocates no more than for others.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('range', conf => q{
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100s'
});
$node->safe_psql('postgres', q{SELECT idgen_create('x', refill => 'worker')});

my $holder = $node->background_psql('postgres');
$holder->query_safe('BEGIN; SELECT FROM id_sequences FOR UPDATE');
my $session = start_statement($node, q{SELECT * FROM idgen_next_range('x', 1000000)}, '\set VERBOSITY sqlstate');
wait_for_waiters($node, 1, '^SELECT . FROM idgen_next_range', 'Extension');

# The worker has begun with the range, then looks again.
my $worker = q{SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'idgen worker' AND query ~ '^refilling'};
$node->poll_query_until('postgres', $worker) or die 'the worker has not begun';
$node->safe_psql('postgres', q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ 'idgen_next_range' AND pid <> pg_backend_pid()});
is(answer($session, ''), '57014', 'given up');
my $now = $node->safe_psql('postgres', 'SELECT clock_timestamp()');
$node->poll_query_until('postgres', "$worker AND (state = 'idle' OR xact_start > '$now')") or die 'the worker does not look again';

$holder->query_safe('COMMIT');
ok($node->poll_query_until('postgres', q{SELECT ids_cached > 0 FROM idgen_stats}), 'the worker has refilled');
is($node->safe_psql('postgres', 'SELECT ids_cached, next_block_start FROM idgen_stats JOIN id_sequences USING (name)'), '20|21', 'a block');

# For a session that waits it does take what is wanted.
is($session->query_safe(q{SELECT * FROM idgen_next_range('x', 1000000)}), '1|1000000', 'a range');
$_->quit for ($holder, $session);

$node->stop;
done_testing();

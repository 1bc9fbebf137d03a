# A session that waits for the worker, and finds that others have drawn all that
# it has brought, asks again. That needs one that wakes up late: it is stopped
# meanwhile.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('late', conf => q{
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100s'
idgen.max_prefetch_blocks = 1
idgen.prefetch_threshold = 0
});
$node->safe_psql('postgres', q{SELECT idgen_create('x', block_size => 5, refill => 'worker')});
my $draw = q{SELECT idgen_next('x')};

# The worker has begun what one session has asked for, when another one asks.
my $holder = $node->background_psql('postgres');
$holder->query_safe(q{BEGIN; SELECT FROM id_sequences FOR UPDATE});
my $first = start_statement($node, $draw);
$node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'idgen worker' AND query ~ '^refilling'})
  or die 'the worker has not begun';
my $late = $node->background_psql('postgres', on_error_stop => 0);
my $pid = $late->query_safe('SELECT pg_backend_pid()');
begin_statement($late, $draw);
wait_for_waiters($node, 2, '^SELECT idgen_next', 'Extension');

kill('STOP', $pid) or die "could not stop process $pid: $!";
$holder->query_safe('COMMIT');
is($first->query_safe(''), '1', 'the first one has its id');
is($node->safe_psql('postgres', q{SELECT string_agg(idgen_next('x')::text, ' ') FROM generate_series(1, 4)}), '2 3 4 5', 'a third one the rest');
is($node->safe_psql('postgres', q{SELECT next_block_start FROM id_sequences}), '6', 'nobody has asked for more');
kill('CONT', $pid) or die "could not continue process $pid: $!";
is(answer($late, ''), '6', 'the second one has the next');
$_->quit for ($holder, $first, $late);

$node->stop;
done_testing();

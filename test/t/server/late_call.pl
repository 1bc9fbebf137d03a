# A call that has waited for something else, for longer than the server may
# take: that still gets time to answer, or what it allocates would be a gap.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre]);

$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 1)});
create_remote('x', '', $node);

# One session asks the centre, and another one waits for it.
my $holder = $centre->background_psql('postgres');
$holder->query_safe(q{BEGIN; SELECT FROM id_sequences FOR UPDATE});
my $first = start_statement($node, q{SELECT idgen_next('x')});
wait_for_waiters($node, 1, '^SELECT idgen_next', 'Extension');
my $late = start_statement($node, q{SELECT idgen_next('x')}, q{SET idgen.server_timeout = '5s'});
wait_for_waiters($node, 1, '^SELECT idgen_next', 'Lock');

# That one looks at the row again, which is locked for longer than it has time.
my $locker = $node->background_psql('postgres');
$locker->query_safe('BEGIN; LOCK TABLE id_sequences');
$node->safe_psql('postgres', 'CREATE SERVER other FOREIGN DATA WRAPPER idgen_fdw');
wait_for_waiters($node, 1, '^SELECT idgen_next');
$holder->query_safe('COMMIT');
is($first->query_safe(''), '1', 'the first session has the id of a block of one');
$node->poll_query_until('postgres', q{
	SELECT count(*) = 1 FROM pg_stat_activity
	WHERE wait_event_type = 'Lock' AND query ~ '^SELECT idgen_next' AND query_start < clock_timestamp() - interval '6500ms'})
  or die 'it does not wait any more';
$locker->query_safe('COMMIT');
is(answer($late, ''), '2', 'the other one gets the next block');
is($centre->safe_psql('postgres', q{SELECT next_block_start FROM id_sequences}), '3', 'none is a gap');

$_->quit for ($holder, $first, $late, $locker);
$node->stop;
$centre->stop;
done_testing();

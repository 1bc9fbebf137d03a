# A refill from a native sequence that is held up, here by a standby that does
# not answer: others wait for its lock, where lock_timeout counts, and go on as
# soon as it is given up.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('held', init => [ allows_streaming => 1 ], conf => q{
synchronous_standby_names = 'nobody'
synchronous_commit = local
idgen.max_sequences = 1
});
my $draw = q{idgen_next('gen', 'sequence')};

$node->safe_psql('postgres', 'CREATE SEQUENCE gen_seq INCREMENT BY 20; CREATE SEQUENCE other_seq');

my $refiller = start_statement($node, "SELECT $draw", 'BEGIN', 'SET LOCAL synchronous_commit = on');
wait_for_waiters($node, 1, 'idgen_next', 'IPC');
my $patient = start_statement($node, "SELECT $draw");
wait_for_waiters($node, 1, 'idgen_next', 'Lock');

is(sqlstate($node, "SET lock_timeout = '10ms'; SELECT $draw"), '55P03', 'lock_timeout counts');
is($node->safe_psql('postgres', 'SELECT waits, refills, ids_cached FROM idgen_stats'), '2|0|0', 'they waited for what is still not there');

$node->safe_psql('postgres', q{
	SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'});
$refiller->query('');
like($refiller->{stderr}, qr/canceling statement due to user request/, 'the one that was held up is cancelled');
$refiller->{stderr} = '';
$refiller->query_safe('ROLLBACK');
is($patient->query_safe(''), '21', 'who has waited refills');
is( $node->safe_psql('postgres', 'SELECT first_id, last_id FROM idgen_cache ORDER BY first_id'),
	'22|40', 'what the standby does not have is not cached');

$_->quit for ($refiller, $patient);
$node->safe_psql('postgres', q{SELECT idgen_next('other', 'sequence')});
is($node->safe_psql('postgres', 'SELECT name FROM idgen_stats'), 'other', 'nothing is left behind');

$node->stop;
done_testing();

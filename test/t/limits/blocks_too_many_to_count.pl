# The cached ids of an id sequence are counted in 64 bits. A block that would
# make them too many is lost, and counted as that.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('many');
my $size = (1 << 59) - 1;

# A session that holds the row never waits for another's refill: so there are
# many blocks at the same time, as large as they can be. What each session draws
# is a block of its own, so that all others are side by side, which makes one of
# them.
$node->safe_psql(
	'postgres', qq{
	CREATE SEQUENCE calls MINVALUE 0;
	CREATE FUNCTION allocate(name text, blocks integer) RETURNS TABLE (first_id bigint, last_id bigint)
	BEGIN ATOMIC
		WITH s AS (SELECT nextval('calls') - 16 AS n)
		SELECT -9223372036854775000 + n, -9223372036854775000 + n FROM s
		UNION ALL
		SELECT n * $size + 1000, (n + 1) * $size + 999 FROM s;
	END;
	SELECT idgen_create('x', source => 'function', source_name => 'public.allocate')});
my @sessions = map { $node->background_psql('postgres') } 1 .. 17;
$_->query_safe(q{BEGIN; SELECT FROM id_sequences FOR SHARE; SELECT idgen_next('x')}) for @sessions;
my $stats = q{SELECT ids_issued, ids_cached, ids_lost FROM idgen_stats};

$_->query_safe('COMMIT') for @sessions[ 0 .. 15 ];
is($node->safe_psql('postgres', $stats), '16|9223372036854775792|0', 'as many as can be counted');
$sessions[16]->query_safe('COMMIT');
is($node->safe_psql('postgres', $stats), '17|9223372036854775792|' . $size, 'one block more is lost');
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '-9223372036854774792', 'they go on from the first one');
is($node->safe_psql('postgres', $stats), '18|9223372036854775791|' . $size, 'and are counted');
$_->quit for @sessions;

$node->stop;
done_testing();

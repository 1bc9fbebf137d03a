# The worker allocates for each id sequence in a subtransaction. When more are
# to be refilled at once than the server keeps numbers of subtransactions of, it
# takes several transactions: one with more of them slows down every snapshot of
# the server.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('subtransactions', conf => q{
track_commit_timestamp = on
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100s'
});

# One session draws nearly all of the first blocks of many, so that each asks
# for another one, for which it does not wait. Meanwhile the worker is stopped.
# Then: how many have been refilled, in how many transactions, and of how many
# in one at most?
sub refill_many
{
	my ($prefix) = @_;

	$node->safe_psql(
		'postgres', qq{
		TRUNCATE id_sequences;
		SELECT idgen_create('$prefix' || i, refill => 'worker') FROM generate_series(1, 200) i;
		SELECT count(idgen_next('$prefix' || i)) FROM generate_series(1, 200) i});
	my $pid = worker_pid($node, 'postgres');
	$node->poll_query_until('postgres', "SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = $pid")
	  or die 'the worker is never idle';
	kill('STOP', $pid);
	$node->safe_psql('postgres', "SELECT count(idgen_next('$prefix' || i)) FROM generate_series(1, 200) i, generate_series(1, 18)");
	kill('CONT', $pid);
	$node->poll_query_until('postgres', 'SELECT count(*) = 200 FROM id_sequences WHERE next_block_start > 21')
	  or die 'not all are refilled';
	return $node->safe_psql(
		'postgres', q{
		SELECT sum(n), count(*), max(n)
		FROM (SELECT count(*) AS n FROM id_sequences GROUP BY pg_xact_commit_timestamp(xmin)) s});
}

is(refill_many('plain'), '200|4|60', 'no more than 60 in a transaction');

# With a trigger that writes in a subtransaction, half as many
$node->safe_psql(
	'postgres', q{
	CREATE TABLE public.changes (name text);
	CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		INSERT INTO public.changes VALUES (new.name);
		RETURN NULL;
	EXCEPTION WHEN division_by_zero THEN
		RETURN NULL;
	END $$;
	CREATE TRIGGER note AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION note()});
is(refill_many('triggered'), '200|7|30', 'fewer where triggers have subtransactions, too');

$node->stop;
done_testing();

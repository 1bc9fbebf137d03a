# No transaction of the worker has more than 64 subtransactions, however many id
# sequences are to be refilled at once: of more, the server keeps no numbers,
# which slows down every snapshot.
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
# Then: of how many have been refilled in one transaction at most?
sub refill_many
{
	my ($prefix) = @_;

	$node->safe_psql(
		'postgres', qq{
		TRUNCATE id_sequences;
		SELECT idgen_create('$prefix' || i, refill => 'worker') FROM generate_series(1, 200) i;
		SELECT count(idgen_next('$prefix' || i)) FROM generate_series(1, 200) i});
	my $pid = stop_worker($node, 'postgres');

	$node->safe_psql('postgres', "SELECT count(idgen_next('$prefix' || i)) FROM generate_series(1, 200) i, generate_series(1, 18)");
	kill('CONT', $pid);
	$node->poll_query_until('postgres', 'SELECT count(*) = 200 FROM id_sequences WHERE next_block_start > 21')
	  or die 'not all are refilled';
	return $node->safe_psql(
		'postgres', q{
		SELECT max(n) FROM (SELECT count(*) AS n FROM id_sequences GROUP BY pg_xact_commit_timestamp(xmin)) s});
}

cmp_ok(refill_many('plain'), '<=', 64, 'a subtransaction for each id sequence');

# With a trigger that writes in a subtransaction of its own, half as many
$node->safe_psql(
	'postgres', q{
	CREATE TABLE public.changes (name text);
	CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
	BEGIN
		INSERT INTO public.changes VALUES (new.name);
		RETURN NULL;
	EXCEPTION WHEN division_by_zero THEN
		RETURN NULL;
	END $$;
	CREATE TRIGGER note AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION note()});
cmp_ok(refill_many('triggered'), '<=', 32, 'where triggers have subtransactions, too');

$node->stop;
done_testing();

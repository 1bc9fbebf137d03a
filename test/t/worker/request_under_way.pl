# What is requested while an attempt of the worker is under way is not lost if
# that attempt fails: the next one begins, though nobody draws meanwhile.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('underway', conf => q{
idgen.worker_timeout = '1000s'
idgen.worker_idle_timeout = '1000s'
});
$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('x', refill => 'worker');
	SELECT idgen_next('x');
	CREATE SEQUENCE public.tries;
	CREATE SEQUENCE public.ends;
	CREATE FUNCTION public.try() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM nextval('public.tries');
		PERFORM pg_advisory_xact_lock_shared(1);
		IF nextval('public.ends') = 1 THEN
			RAISE 'not the first time';
		END IF;
		RETURN new;
	END $$;
	CREATE TRIGGER try BEFORE UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION public.try()});

# An attempt that cannot end as long as the lock is held
my $holder = $node->background_psql('postgres');
$holder->query_safe('SELECT pg_advisory_lock(1)');
$node->safe_psql('postgres', q{SELECT idgen_next('x') FROM generate_series(1, 10)});
$node->poll_query_until('postgres', 'SELECT is_called FROM public.tries') or die 'the worker does not try';
is($node->safe_psql('postgres', q{SELECT max(idgen_next('x')) FROM generate_series(1, 6)}), '17', 'ids are left');
$holder->query_safe('SELECT pg_advisory_unlock(1)');
$node->poll_query_until('postgres', 'SELECT is_called FROM public.ends') or die 'the attempt does not end';
ok($node->poll_query_until('postgres', 'SELECT next_block_start > 21 FROM id_sequences'), 'the next attempt succeeds');

$holder->quit;
$node->stop;
done_testing();

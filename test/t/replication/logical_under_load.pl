# Logical decoding sees every refill: a subscription that copies id_sequences
# while ids are drawn, and then follows, ends with the same rows. Programs that
# copy a table in this way to make it anew, such as pg_squeeze, rely on that.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $publisher = idgen_server('publisher', init => [ allows_streaming => 'logical' ], conf => 'max_connections = 30');
my $subscriber = idgen_server('subscriber');

$publisher->safe_psql(
	'postgres', q{
	SELECT idgen_create('own', block_size => 2), idgen_create('worker', block_size => 2, refill => 'worker'),
		idgen_create('gapless', block_size => 1), idgen_create('child/*', block_size => 2);
	CREATE PUBLICATION p FOR TABLE id_sequences});

# Every half a second, a child is new. The pauses leave the subscriber time to
# catch up, also on a busy machine: what it has to apply grows with each refill.
my @clients = start_clients($publisher, 4, q{
SELECT 'own ' || idgen_next('own') FROM pg_sleep(0.05);
SELECT 'worker ' || idgen_next('worker');
SELECT format('child%s %s', n, idgen_next('child/' || n)) FROM (SELECT (extract(epoch FROM now()) * 2)::bigint % 1000 AS n) AS times;
BEGIN;
SELECT 'own ' || idgen_next('own') FROM generate_series(1, 5);
SAVEPOINT a;
SELECT 'gapless ' || idgen_next('gapless') FROM generate_series(1, 12);
ROLLBACK TO a;
SELECT 'gapless ' || idgen_next('gapless') FROM generate_series(1, 17);
COMMIT;
}, times => 20_000);
wait_for_ids(50, @clients);

# subscribe(identity): copies the table anew, with that REPLICA IDENTITY
sub subscribe
{
	my ($identity) = @_;
	my $connstr = $publisher->connstr . ' dbname=postgres';

	$publisher->safe_psql('postgres', "ALTER TABLE id_sequences REPLICA IDENTITY $identity");
	$subscriber->safe_psql('postgres', 'DELETE FROM id_sequences');
	$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION s CONNECTION '$connstr' PUBLICATION p");
	$subscriber->wait_for_subscription_sync($publisher, 's');
	wait_for_ids(50, @clients);
	return;
}

subscribe('FULL');
$subscriber->safe_psql('postgres', 'DROP SUBSCRIPTION s');
subscribe('DEFAULT');
is(join("\n", map { slurp_file($_->{err}) } @clients), "\n" x $#clients, 'no session met with an error');
terminate_clients($publisher, @clients);

# The worker may still be refilling ahead.
wait_for_no_worker($publisher);
$publisher->wait_for_catchup('s');
my $rows = q{SELECT * FROM id_sequences ORDER BY name COLLATE "C"};
is($subscriber->safe_psql('postgres', $rows), $publisher->safe_psql('postgres', $rows), 'the copy has the same rows');
cmp_ok($subscriber->safe_psql('postgres', q{SELECT count(*) FROM id_sequences WHERE name LIKE 'child/_%'}),
	'>', 2, 'those of children, too');

my @own = sort { $a <=> $b } map { /^own (\d+)$/ } seen_ids(@clients);
$subscriber->safe_psql('postgres', 'DROP SUBSCRIPTION s');
cmp_ok($subscriber->safe_psql('postgres', "SELECT idgen_next('own')"), '>', $own[-1], 'whose ids go on behind those that were drawn');

$subscriber->stop;
$publisher->stop;
done_testing();

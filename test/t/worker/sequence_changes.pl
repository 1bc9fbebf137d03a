# A native sequence from which the worker refills is restarted and gets another
# increment, over and over, while sessions draw: no id is issued twice, and what
# was cached before a change does not come after it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The less a refill brings, the more often one meets a change.
my $node = idgen_server('changes', conf => q{
idgen.worker_timeout = '100s'
idgen.max_prefetch_blocks = 1
});

$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE gen_seq INCREMENT BY 20;
	SELECT idgen_create('gen', source => 'sequence', block_size => 5, refill => 'worker')});

# First without changes: with another id sequence on the same sequence, and with
# others who call nextval(). That gives the ids from the value to the next one.
$node->safe_psql('postgres', q{SELECT idgen_create('twin', source => 'sequence', source_name => 'gen_seq', refill => 'worker')});
my @clients = start_clients(
	$node, 8, q{
SELECT 'gen ' || idgen_next('gen');
BEGIN;
SELECT 'gen ' || idgen_next('twin');
SELECT 'gen ' || generate_series(v, v + 19) FROM nextval('gen_seq') v;
SELECT 'gen ' || idgen_next('gen');
ROLLBACK;
});
wait_for_lines(500, @clients);
terminate_clients($node, @clients);
my @ids = seen_ids(@clients);
cmp_ok(scalar @ids, '>', 3000, 'clients saw ids');
is(duplicates(@ids), '', 'no id was issued twice');
$node->safe_psql('postgres', q{DELETE FROM id_sequences WHERE name = 'twin'});

# Every change makes the sequence go on far above.
@clients = start_clients(
	$node, 8, q{
SELECT 'gen ' || idgen_next('gen');
BEGIN;
SELECT 'gen ' || idgen_next('gen');
SELECT 'gen ' || idgen_next('gen');
ROLLBACK;
});
my $session = $node->background_psql('postgres');
my ($changes, $wrong) = (0, '');
foreach my $round (1 .. 150)
{
	my $increment = (20, 1, 7)[ $round % 3 ];
	my ($start, $end) = ($round * 1000000, $round * 1000000 + 999999);

	$session->query_safe("ALTER SEQUENCE gen_seq INCREMENT BY $increment RESTART WITH $start");
	my $id = $session->query_safe(q{SELECT idgen_next('gen')});
	$wrong .= " $id after $start" if $id < $start || $id > $end;
}
is($wrong, '', 'after each change, ids come from the new run');
terminate_clients($node, @clients);
push @ids, seen_ids(@clients);
is(duplicates(@ids), '', 'no id was issued twice, whatever was rolled back');
is(join('', grep { /ERROR/ } map { slurp_file($_->{err}) =~ s/.*administrator command//r } @clients), '', 'no client saw an error');

# Backwards: old ids are issued again, but nothing that was cached before comes
# in between.
$session->query_safe('ALTER SEQUENCE gen_seq INCREMENT BY 2 RESTART WITH 1');
is($session->query_safe(q{SELECT string_agg(idgen_next('gen')::text, ' ') FROM generate_series(1, 30)}),
	join(' ', 1 .. 30), 'restarted at the beginning');

$session->quit;
$node->stop;
done_testing();

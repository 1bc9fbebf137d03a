# Refills remove the old versions of their row as they go, as updates by SQL do:
# however many a session makes, the table needs no vacuum to stay small.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $refills = 3000;
my %ids_of_block = (gapless => 1, own => 20, worker => 20);
my $node = idgen_server('small', conf => "autovacuum = off\nidgen.max_prefetch_blocks = 1\n");

$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('gapless', block_size => 1), idgen_create('own'),
		idgen_create('worker', refill => 'worker')});

# Each transaction draws a whole block.
foreach my $name (sort keys %ids_of_block)
{
	my $ids = $ids_of_block{$name};

	$node->pgbench(
		"-n -c 1 -t $refills", 0,
		[qr{processed: $refills/$refills}], [qr/^$/],
		"$name: one session refills",
		{ "154_$name" => "SELECT count(idgen_next('$name')) FROM generate_series(1, $ids)" });
	cmp_ok($node->safe_psql('postgres', q{SELECT pg_relation_size('id_sequences') / current_setting('block_size')::int}),
		'<=', 2, "$name: pages of the table");
}

$node->stop;
done_testing();

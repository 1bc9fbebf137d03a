# 500 sessions draw at once, from a few id sequences and from more than there is
# room for in the cache. All get their ids, none is issued twice, and all that
# rows have given is accounted for.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $sessions = 500;
my $node = idgen_server('crowd', conf => qq{
max_connections = 520
shared_buffers = 16MB
autovacuum = off
idgen.max_sequences = 40
idgen.worker_timeout = '200s'
});

$node->safe_psql(
	'postgres', q{
	CREATE UNLOGGED TABLE drawn (name text, id bigint);
	SELECT idgen_create('few' || i, block_size => 10) FROM generate_series(0, 2) i;
	SELECT idgen_create('worker' || i, block_size => 10, refill => 'worker') FROM generate_series(0, 2) i;
	SELECT idgen_create('many' || i, block_size => 10) FROM generate_series(0, 199) i});

$node->pgbench(
	"-n -c $sessions -j 2 -t 4", 0,
	[ qr{processed: 2000/2000} ], [qr/^$/],
	'500 sessions draw',
	{
		'few@1' => q{
\set i random(0, 2)
INSERT INTO drawn VALUES ('few' || :i, idgen_next('few' || :i)), ('worker' || :i, idgen_next('worker' || :i));
},
		'many@1' => q{
\set i random(0, 199)
INSERT INTO drawn VALUES ('many' || :i, idgen_next('many' || :i)), ('many' || :i, idgen_next('many' || :i));
}
	});

is($node->safe_psql('postgres', 'SELECT count(*), count(DISTINCT (name, id)) FROM drawn'), '4000|4000', 'no id was issued twice');
# The worker may still be about to put some into the cache.
wait_until(sub { return unaccounted($node, 4000) == 0 }, 'the account of all ids');

$node->stop;
done_testing();

# Native sequences with CACHE: what nextval() sets aside in a session is in
# idgen's cache, so it does not go with the session, nor with DISCARD.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('sequence_cache', conf => q{
idgen.worker_idle_timeout = 0
});

# Are all values that were taken from the sequence issued, or cached?
sub all_known
{
	my ($name, $width) = @_;
	return $node->safe_psql('postgres', qq{
		SELECT ids_issued + ids_cached = last_value + $width - 1, ids_lost
		FROM idgen_stats, ${name}_seq WHERE name = '$name'});
}

# As Oracle migrations write it
$node->safe_psql('postgres', 'CREATE SEQUENCE gen_seq INCREMENT BY 20 START WITH 1 CACHE 20');
my @ids = map { $node->safe_psql('postgres', q{SELECT idgen_next('gen', 'sequence')}) } 1 .. 25;
is(join(' ', @ids), join(' ', 1 .. 25), '25 sessions of one draw each');
is($node->safe_psql('postgres', q{SELECT refills, blocks_taken, ids_cached, ids_lost FROM idgen_stats}),
	'1|20|375|0', 'one refill was enough');
is($node->safe_psql('postgres', 'SELECT last_value FROM gen_seq'), '381', 'nextval() was called for one set of values');

# A session that calls nextval() itself, and leaves the rest to idgen
is( $node->safe_psql('postgres', q{
		SELECT count(idgen_next('gen', 'sequence')) FROM generate_series(26, 400);
		SELECT nextval('gen_seq');
		SELECT idgen_next('gen', 'sequence')}),
	"375\n401\n421", 'nextval(), then a refill');
is($node->safe_psql('postgres', q{SELECT idgen_next('gen', 'sequence'), ids_cached FROM idgen_stats}),
	'422|379', 'the rest of the set is there for the next session');

# A session that lives on, and is cleaned
my $pooled = $node->background_psql('postgres');
is( $pooled->query_safe(q{SELECT max(idgen_next('gen', 'sequence')) FROM generate_series(423, 900)}), '900', 'a refill in a pooled session');
$pooled->query_safe('DISCARD ALL');
is($pooled->query_safe(q{SELECT idgen_next('gen', 'sequence')}), '901', 'DISCARD ALL loses nothing');
$pooled->quit;
is($node->safe_psql('postgres', q{SELECT idgen_next('gen', 'sequence')}), '902', 'nor does the end of the session');

# Restarted, altered
$node->safe_psql('postgres', q{
	SELECT idgen_create('row', source => 'sequence', source_name => 'gen_seq');
	SELECT idgen_restart('row', 1)});
is($node->safe_psql('postgres', q{SELECT idgen_next('gen', 'sequence'), last_value FROM gen_seq}), '1|1', 'idgen_restart()');
is($node->safe_psql('postgres', q{SELECT idgen_next('gen', 'sequence'), last_value FROM gen_seq}), '2|381', 'and the next one');
$node->safe_psql('postgres', 'ALTER SEQUENCE gen_seq CACHE 2 RESTART 1001');
is($node->safe_psql('postgres', q{SELECT count(idgen_next('gen', 'sequence')) FROM generate_series(1, 40)}), '40', 'another CACHE');
is($node->safe_psql('postgres', q{SELECT last_value, ids_cached FROM gen_seq, idgen_stats WHERE name = 'gen'}), '1021|0', 'that many values');

# Many sessions of one transaction each, at the same time: by session, by the
# worker, and one by one in blocks
$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE many_seq INCREMENT BY 20 CACHE 7;
	CREATE SEQUENCE worker_seq INCREMENT BY 20 CACHE 7;
	CREATE SEQUENCE single_seq CACHE 7;
	SELECT idgen_create('many', source => 'sequence'), idgen_create('worker', source => 'sequence', refill => 'worker'),
		idgen_create('single', source => 'sequence', block_size => 10);
	CREATE TABLE drawn (name text, id bigint, UNIQUE (name, id))});
$node->pgbench(
	'-n -C -c 6 -t 50', 0, [], [], 'many sessions at the same time',
	{
		sequence_cache => q{
			INSERT INTO drawn SELECT name, idgen_next(name)
			FROM (VALUES ('many'), ('worker'), ('single')) AS s(name), generate_series(1, 30)}
	});
wait_for_no_worker($node);
is(all_known('many', 20), 't|0', 'none is lost');
is(all_known('worker', 20), 't|0', 'nor with a worker that ends after each refill');
is($node->safe_psql('postgres', q{
		SELECT ids_issued + ids_cached + ids_lost = last_value, ids_lost = ids_lost_crowded
		FROM idgen_stats, single_seq WHERE name = 'single'}),
	't|t', 'nor in pieces, but for those that the cache has no room for');

# A clean restart
my $next = $node->safe_psql('postgres', q{SELECT idgen_peek('many')});
$node->restart;
is($node->safe_psql('postgres', q{SELECT idgen_next('many')}), $next, 'a restart of the server loses nothing either');

$node->stop;
done_testing();

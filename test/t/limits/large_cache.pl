# A cache of 20,000 id sequences, all of which are in use: views, counters, a
# clean restart, and removing them.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $many = 20_000;
my $node = idgen_server('large', conf => "idgen.max_sequences = $many");

sub value
{
	my ($query) = @_;
	return $node->safe_psql('postgres', $query);
}

value("INSERT INTO id_sequences (name, next_block_start, block_size) SELECT 'n' || i, 1, 10 FROM generate_series(1, $many) i");
is(value("SELECT count(idgen_next('n' || i)) FROM generate_series(1, $many) i"), $many, 'one id of each');
is(value('SELECT sequences, evictions, ids_uncached FROM idgen_cache_totals'), "$many|0|0", 'there is room for all');
is(value('SELECT count(*), sum(ids_issued), sum(ids_cached) FROM idgen_stats'), "$many|$many|" . 9 * $many, 'all are in the view');
is(value('SELECT idgen_stats_reset(); SELECT sum(ids_issued), sum(ids_cached) FROM idgen_stats'),
	"\n0|" . 9 * $many, 'the counters are reset');

$node->restart;
is(value('SELECT count(*), min(first_id), max(first_id), min(last_id) FROM idgen_cache'), "$many|2|2|10", 'all are there after a restart');
is(value("SELECT count(DISTINCT idgen_next('n' || i)) FROM generate_series(1, $many) i"), '1', 'and go on');

value("INSERT INTO id_sequences (name, next_block_start) VALUES ('one more', 1)");
is(value(q{SELECT idgen_next('one more')}), '1', 'one more');
is(value('SELECT sequences, evictions FROM idgen_cache_totals'), "$many|1", 'for which another one has given way');

value('TRUNCATE id_sequences');
value("INSERT INTO id_sequences (name, next_block_start) SELECT 'n' || i, 100 FROM generate_series(1, $many) i");
is(value("SELECT min(id), max(id) FROM (SELECT idgen_next('n' || i) AS id FROM generate_series(1, $many) i) s"),
	'100|100', 'nothing is left after TRUNCATE');

$node->stop;
done_testing();

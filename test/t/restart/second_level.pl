# What idle id sequences have left survives a clean restart, also with fewer
# slots than before. After a crash it is a gap: no id is issued twice. The file
# has slots as they lie in memory: any other order makes a stop many times as
# slow with very many.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('kept', conf => "idgen.max_sequences = 20\n");
my $long = 'l' x 250;

$node->safe_psql(
	'postgres', qq{
	CREATE TABLE drawn (name text, id bigint, PRIMARY KEY (name, id));
	SELECT idgen_create('n' || i, block_size => 10) FROM generate_series(1, 90) i;
	SELECT idgen_create('$long' || i, block_size => 10) FROM generate_series(1, 10) i});

# One more id of each, in a transaction each
my $names = $node->safe_psql('postgres', 'SELECT name FROM id_sequences ORDER BY name');
my $draws = join('', map { "INSERT INTO drawn VALUES ('$_', idgen_next('$_'));\n" } split /\n/, $names);

sub draw
{
	$node->safe_psql('postgres', $draws);
	return;
}

# From which to which id has each drawn? An answer for all that agree.
sub drawn
{
	return $node->safe_psql('postgres',
		'SELECT min, max, count(*) FROM (SELECT min(id), max(id) FROM drawn GROUP BY name) s GROUP BY 1, 2 ORDER BY 1, 2');
}

sub blocks
{
	return $node->safe_psql('postgres', 'SELECT name, first_id, last_id FROM idgen_cache ORDER BY 1, 2');
}

sub idle
{
	return $node->safe_psql('postgres', 'SELECT sequences, idle_sequences, idle_ids FROM idgen_cache_totals');
}

sub restart
{
	my $before = blocks();

	$node->restart;
	is(blocks(), $before, 'all is there after a restart');
	return;
}

draw();
is(idle(), '20|80|720', 'most of them are idle');
restart();
is(idle(), '20|80|720', 'as before');
draw();
is(drawn(), '1|2|100', 'and go on');

# With fewer slots, and with more
$node->adjust_conf('postgresql.conf', 'idgen.max_sequences', '3');
restart();
is(idle(), '3|97|776', 'those without a slot are idle');
draw();
$node->adjust_conf('postgresql.conf', 'idgen.max_sequences', '200');
restart();
is(idle(), '100|0|0', 'all that there is a slot for have one');
draw();
is(drawn(), '1|4|100', 'and go on');

# With less room than there are id sequences: those used last are kept.
$node->adjust_conf('postgresql.conf', 'idgen.max_sequences', '20');
restart();
$node->safe_psql('postgres', q{INSERT INTO drawn SELECT 'n' || i, idgen_next('n' || i) FROM generate_series(30, 69) i});
$node->stop;
$node->append_conf('postgresql.conf', 'idgen.max_idle_sequences = 20');
my $offset = -s $node->logfile;
$node->start;
like(slurp_file($node->logfile, $offset), qr/LOG:  \d+ cached ids are lost/, 'with less room, the log says what is lost');
is(idle(), '20|20|100', 'and what there is room for is kept');
is( $node->safe_psql('postgres', q{SELECT count(*) FROM generate_series(30, 69) i JOIN idgen_cache ON name = 'n' || i WHERE first_id = 6}),
	'40', 'that is what was used last');
$node->adjust_conf('postgresql.conf', 'idgen.max_idle_sequences', '1000');

# A crash
$node->restart;
draw() for 1 .. 3;
my $before = $node->safe_psql('postgres', 'SELECT sum(next_block_start) FROM id_sequences');
kill_server($node);
$node->adjust_conf('postgresql.conf', 'idgen.max_sequences', '200');
$node->start;
is(blocks(), '', 'after a crash, nothing is cached');
draw();
is( $node->safe_psql('postgres', 'SELECT count(*) FROM drawn JOIN id_sequences USING (name) WHERE id = next_block_start - block_size'),
	'100', 'each goes on with its next block');
is($node->safe_psql('postgres', 'SELECT sum(next_block_start) FROM id_sequences'), $before + 100 * 10, 'of its row');

$node->stop;
my $file = substr(slurp_file($node->data_dir . '/pg_stat/idgen.cache'), 64); # without the header of the file
my $at = 0;
foreach my $name (split /\n/, $names)
{
	$at = index($file, $name, $at);
	last if $at < 0;
	$at += length $name;
}
cmp_ok($at, '>', 0, 'the file has the slots in their order');
done_testing();

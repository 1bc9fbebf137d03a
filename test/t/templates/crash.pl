# Backends and the whole server are killed while clients make children of
# templates: a child is there with all that was committed of it, or not at all,
# and those of the worker never issue an id twice.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('crash', conf => q{
restart_after_crash = on
synchronous_commit = off
wal_writer_delay = 10s
max_connections = 30
});
$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('gapless/*', block_size => 1), idgen_create('auto/*', block_size => 3, refill => 'auto'),
		idgen_create('worker/*', block_size => 3, refill => 'worker');
	CREATE SEQUENCE tenants;
	CREATE TABLE drawn (sequence text, id bigint, PRIMARY KEY (sequence, id));
	CREATE FUNCTION draw(kind text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE name text := kind || '/' || nextval('tenants') / 4;
	BEGIN
		INSERT INTO drawn VALUES (name, idgen_next(name));
		RETURN name;
	END $$});

my $broken = q{
	SELECT sequence, count(*), min(id), max(id), next_block_start FROM drawn LEFT JOIN id_sequences ON name = sequence
	GROUP BY sequence, next_block_start, template
	HAVING min(id) < 1 OR max(id) >= next_block_start IS NOT FALSE OR template IS NULL
		OR (sequence LIKE 'gapless%' AND count(*) <> next_block_start - 1)};
my @sql = map { "SELECT '$_ ' || draw('$_');" } qw(gapless auto worker);

foreach my $how ('KILL', 'immediate', 'KILL')
{
	my $offset = -s $node->logfile;
	my @clients = map { start_clients($node, 2, $_) } @sql;
	wait_for_lines(100, @clients);
	if ($how eq 'KILL')
	{
		my $pid = $node->safe_psql('postgres', "SELECT min(pid) FROM pg_stat_activity WHERE application_name = 'client'");
		is(kill('KILL', $pid), 1, 'killed a backend');
	}
	else
	{
		$node->stop('immediate');
	}
	finish_clients(@clients);
	$how eq 'KILL' ? wait_for_restart($node, $offset) : $node->start;
	is($node->safe_psql('postgres', $broken), '', "$how: no child is half there, and no number is missing");
}
cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM id_sequences'), '>', 100, 'many children were made');

# What the crash has left can be drawn from, and is not issued again.
is( $node->safe_psql('postgres', q{
		SELECT count(*) FROM (SELECT DISTINCT sequence FROM drawn) d, LATERAL (SELECT idgen_next(d.sequence) AS id) n
		WHERE EXISTS (SELECT FROM drawn WHERE drawn.sequence = d.sequence AND drawn.id = n.id)}),
	'0', 'no id is issued twice');
$node->stop;
done_testing();

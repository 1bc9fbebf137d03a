# pg_repack copies a table while others write to it, and learns by a row trigger
# what they write. It may be run on id_sequences, and on a table whose column
# draws ids, under load: no id is issued twice, and nothing fails.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('repacked', conf => 'max_connections = 30');

plan skip_all => 'pg_repack is not here' unless extension_available($node, 'pg_repack');

$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION pg_repack;
	SELECT idgen_create('own', block_size => 2), idgen_create('worker', block_size => 2, refill => 'worker'),
		idgen_create('gapless', block_size => 1), idgen_create('orders', block_size => 3);
	CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_next('orders'), number bigint);
	CREATE INDEX ON orders (number)});

my @clients = start_clients($node, 6, q{
SELECT 'own ' || idgen_next('own');
SELECT 'worker ' || idgen_next('worker');
INSERT INTO orders (number) VALUES (idgen_next('gapless')) RETURNING 'orders ' || id;
BEGIN;
SELECT 'own ' || idgen_next('own') FROM generate_series(1, 5);
SELECT 'gapless ' || idgen_next('gapless') FROM generate_series(1, 2);
ROLLBACK;
BEGIN;
SELECT 'own ' || idgen_next('own') FROM generate_series(1, 5);
COMMIT;
}, times => 20_000);
wait_for_ids(100, @clients);

# repack(table): runs pg_repack on it, and sees that it has
sub repack
{
	my ($table) = @_;
	my $file = "SELECT pg_relation_filenode('$table')";
	my $before = $node->safe_psql('postgres', $file);

	command_ok(
		[
			'pg_repack', '-h', $node->host, '-p', $node->port, '-d', 'postgres',
			'--no-order', '--table', "public.$table"
		],
		"pg_repack $table");
	isnt($node->safe_psql('postgres', $file), $before, "$table is a new file");
	return;
}

foreach (1 .. 3)
{
	repack('id_sequences');
	wait_for_ids(50, @clients);
	repack('orders');
	wait_for_ids(50, @clients);
}
is(join("\n", map { slurp_file($_->{err}) } @clients), "\n" x $#clients, 'no session met with an error');
terminate_clients($node, @clients);

my @ids = committed_ids(@clients);
is(duplicates(@ids), '', 'no id was issued twice');
is($node->safe_psql('postgres', 'SELECT count(*) - max(number), count(*) > 100 FROM orders'), '0|t', 'and gapless ones have no gap');
is($node->safe_psql('postgres', q{SELECT count(*) FROM id_sequences JOIN (VALUES
	('gapless', (SELECT max(number) FROM orders)), ('orders', (SELECT max(id) FROM orders))) AS used (name, last) USING (name)
	WHERE last >= next_block_start}), '0', 'the rows are ahead of the ids');

$node->stop;
done_testing();

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

# The centre of some is another database of the same server.
$node->safe_psql('postgres', 'CREATE DATABASE centre');
$node->safe_psql('centre', q{
	CREATE EXTENSION idgen;
	CREATE EXTENSION pg_repack;
	SELECT idgen_create('far', block_size => 2)});
$node->safe_psql(
	'postgres', sprintf(q{
	CREATE EXTENSION pg_repack;
	CREATE TABLE orders (id bigint PRIMARY KEY, number bigint);
	CREATE INDEX ON orders (number);
	SELECT idgen_create('own', block_size => 2), idgen_create('worker', block_size => 2, refill => 'worker'),
		idgen_create('gapless', block_size => 1), idgen_create('orders', block_size => 3, owned_by => 'orders.id'),
		idgen_create('child/*', block_size => 2), idgen_create('scrambled', block_size => 2, layout => 'scrambled'),
		idgen_create('still', block_size => 100);
	ALTER TABLE orders ALTER id SET DEFAULT idgen_next('orders');
	CREATE SERVER idgen_default FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host '%s', port '%s', dbname 'centre');
	CREATE USER MAPPING FOR CURRENT_USER SERVER idgen_default;
	SELECT idgen_create('far', source => 'server');
	SELECT idgen_next('still')}, $node->host, $node->port));

# Every half a second, a child is new.
my @clients = start_clients($node, 6, q{
SELECT 'own ' || idgen_next('own');
SELECT 'worker ' || idgen_next('worker');
SELECT 'scrambled ' || idgen_next('scrambled');
SELECT 'far ' || idgen_next('far');
SELECT format('child%s %s', n, idgen_next('child/' || n)) FROM (SELECT (extract(epoch FROM now()) * 2)::bigint % 1000 AS n) AS times;
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

# repack(table, database): runs pg_repack on it, and sees that it has
sub repack
{
	my ($table, $database) = @_;
	my $file = "SELECT pg_relation_filenode('$table')";
	my $before = $node->safe_psql($database, $file);

	command_ok(
		[
			'pg_repack', '-h', $node->host, '-p', $node->port, '-d', $database,
			'--no-order', '--table', "public.$table"
		],
		"pg_repack $table in $database");
	isnt($node->safe_psql($database, $file), $before, "$table is a new file");
	wait_for_ids(50, @clients);
	return;
}

foreach (1 .. 3)
{
	repack('id_sequences', 'postgres');
	repack('orders', 'postgres');
	repack('id_sequences', 'centre');
}
repack('idgen_secrets', 'postgres');
is(join("\n", map { slurp_file($_->{err}) } @clients), "\n" x $#clients, 'no session met with an error');
terminate_clients($node, @clients);

my @ids = committed_ids(@clients);
is(duplicates(@ids), '', 'no id was issued twice');
is($node->safe_psql('postgres', 'SELECT count(*) - max(number), count(*) > 100 FROM orders'), '0|t', 'and gapless ones have no gap');

# The row of each that has one
my %next = map { split /\|/ } split /\n/,
  $node->safe_psql('postgres', q{SELECT replace(name, '/', ''), next_block_start FROM id_sequences WHERE source = 'table' AND layout = 'plain'})
  . "\n" . $node->safe_psql('centre', 'SELECT name, next_block_start FROM id_sequences');
my %behind = map { $_ => 1 } grep { /^(\w+) (\d+)$/ && $1 ne 'scrambled' && $2 >= $next{$1} } @ids;
is(join(' ', sort keys %behind), '', 'the rows are ahead of the ids');
cmp_ok(scalar(grep { /^child\d/ } keys %next), '>', 2, 'children were made meanwhile');

# What was cached before still is.
is($node->safe_psql('postgres', q{SELECT first_id, last_id FROM idgen_cache WHERE name = 'still'}), '2|100', 'cached ids are there');
is($node->safe_psql('postgres', q{SELECT idgen_next('still')}), '2', 'and are drawn');
is($node->safe_psql('postgres', q{SELECT owned_by FROM id_sequences WHERE name = 'orders'}), 'public.orders.id', 'the row still belongs to its column');

$node->stop;
done_testing();

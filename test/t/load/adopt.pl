# Columns are moved over to id sequences and back, again and again, while many
# sessions insert: no insert fails, and no id is issued twice.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('adopt', conf => 'max_connections = 30');

$node->safe_psql(
	'postgres', q{
	CREATE TABLE orders (id serial PRIMARY KEY);
	CREATE TABLE events (id bigint GENERATED ALWAYS AS IDENTITY, kind integer, PRIMARY KEY (id, kind))
		PARTITION BY LIST (kind);
	CREATE TABLE events1 PARTITION OF events FOR VALUES IN (1);
	CREATE TABLE events2 PARTITION OF events FOR VALUES IN (2, 3);
	CREATE FUNCTION draw() RETURNS bigint LANGUAGE plpgsql AS $$
	DECLARE
		native text := pg_get_serial_sequence('orders', 'id');
	BEGIN
		IF native IS NOT NULL THEN
			RETURN nextval(native::regclass);
		END IF;
		RETURN idgen_next('public.orders.id');
	EXCEPTION WHEN others THEN -- moved meanwhile
		RETURN 0;
	END$$});

my $script = $node->basedir . '/insert';
append_to_file($script, q{
\set kind random(1, 3)
\set end random(0, 4)
BEGIN;
INSERT INTO orders SELECT FROM generate_series(1, 2);
INSERT INTO orders DEFAULT VALUES;
INSERT INTO events (kind) VALUES (:kind);
\if :end = 0
ROLLBACK;
\else
COMMIT;
\endif
INSERT INTO events (kind) VALUES (:kind);
});

# These draw an id first, from whatever there is, and insert it later.
my $draw_script = $node->basedir . '/draw';
append_to_file($draw_script, q{
SELECT draw() AS id \gset
\if :id
INSERT INTO orders VALUES (:id);
\endif
});
my ($stdout, $stderr) = ('', '');
my $pgbench = IPC::Run::start(
	[ 'pgbench', '-n', '-M', 'prepared', '-c', 8, '-j', 2, '-t', 800, '-f', $script, '-f', $draw_script, $node->connstr('postgres') ],
	'>', \$stdout,
	'2>', \$stderr);

# The first id after each move, by its own account
my %moved;
my $events = 0;
foreach my $round (1 .. 6)
{
	foreach my $call ("adopt('orders', 'id')", "adopt('events', 'id')",
		"release('orders', 'id')", "release('events', 'id')")
	{
		$events += 90;
		$node->poll_query_until('postgres', "SELECT count(*) >= $events FROM events")
		  or die 'the load does not go on';
		my ($ret, $answer, $error) = $node->psql('postgres', "SELECT idgen_$call");
		is($error, '', "$call, round $round");
		push @{ $moved{$1} }, $2 if $answer =~ /^column "id" of table "public\.(\w+)" .*beginning with (\d+)/;
	}
}
$pgbench->finish;
is($stderr, '', 'no insert failed');
like($stdout, qr{processed: 6400/6400}, 'all of them were made');

is($node->safe_psql('postgres', 'SELECT count(*) FROM (SELECT id FROM events GROUP BY id HAVING count(*) > 1) s'),
	0, 'no id is in two partitions');
foreach my $table ('orders', 'events')
{
	my @starts = @{ $moved{$table} };

	is_deeply(\@starts, [ sort { $a <=> $b } @starts ], "$table: each move went on behind the one before");
	is(scalar @starts, 12, "$table: all moves were made");
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM id_sequences'), 0, 'nothing is left behind');

$node->stop;
done_testing();

# A subscription of FOR ALL TABLES takes the tables of the extension along, and
# has none of their rows before: neither the first copy nor what comes later
# meets a row that is there. After a switch-over ids go on where they were, at
# the other server and back.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my %servers = map { $_ => idgen_server($_, init => [ allows_streaming => 'logical' ]) } 'blue', 'green';
my $tables = q{
	CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_next('orders'));
	CREATE TABLE bills (id serial PRIMARY KEY)};

# Every row that the extension has made itself
is( $servers{$_}->safe_psql('postgres', q{
		SELECT string_agg(objid::regclass::text, ',') FROM pg_depend JOIN pg_class ON pg_class.oid = objid
		WHERE classid = 'pg_class'::regclass AND deptype = 'e' AND relkind = 'r'
			AND query_to_xml('SELECT 1 FROM ' || objid::regclass, true, true, '')::text ~ '<row>'}),
	'', "$_: no table has a row from the start") foreach sort keys %servers;

# has FROM subscribe TO: TO copies all tables of FROM, and gets their changes
sub subscribe
{
	my ($from, $to) = @_;
	my $connstr = $servers{$from}->connstr . ' dbname=postgres';

	$servers{$from}->safe_psql('postgres', 'CREATE PUBLICATION everything FOR ALL TABLES');
	$servers{$to}->safe_psql('postgres', "CREATE SUBSCRIPTION of_$to CONNECTION '$connstr' PUBLICATION everything");
	$servers{$to}->wait_for_subscription_sync($servers{$from}, "of_$to");
	return;
}

# Nobody draws at FROM any more; TO gets the rest, and is on its own.
sub switch_over
{
	my ($from, $to) = @_;

	$servers{$from}->wait_for_catchup("of_$to");
	$servers{$to}->safe_psql('postgres', "DROP SUBSCRIPTION of_$to");
	$servers{$from}->safe_psql('postgres', 'DROP PUBLICATION everything');
	return;
}

sub insert
{
	my ($server) = @_;

	return $servers{$server}->safe_psql('postgres', q{
		INSERT INTO orders SELECT FROM generate_series(1, 3);
		INSERT INTO bills SELECT FROM generate_series(1, 3);
		SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM bills)});
}

$servers{blue}->safe_psql('postgres', $tables);
$servers{blue}->safe_psql('postgres', q{
	SELECT idgen_create('orders'), idgen_adopt('bills', 'id'), idgen_create('secret', layout => 'scrambled', max_value => 1000);
	SELECT idgen_reserve_node(7, 'a test');
	SELECT number FROM idgen_lease_node(gen_random_uuid(), 1, 'x', 0, 9, 60, 0, gen_random_uuid(), '{}', '{}', '{}', '{}')});
is(insert('blue'), '3|3', 'ids are drawn at the first server');
$servers{green}->safe_psql('postgres', $tables);

# Both draw from one centre, and each remembers what it has got there itself.
my $centre = central_server('centre');
$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('early', 1, 10), ('late', 1, 10)});
$_->safe_psql('postgres', sprintf(q{
	CREATE SERVER idgen_default FOREIGN DATA WRAPPER idgen_fdw OPTIONS (%s);
	CREATE USER MAPPING FOR CURRENT_USER SERVER idgen_default}, server_options($centre))) foreach values %servers;
$servers{blue}->safe_psql('postgres', q{
	SELECT idgen_create('early', source => 'server'), idgen_create('late', source => 'server');
	SELECT idgen_next('early')});
subscribe('blue', 'green');
is($servers{green}->safe_psql('postgres', q{SELECT idgen_next('early'), idgen_next('late')}), '11|1', 'both draw from a centre');
is($servers{blue}->safe_psql('postgres', q{SELECT idgen_next('early'), idgen_next('late')}), '2|11', 'each its own blocks');
is( join("\n", map { $servers{$_}->safe_psql('postgres', q{SELECT name, last_id FROM idgen_centre_marks}) } 'blue', 'green'),
	"early|10\nlate|20\nearly|20\nlate|10", 'each has its own marks');
is(insert('blue'), '6|6', 'and while the other one gets what changes');
is($servers{green}->safe_psql('postgres', q{SELECT string_agg(number::text, ',' ORDER BY number) FROM idgen_nodes}),
	'0,7,9', 'node numbers arrive');
$servers{blue}->safe_psql('postgres', q{
	SELECT number FROM idgen_lease_node(gen_random_uuid(), 2, 'y', 0, 9, 60, 0, gen_random_uuid(), '{}', '{}', '{}', '{}')});
switch_over('blue', 'green');
is($servers{green}->safe_psql('postgres', q{SELECT string_agg(number::text, ',' ORDER BY number) FROM idgen_nodes}),
	'0,7,9,10', 'those that come later, too');
is($servers{green}->safe_psql('postgres', q{
		ALTER TABLE bills ALTER id SET DEFAULT idgen_next('public.bills.id');
		SELECT count(*) FROM id_sequences}), '5', 'rows arrive');
is(insert('green'), '9|9', 'no id is drawn twice after the switch-over');

$servers{blue}->safe_psql('postgres', q{
	TRUNCATE orders, bills, id_sequences, idgen_secrets, idgen_node_numbers, idgen_leases});
subscribe('green', 'blue');
is(insert('green'), '12|12', 'nor while the first server subscribes');
switch_over('green', 'blue');
is(insert('blue'), '15|15', 'nor after all went back there');

$_->stop foreach (values %servers, $centre);
done_testing();

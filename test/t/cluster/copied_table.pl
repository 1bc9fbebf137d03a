# Somebody copies id_sequences, or a table with a column that draws ids, while
# many draw: pg_repack, VACUUM FULL, CLUSTER. An audit trigger writes down each
# change. No id is issued twice, no call fails, and the trigger sees every
# refill.
#
# A part of "make test-cluster"; the tests of topic other_programs look closer,
# at a lower rate.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib", "$FindBin::RealBin/../../cluster";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Trial;

plan skip_all => 'make test-cluster runs it' unless $ENV{CLUSTER};

my $node = idgen_server('copied', conf => 'max_connections = 60');

plan skip_all => 'pg_repack is not here' unless extension_available($node, 'pg_repack');

$node->safe_psql(
	'postgres', q{
	CREATE EXTENSION pg_repack;
	SELECT idgen_create('own', block_size => 2), idgen_create('worker', block_size => 2, refill => 'worker'),
		idgen_create('orders', block_size => 3), idgen_create('gapless', block_size => 1);
	CREATE TABLE orders (id bigint PRIMARY KEY DEFAULT idgen_next('orders'));
	CREATE TABLE numbers (id bigint PRIMARY KEY DEFAULT idgen_next('gapless'));
	CREATE TABLE log (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text, was bigint, becomes bigint);
	CREATE FUNCTION log_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
	BEGIN
		INSERT INTO log (name, was, becomes) VALUES (NEW.name, OLD.next_block_start, NEW.next_block_start);
		RETURN NULL;
	END$$;
	CREATE TRIGGER log AFTER UPDATE ON id_sequences FOR EACH ROW EXECUTE FUNCTION log_change()});

my $trial = Trial->new('copied_table');
my %streams = (
	own => "SELECT idgen_next('own')",
	worker => "SELECT idgen_next('worker')",
	orders => 'INSERT INTO orders DEFAULT VALUES RETURNING id',
	gapless => 'INSERT INTO numbers DEFAULT VALUES RETURNING id');

$trial->draw($_, $_, $node->connstr('postgres'), $streams{$_}, sessions => 3, pause => 1) foreach sort keys %streams;

sub run
{
	my ($event, $what) = @_;

	$trial->event($event);
	$what->();
	my @without = $trial->wait_for_ids(300, 60);
	is("@without", '', "$event: ids of each kind");
	return;
}

sub repack
{
	my ($table) = @_;

	system_or_bail('pg_repack', '-h', $node->host, '-p', $node->port, '-d', 'postgres', '--no-order',
		'--table', "public.$table");
	return;
}

run('nothing happens', sub { });
foreach (1 .. 3)
{
	run('pg_repack id_sequences', sub { repack('id_sequences') });
	run('pg_repack of a table', sub { repack('orders') });
}
run('VACUUM FULL id_sequences', sub { $node->safe_psql('postgres', 'VACUUM FULL id_sequences') });
run('CLUSTER id_sequences', sub { $node->safe_psql('postgres', 'CLUSTER id_sequences USING id_sequences_pkey') });

foreach my $event ($trial->end)
{
	is($event->{duplicates}, 0, "$event->{text}: no id was issued twice");
	is(join(' ', %{ $event->{errors} }), '', "$event->{text}: no call failed");
}
is( $node->safe_psql(
		'postgres', q{
		SELECT name, count(*) FILTER (WHERE was IS DISTINCT FROM before)
		FROM (SELECT name, was, lag(becomes, 1, was) OVER (PARTITION BY name ORDER BY id) AS before FROM log) changes
		GROUP BY name ORDER BY name}),
	"gapless|0\norders|0\nown|0\nworker|0", 'the trigger has seen every refill');
$trial->report;

$node->stop;
done_testing();

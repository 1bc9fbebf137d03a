# With idgen.step_over, ids are stepped over that a centre might give again, and
# the log says so: where the row is behind what was received; and with all id
# sequences, each once, where the centre is on an earlier timeline or another
# database cluster. No id is issued twice.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre', init => [ allows_streaming => 1 ]);
my @nodes = idgen_nodes(2, centres => [$centre], conf => q{
idgen.worker_timeout = '100s'
idgen.step_over = 100000
});
my $node = $nodes[0];

run_sql($centre, q{
	INSERT INTO id_sequences VALUES ('x', 1, 3), ('worker', 1, 3), ('a', 1, 10), ('b', 1, 10), ('short', 1, 10), ('range', 1, 10);
	ALTER TABLE id_sequences ADD max_value bigint NOT NULL DEFAULT 9223372036854775807;
	UPDATE id_sequences SET max_value = 1000 WHERE name = 'short'});
create_remote($_, '', @nodes) foreach ('x', 'a', 'b', 'short', 'range');
create_remote('worker', q{refill => 'worker'}, @nodes);

sub draw
{
	my ($name) = @_;
	return $node->safe_psql('postgres', "SELECT max(idgen_next('$name')) FROM generate_series(1, 10)");
}

# What the log says from that place on
sub logged
{
	my ($offset) = @_;
	return join("\n", map { s/.*LOG:  //r } grep { /LOG:  server .* has gone back/ } split /\n/, slurp_file($node->logfile, $offset));
}

# Under load
my @clients = map { start_node_clients($_) } @nodes;
wait_for_ids(100, @clients);
$centre->backup('early');
wait_for_ids(100, @clients);
$centre->stop('immediate');
restore($centre, 'early');
wait_for_ids(100, @clients);
terminate_clients($nodes[$_], @clients[ $_ * @clients / 2 .. ($_ + 1) * @clients / 2 - 1 ]) foreach (0, 1);
my @ids = seen_ids(@clients);
is( join("\n", grep { !/^57P01: terminating connection due to administrator command|^08001: could not connect to server "central"|^08006: connection to server "central" was lost|^57P03|^08006: server "central" did not answer in time/ } client_errors(@clients)),
	'', 'clients met only with errors of the connection');
is(duplicates(@ids), '', 'no id was issued twice');
is(not_allocated($centre, @ids), '', 'no id is beyond what the centre has allocated');
like(join("\n", map { slurp_file($_->logfile) } @nodes), qr/LOG:  server "central" has gone back with id sequence "x", which goes on at \d+\n.*DETAIL:  It would go on at \d+, and has given \d+ before\./, 'the log says so');

# One after the other
is(join(' ', draw('a'), draw('b'), draw('short')), '10 10 10', 'ids');
run_sql($node, q{SELECT idgen_next_range('range', 100)});
my $offset = -s $node->logfile;
run_sql($centre, q{UPDATE id_sequences SET next_block_start = 5 WHERE name IN ('a', 'short', 'range')});
is(run_sql($node, q{SELECT idgen_peek('a')}), '100011', 'idgen_peek knows');
is(draw('a'), '100020', 'a row that is behind');
is(draw('b'), '20', 'not another one');
is(run_sql($node, q{SELECT * FROM idgen_next_range('range', 15)}), '100101|100115', 'a range');
is(sqlstate($node, q{SELECT idgen_next('short')}), '55000', 'there is no room to step over');
is(logged($offset), qq{server "central" has gone back with id sequence "a", which goes on at 100011
server "central" has gone back with id sequence "range", which goes on at 100101}, 'the log');

# Another database cluster, with the same rows
my $other = central_server('other', init => [ force_initdb => 1 ]);
run_sql($other, q{INSERT INTO id_sequences VALUES ('a', 500001, 10), ('b', 1001, 10), ('new', 1, 10)});
run_sql($node, sprintf("ALTER SERVER central OPTIONS (%s)", server_options($other) =~ s/(\w+ ')/SET $1/gr));
create_remote('new', '', $node);
$offset = -s $node->logfile;
is(join(' ', draw('a'), draw('b'), draw('new')), '600010 101010 10', 'all that was drawn before is stepped over, even what is ahead');
is(join(' ', draw('a'), draw('b'), draw('new')), '600020 101020 20', 'once');
is(logged($offset), qq{server "central" has gone back with id sequence "a", which goes on at 600001
server "central" has gone back with id sequence "b", which goes on at 101001}, 'the log');
like(slurp_file($node->logfile, $offset), qr/DETAIL:  Its system identifier is \d+, and was \d+ before\.
(?:.*\n)*.*DETAIL:  That was seen when another id sequence was refilled from there\./, 'it says why');

# The setting is gone before all have stepped over.
run_sql($node, sprintf("ALTER SERVER central OPTIONS (%s)", server_options($centre) =~ s/(\w+ ')/SET $1/gr));
run_sql($centre, q{UPDATE id_sequences SET next_block_start = 2000001 WHERE name IN ('a', 'b')});
is(draw('a'), '2100010', 'back to the first one');
kill_server($node);
$node->adjust_conf('postgresql.conf', 'idgen.step_over', '0');
$node->start;
cmp_ok(draw('a'), '>', 2100010, 'what has stepped over goes on');
is(sqlstate($node, q{SELECT idgen_next('b')}), '55000', 'what has not is refused');
is(sqlstate($node, q{SELECT idgen_peek('b')}), '55000', 'idgen_peek, too');
like(run_sql($node, q{SELECT problem FROM idgen_health WHERE name = 'b'}), qr/That was seen when another id sequence was refilled from there\./, 'idgen_health');
$node->adjust_conf('postgresql.conf', 'idgen.step_over', '7');
$node->reload;
$node->poll_query_until('postgres', q{SELECT current_setting('idgen.step_over') = '7'});
is(draw('b'), '2000017', 'until it may step over');

# However many others are drawn from, nothing of that is forgotten.
run_sql($other, q{
	INSERT INTO id_sequences SELECT 'm' || i, 1, 10 FROM generate_series(1, 30) AS i;
	UPDATE id_sequences SET next_block_start = 3000001 WHERE name IN ('a', 'b')});
run_sql($node, sprintf(q{
	CREATE SERVER second FOREIGN DATA WRAPPER idgen_fdw OPTIONS (%s);
	CREATE USER MAPPING FOR CURRENT_USER SERVER second;
	SELECT idgen_create('m' || i, source => 'server', source_name => 'second') FROM generate_series(1, 30) AS i}, server_options($other)));

sub draw_others
{
	run_sql($node, q{SELECT count(idgen_next('m' || i)) FROM generate_series(1, 30) AS i, generate_series(1, 10)});
	return;
}

draw_others();
run_sql($node, sprintf("ALTER SERVER central OPTIONS (%s)", server_options($other) =~ s/(\w+ ')/SET $1/gr));
is(join(' ', draw('a'), draw('b')), '3000017 3000017', 'there once more');
run_sql($centre, q{UPDATE id_sequences SET next_block_start = 4000001 WHERE name IN ('a', 'b')});
draw_others();
run_sql($node, sprintf("ALTER SERVER central OPTIONS (%s)", server_options($centre) =~ s/(\w+ ')/SET $1/gr));
is(join(' ', draw('a'), draw('b')), '4000017 4000017', 'and back');

$_->stop foreach (@nodes, $centre, $other);
done_testing();

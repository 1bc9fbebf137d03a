# What the centre's row says counts on every node: where the next block begins,
# its size, and its end. A plain table with the classic columns will do. What
# the node's row says of these does not count; its layout and big_base do.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Besides, the centre has a database with the extension.
my $centre = central_server('centre');
run_sql($centre, 'CREATE DATABASE extended');
$centre->safe_psql('extended', 'CREATE SCHEMA ids; CREATE EXTENSION idgen SCHEMA ids');

my @nodes = idgen_nodes(2, centres => [$centre], conf => 'idgen.node_id = 2');
my ($a, $b) = map { $_->background_psql('postgres', on_error_stop => 0) } @nodes;
$_->query_safe('\set VERBOSITY sqlstate') foreach ($a, $b);

# What sessions get for the statement, one after the other
sub ask
{
	my ($sql, @sessions) = @_;
	return join(' ', map { answer($_, "SELECT $sql") } @sessions);
}

sub draw
{
	my ($name, @sessions) = @_;
	return ask("idgen_next('$name')", @sessions);
}

sub central
{
	my ($sql) = @_;
	return run_sql($centre, $sql);
}

# The size of a block
central(q{INSERT INTO id_sequences VALUES ('x', 1, 5)});
create_remote('x', q{next_block_start => 77, block_size => 2, max_value => 80}, @nodes);
is(draw('x', $a, $b, $a, $b), '1 6 2 7', 'each node has a block of its own');
is(central(q{SELECT next_block_start, exhausted FROM id_sequences}), '11|0', 'which the centre has allocated');
central(q{UPDATE id_sequences SET block_size = 100});
is(draw('x', ($a) x 4, ($b) x 4), '3 4 5 11 8 9 10 111', 'another block_size counts from the next refill');
is(central(q{SELECT next_block_start FROM id_sequences}), '211', 'on every node');
is( run_sql($nodes[0], q{SELECT next_block_start, block_size, max_value, exhausted FROM id_sequences}),
	'77|2|80|0', q{the node's row stays as it is});
is( run_sql($nodes[0], q{
		SELECT source, source_name, refill, ids_issued, ids_cached, ids_lost, blocks_taken, refills, percent_left
		FROM idgen_stats}),
	'server|central|transaction|6|99|0|2|2|', 'idgen_stats of a node');
central(q{UPDATE id_sequences SET next_block_start = 1000});
is(draw('x', $a), '12', 'ids that are cached stay so when the centre goes on somewhere else');

# What comes next
is(ask(q{idgen_peek('x'), idgen_last('x')}, $a, $b), '13|12 112|111', 'idgen_peek of what is cached');
central(q{INSERT INTO id_sequences VALUES ('peek', 501, 5)});
create_remote('peek', '', @nodes);
is(ask(q{idgen_peek('peek')}, $a, $b), '501 501', 'of what is not, the centre knows');
is(draw('peek', $b), '501', 'it was not taken');
is(ask(q{idgen_peek('peek')}, $a, $b), '506 502', 'each node has its own answer');

# Ranges
central(q{INSERT INTO id_sequences VALUES ('range', 1, 5)});
create_remote('range', '', @nodes);
is(ask(q{* FROM idgen_next_range('range', 7)}, $a, $b), '1|7 11|17', 'ranges are of whole blocks of the centre');
is(draw('range', $a, $b), '8 18', 'the rest is cached');
is(ask(q{* FROM idgen_next_range('range', 2)}, $a, $b), '9|10 19|20', 'and makes ranges');
is(ask(q{* FROM idgen_next_range('range', 1000)}, $a), '21|1020', 'a long one');
is(central(q{SELECT next_block_start FROM id_sequences WHERE name = 'range'}), '1021', 'nothing was allocated in vain');

# The end of a plain table's ids is that of their type.
central(q{INSERT INTO id_sequences VALUES ('last', 9223372036854775800, 5)});
create_remote('last', '', @nodes);
is(draw('last', $a, $b), '9223372036854775800 9223372036854775805', 'the last block is short');
is(central(q{SELECT exhausted FROM id_sequences WHERE name = 'last'}), '1', 'that is all, says the centre');
is(draw('last', $b, $b, $b, $b, $a), '9223372036854775806 9223372036854775807 2200H 2200H 9223372036854775801',
	'who has ids left goes on');
is(draw('last', ($a) x 5), '9223372036854775802 9223372036854775803 9223372036854775804 2200H 2200H',
	'until he has not');
is(ask(q{idgen_peek('last')}, $a), '2200H', 'nothing comes next');

# An id sequence of the extension has another end, which can be changed.
run_sql($_, q{
	CREATE SERVER extended FOREIGN DATA WRAPPER idgen_fdw OPTIONS (}
	  . server_options($centre) =~ s/'postgres'/'extended'/r . q{, schema_name 'ids', remote_name 'bounded');
	CREATE USER MAPPING FOR CURRENT_USER SERVER extended;
	SELECT idgen_create('end', source => 'server', source_name => 'extended')}) foreach @nodes;
$centre->safe_psql('extended', q{SELECT ids.idgen_create('bounded', block_size => 4, max_value => 10)});
is(draw('end', $a, $b, ($a) x 5), '1 5 2 3 4 9 10', 'max_value at the centre');
is(draw('end', $a, $b, $b, $b, $b), '2200H 6 7 8 2200H', 'on every node');
is( $centre->safe_psql('extended', q{SELECT next_block_start, exhausted FROM ids.id_sequences}),
	'11|1', 'and as the extension leaves it');
$centre->safe_psql('extended', q{UPDATE ids.id_sequences SET max_value = 30, exhausted = 0});
is(draw('end', $a, $b), '11 15', 'another max_value');
is(ask(q{* FROM idgen_next_range('end', 17)}, $a), '2200H', 'a range that there is no room for');
is(ask(q{* FROM idgen_next_range('end', 12)}, $a), '19|30', 'takes nothing from others');
$centre->safe_psql('extended', q{UPDATE ids.id_sequences SET source = 'sequence', source_name = 'ids.any', max_value = 50, exhausted = 0});
is(draw('end', ($b) x 4), '16 17 18 22023', 'an id sequence that does not draw from the table is refused');

# How ids are composed is the node's business.
central(q{INSERT INTO id_sequences VALUES ('composed', 1, 20)});
create_remote('composed', q{layout => 'prefixed'}, $nodes[0]);
create_remote('composed', q{big_base => 1e30}, $nodes[1]);
$a->query_safe('SET idgen.channel = 7');
like(draw('composed', $a), qr/^27\d{3}00000000000001$/, 'a layout');
is(ask(q{(idgen_parts(idgen_next('composed'), 'prefixed')).sequence_value}, $a), '2', 'on top of the ids of the centre');
is(ask(q{idgen_next_big('composed')}, $b), '1000000000000000000000000000021', 'big_base');

$_->quit foreach ($a, $b);
$_->stop foreach (@nodes, $centre);
done_testing();

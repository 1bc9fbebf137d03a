# Ids that were drawn: is one there twice, is one missing? And id sequences of
# all kinds to draw them from.
package IdgenTest::Ids;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IdgenTest::Sessions;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(
  duplicates not_allocated missing_ids use_up create_from_function all_kinds create_all_kinds
  start_all_kinds issued_ids drawn_ids goes_on
);

# Those elements of the list that are there more than once, as text.
sub duplicates
{
	my %count;

	$count{$_}++ for @_;
	return join(' ', sort grep { $count{$_} > 1 } keys %count);
}

# not_allocated(centre, line, ...): those of the lines "<id sequence> <id>"
# whose id the centre has not allocated, as text.
sub not_allocated
{
	my ($centre, @ids) = @_;
	my %next = map { split /\|/ } split /\n/,
	  $centre->safe_psql('postgres', 'SELECT name, next_block_start FROM id_sequences');

	return join("\n", grep { /^(\w+) (\d+)$/ && $2 >= $next{$1} } @ids);
}

# missing_ids(name, issued, centre, node, ...): how many ids the centre has
# allocated that are neither among the number of issued ones, nor in the nodes'
# accounts. A worker may still be about to put some into the cache.
sub missing_ids
{
	my ($name, $issued, $centre, @nodes) = @_;
	my $missing;

	wait_until(sub {
		$missing = $centre->safe_psql('postgres', "SELECT next_block_start - 1 FROM id_sequences WHERE name = '$name'") - $issued;
		$missing -= $_->safe_psql('postgres', "SELECT coalesce(sum(ids_cached + ids_lost), 0) FROM idgen_stats WHERE name = '$name'")
		  foreach @nodes;
		return $missing <= 0;
	}, "all ids of $name");
	return $missing;
}

# use_up(server, sequence, schema): draws what is cached, and what the worker is
# about to bring, while the row is locked. Answers the last id.
sub use_up
{
	my ($node, $sequence, $schema) = @_;
	$schema //= 'public';

	$node->safe_psql(
		'postgres', qq{
		SET idgen.worker_timeout = '100ms';
		DO \$\$
		BEGIN
			LOOP
				PERFORM $schema.idgen_next('$sequence');
			END LOOP;
		EXCEPTION WHEN lock_not_available OR insufficient_resources THEN
			NULL;
		END\$\$});
	return $node->safe_psql('postgres', "SELECT next_block_start - 1 FROM $schema.id_sequences WHERE name = '$sequence'");
}

# create_from_function(server, name, size, database): creates an id sequence
# that draws blocks of that size from a function, which counts in a table.
sub create_from_function
{
	my ($node, $name, $size, $database) = @_;

	$node->safe_psql(
		$database // 'postgres', qq{
		CREATE TABLE counter (name text PRIMARY KEY, next bigint);
		INSERT INTO counter VALUES ('$name', 1);
		CREATE FUNCTION allocate(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint)
		BEGIN ATOMIC
			UPDATE counter c SET next = next + $size * blocks WHERE c.name = allocate.name
			RETURNING next - $size * blocks, next - 1;
		END;
		SELECT idgen_create('$name', source => 'function', source_name => 'allocate')});
	return;
}

# An id sequence of each kind that keeps its place in the database, with how to
# draw from it: refilled by sessions or by the worker, from the table, native
# sequences and a function, with blocks of different sizes.
my %all_kinds = (
	(map { $_ => "idgen_next('$_')" }
		  qw(own small large gapless early worker worker_small runs native_worker fun)),
	native => q{idgen_next('native', 'sequence')});

sub all_kinds
{
	return %all_kinds;
}

# Creates them, and a table for ids that are drawn.
sub create_all_kinds
{
	my ($node) = @_;

	$node->safe_psql(
		'postgres', q{
		CREATE SEQUENCE native_seq INCREMENT BY 20;
		CREATE SEQUENCE native_worker_seq INCREMENT BY 5;
		CREATE SEQUENCE runs_seq;
		SELECT idgen_create('own'),
			idgen_create('small', block_size => 3),
			idgen_create('large', block_size => 200),
			idgen_create('gapless', block_size => 1),
			idgen_create('early', block_size => 1, early_release => true),
			idgen_create('worker', refill => 'worker'),
			idgen_create('worker_small', block_size => 3, refill => 'worker'),
			idgen_create('runs', source => 'sequence', block_size => 50),
			idgen_create('native_worker', source => 'sequence', refill => 'worker');
		CREATE TABLE drawn (name text, id bigint, PRIMARY KEY (name, id))});
	create_from_function($node, 'fun', 20);
	return;
}

# start_all_kinds(server, number, kinds => [name, ...]): starts clients that
# draw from all kinds, or from those: alone, into the table, and in transactions
# that commit or roll back.
sub start_all_kinds
{
	my ($node, $number, %params) = @_;
	my @names = sort @{ $params{kinds} // [ keys %all_kinds ] };
	my $select = join('', map { "SELECT '$_ ' || $all_kinds{$_};\n" } @names);
	my $insert = join('',
		map { "INSERT INTO drawn VALUES ('$_', $all_kinds{$_}) RETURNING name || ' ' || id;\n" } @names);

	return start_clients($node, $number, "$select$insert${select}BEGIN;\n${insert}COMMIT;\nBEGIN;\n${select}ROLLBACK;\n",
		times => 500, %params);
}

# The ids that clients of all kinds have got for good: in transactions that they
# know to have committed or, of kinds that a rollback does not take back, in
# any.
sub issued_ids
{
	my $transactional = qr/^(?:own|small|large|gapless|early|fun) /;

	return ((grep { /$transactional/ } committed_ids(@_)), (grep { !/$transactional/ } seen_ids(@_)));
}

# drawn_ids(server, database): the ids in the table, like lines of clients.
sub drawn_ids
{
	my ($node, $database) = @_;
	return split /\n/, $node->safe_psql($database // 'postgres', q{SELECT name || ' ' || id FROM drawn});
}

# goes_on(server, what, ids, database): does each kind go on behind all these
# ids? New ones go into the table, too.
sub goes_on
{
	my ($node, $what, $ids, $database) = @_;
	my (%max, @behind);

	foreach my $id (@$ids)
	{
		my ($name, $number) = split / /, $id;
		$max{$name} = $number if $number > ($max{$name} // 0);
	}
	my $new = $node->safe_psql(
		$database // 'postgres',
		join('', map { qq{
		WITH new AS (INSERT INTO drawn SELECT '$_', $all_kinds{$_} FROM generate_series(1, 50) RETURNING id)
		SELECT '$_ ' || min(id) FROM new;} } sort keys %all_kinds));

	foreach my $id (split /\n/, $new)
	{
		my ($name, $number) = split / /, $id;
		push @behind, "$id is not after " . ($max{$name} // 'any') if $number <= ($max{$name} // $number);
	}
	is(join("\n", @behind), '', "$what: every id sequence goes on");
	return;
}

1;

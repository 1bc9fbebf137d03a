# Other programs allocate blocks from the same row with a SELECT and an UPDATE,
# at full speed, whatever refills from it next to them: sessions, the worker, or
# nodes for which it is the centre's row. Nobody gets an id that somebody else
# has, nobody fails, and everybody gets a turn.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The two ways of the other program. It either locks the row, or tries again.
my $locking = { level => 'READ COMMITTED', for_update => 'FOR UPDATE', options => [] };
my $retrying = { level => 'REPEATABLE READ', for_update => '', options => ['--max-tries=0'] };

# Either is used on a row of its own. The third row has block_size 1.
my %way = (locking => $locking, retrying => $retrying, single => $locking);
my %block_size = (locking => 7, retrying => 7, single => 1);

# It allocates a block and issues the ids itself.
sub other_program
{
	my ($name, $way) = @_;
	return random_transaction(qq{
SELECT next_block_start AS first, block_size AS n FROM id_sequences WHERE name = '$name' $way->{for_update} \\gset
UPDATE id_sequences SET next_block_start = next_block_start + :n WHERE name = '$name';
INSERT INTO drawn SELECT '$name', generate_series(:first, :first + :n - 1);
}, $way->{level});
}

# A session draws twice, and notes the ids in the table. If it is the session
# that refills ($transactional), a rollback gives them back. Otherwise they are
# gone, and are noted after the transaction.
sub idgen
{
	my ($name, $transactional) = @_;
	my $draw = "SELECT idgen_next('$name') AS a, idgen_next('$name') AS b \\gset\n";
	my $note = "INSERT INTO drawn VALUES ('$name', :a), ('$name', :b);\n";

	return $transactional ? random_transaction($draw . $note) : random_transaction($draw) . $note;
}

# The other program runs at the server that has the row, idgen at these nodes.
sub run_side_by_side
{
	my ($name, $way, $server, $transactional, @nodes) = @_;
	my $seconds = 1;
	my (%processed, %said);

	# On a busy machine, a second may be too short for a turn: then twice as
	# long.
	wait_until(
		sub {
			my @load = ('-c', 8 / @nodes, '-T', $seconds);
			my %run = ('the other program' => start_pgbench($server, "program_$name", other_program($name, $way), @load, @{ $way->{options} }));

			$run{ 'idgen at ' . $_->name } = start_pgbench($_, "idgen_$name", idgen($name, $transactional), @load) foreach @nodes;
			foreach my $who (sort keys %run)
			{
				$run{$who}{run}->finish;
				$processed{$who} += $1 if $run{$who}{stdout} =~ /number of transactions actually processed: (\d+)/;
				$said{$who} .= $run{$who}{stderr};
				$said{$who} .= $run{$who}{stdout} unless $run{$who}{stdout} =~ /number of failed transactions: 0 /;
			}
			$seconds *= 2;
			return !grep { !$processed{$_} } keys %run;
		},
		"$name: everybody gets a turn");
	pass("$name: everybody gets a turn");
	is($said{$_}, '', "$name: $_ does not fail") foreach sort keys %said;

	my %servers = map { $_->name => $_ } ($server, @nodes);
	my @ids = map { split /\n/, $_->safe_psql('postgres', "SELECT name || ' ' || id FROM drawn WHERE name = '$name'") } values %servers;

	is(duplicates(@ids), '', "$name: no id was issued twice");
	is(not_allocated($server, @ids), '', "$name: no id is beyond what the row says");
	return @ids;
}

my $node = idgen_server('node', conf => q{
max_connections = 40
idgen.max_prefetch_blocks = 2
});
my $centre = central_server('centre', conf => q{
max_connections = 60
default_transaction_isolation = 'serializable'
});
my @nodes = idgen_nodes(2, centres => [$centre], conf => q{
deadlock_timeout = 100s
idgen.worker_timeout = '100s'
idgen.max_prefetch_blocks = 2
});

$_->safe_psql('postgres', 'CREATE TABLE drawn (name text, id bigint, PRIMARY KEY (name, id))') foreach ($node, $centre, @nodes);

foreach my $refill ('transaction', 'worker')
{
	foreach my $row (sort keys %way)
	{
		my $name = "${refill}_$row";
		$node->safe_psql('postgres', "SELECT idgen_create('$name', block_size => $block_size{$row}, refill => '$refill')");
		my @ids = run_side_by_side($name, $way{$row}, $node, $refill eq 'transaction', $node);

		next unless $name eq 'transaction_single';
		my ($last) = sort { $b <=> $a } map { (split / /)[1] } @ids;
		is(scalar @ids, $last, "$name: no gap among the committed");
	}
}

# At the first node sessions refill, at the second one the worker does, too.
foreach my $row (sort keys %way)
{
	my $name = "centre_$row";

	$centre->safe_psql('postgres', "INSERT INTO id_sequences VALUES ('$name', 1, $block_size{$row})");
	create_remote($name, '', $nodes[0]);
	create_remote($name, $row eq 'locking' ? '' : q{refill => 'worker'}, $nodes[1]);
	run_side_by_side($name, $way{$row}, $centre, 0, @nodes);
}

$_->stop foreach (@nodes, $centre, $node);
done_testing();

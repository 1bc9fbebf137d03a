# How long does a refill from a centre take, with 1, 2, 4 and 8 nodes? The
# blocks there have one id, so that each call is a refill, and the time that a
# client waits is that of the refill, and the way to the node and back. Nothing
# is judged but that no id is issued twice.
#
# A part of "make test-cluster". It leaves the times in refill_times.csv:
#
#   centre   single, or with a synchronous standby, all on one machine, with a
#            flush to the disk
#   rows     shared: all nodes draw from one row; own: each has a row of its own
#   pause_ms between two calls of a node: 0 shows the centre at its limit
#   nodes    servers that draw, in one session each
#   ms       how long a refill has taken: a sample, each equally likely
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

my $most = 8;
my $seconds = 2;
my $samples = 1000;
my $durable = "fsync = on\n";
my $centre = central_server('centre', init => [ allows_streaming => 1 ], conf => $durable);
my @nodes = idgen_nodes($most, centres => [$centre], conf => "shared_buffers = 8MB\n");

foreach my $name ('shared', map { "own$_" } 1 .. $most)
{
	$centre->safe_psql('postgres', "INSERT INTO id_sequences VALUES ('$name', 1, 1)");
	create_remote($name, '', @nodes);
}

my @lines;
my @rows;

# measure(centre, rows, pause, nodes)
sub measure
{
	my ($kind, $rows, $pause, $number) = @_;
	my $trial = Trial->new('refill_times');

	foreach my $i (1 .. $number)
	{
		my $name = $rows eq 'own' ? "own$i" : $rows;

		$trial->draw('refills', $name, $nodes[ $i - 1 ]->connstr('postgres'), "SELECT idgen_next('$name')",
			sessions => 1, pause => $pause);
	}
	# the first calls connect
	$trial->wait_for_ids(20, 30);
	$trial->event('warm');
	sleep $seconds;
	$trial->event('over');

	my ($event) = $trial->end;
	my @times = sort { $a <=> $b } map { 1000 * $_->{took} } $trial->calls_in($event);

	is($event->{duplicates}, 0, "$kind, $rows, pause $pause, $number nodes: no id was issued twice");
	push @lines, map { sprintf "%s,%s,%d,%d,%.2f\n", $kind, $rows, $pause, $number, $times[ @times * $_ / $samples ] }
	  0 .. $samples - 1;
	push @rows,
	  sprintf("| %s | %s | %d ms | %d | %.0f | %.2f ms | %.2f ms | %.2f ms |\n",
		$kind, $rows, $pause, $number, @times / ($event->{until} - $event->{at}),
		map { $times[ @times * $_ ] } 0.5, 0.9, 0.99);
	return;
}

sub measure_all
{
	my ($kind) = @_;

	foreach my $number (1, 2, 4, $most)
	{
		measure($kind, 'shared', 20, $number);
		measure($kind, 'shared', 0, $number);
		measure($kind, 'own', 0, $number);
	}
	return;
}

measure_all('single');
my $standby = start_standby($centre, 'standby', conf => $durable);
make_synchronous($centre, $standby);
measure_all('synchronous');

my $table = join '',
  "| centre | rows | pause | nodes | refills per second | half take | 9 of 10 | 99 of 100 |\n",
  "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n", @rows;

diag("\nrefill_times\n\n$table");
Trial::leave_result('refill_times.md', $table);
Trial::leave_result('refill_times.csv', join '', "centre,rows,pause_ms,nodes,ms\n", @lines);

$_->stop foreach (@nodes, $standby, $centre);
done_testing();

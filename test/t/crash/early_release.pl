# Numbers with early_release, clients that insert them, and readers that wait
# for what they have read. Each round ends by a crash, with or without a
# synchronous standby, or by the standby taking over. No number has a hole
# before it, none is there twice, and what a client or a reader was told is
# there. EARLY_RELEASE_ROUNDS=n makes as many rounds.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $rounds = $ENV{EARLY_RELEASE_ROUNDS} // 4;
my @ends = ('killed', 'killed with a standby', 'immediate shutdown', 'promoted');
my $told = 0;

# The WAL writer flushes nothing that nobody waits for.
my $primary = idgen_server('primary', init => [ allows_streaming => 1 ], conf => q{
max_connections = 40
wal_writer_delay = 10s
});
$primary->safe_psql('postgres', 'CREATE TABLE bill (number bigint PRIMARY KEY)');
my $standby;

# Ends the server as said, and lets the next one begin.
sub end_server
{
	my ($end) = @_;

	if ($end eq 'immediate shutdown')
	{
		$primary->stop('immediate');
		$primary->start;
		return;
	}
	kill_server($primary);
	if ($end eq 'promoted')
	{
		$standby->promote;
		$primary->clean_node;
		($primary, $standby) = ($standby, undef);
	}
	else
	{
		$primary->start;
	}
	return;
}

foreach my $round (1 .. $rounds)
{
	my $end = $ends[$round % @ends];
	my $is_synchronous = $end =~ /standby|promoted/;

	# A round begins with an empty table.
	run_sql($primary, q{ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf()});
	wait_for_true($primary, q{SELECT current_setting('synchronous_standby_names') = ''}, 'no standby to count');
	$primary->safe_psql('postgres', q{TRUNCATE bill; DELETE FROM id_sequences;
		SELECT idgen_create('bill', block_size => 1, early_release => true)});
	if ($is_synchronous)
	{
		$standby //= start_standby($primary, "standby$round");
		make_synchronous($primary, $standby);
	}

	my @clients = start_clients($primary, 8, "INSERT INTO bill VALUES (idgen_next('bill')) RETURNING 'bill ' || number;\n");
	my @readers = start_clients($primary, 2, "SELECT 'read ' || coalesce(max(number), 0) FROM bill; SELECT idgen_wait_durable();\n");
	wait_for_lines(50 + int(rand(200)), @clients);
	wait_for_lines(4, @readers);
	end_server($end);
	finish_clients(@clients, @readers);

	my @numbers = map { (split / /)[1] } committed_ids(@clients);
	my @read = map { slurp_file($_->{out}) =~ /^read (\d+)\n\n/mg } @readers;
	my @there = split ' ', $primary->safe_psql('postgres', 'SELECT number FROM bill ORDER BY number');
	my %there = map { $_ => 1 } @there;
	my $next = $primary->safe_psql('postgres', q{SELECT next_block_start FROM id_sequences});

	is(duplicates(@numbers), '', "$end: none twice");
	is(scalar(grep { !$there{$_} } @numbers), 0, "$end: what a client was told is there");
	is(scalar(grep { $_ > @there } @read), 0, "$end: what a reader has waited for is there");
	is("$there[0] $there[-1] $next", join(' ', 1, scalar @there, @there + 1), "$end: no hole");
	cmp_ok(scalar @read, '>', 0, "$end: readers were told numbers");
	$told += @numbers;
}
note("$told numbers told");
done_testing();

# Sessions that draw from native sequences and functions are cancelled and
# terminated wherever they may be, in a refill or waiting for one. The others go
# on without an id that somebody else has.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Refills take a while. With room for three id sequences only, whatever keeps
# one busy is noticed.
my $node = idgen_server('cancel', conf => q{
fsync = on
idgen.max_sequences = 3
});

$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE blocks_seq INCREMENT BY 2;
	CREATE SEQUENCE runs_seq;
	SELECT idgen_create('runs', source => 'sequence', block_size => 40);
	CREATE SEQUENCE a_seq;
	CREATE SEQUENCE b_seq;
	CREATE SEQUENCE c_seq});
create_from_function($node, 'fun', 5);

my @clients = start_clients(
	$node, 8, q{
SELECT 'blocks ' || idgen_next('blocks', 'sequence');
SELECT 'blocks ' || idgen_next('blocks', 'sequence');
SELECT 'runs ' || idgen_next('runs');
BEGIN;
SELECT 'blocks ' || idgen_next('blocks', 'sequence');
SELECT 'runs ' || idgen_next('runs');
ROLLBACK;
SELECT 'fun ' || idgen_next('fun');
}, on_error_stop => 0);

# Cancels or terminates that number of sessions, one after the other.
sub disturb
{
	my ($call, $times) = @_;

	$node->safe_psql(
		'postgres', qq{
		DO \$\$
		BEGIN
			FOR i IN 1 .. $times LOOP
				PERFORM $call FROM (
					SELECT pid FROM pg_stat_activity
					WHERE application_name = 'client' ORDER BY random() LIMIT 1) s;
				PERFORM pg_sleep(0.001);
				PERFORM pg_stat_clear_snapshot();
			END LOOP;
		END\$\$});
	return;
}

wait_for_lines(50, @clients);

# On a busy machine most sessions have nothing to cancel most of the time: their
# clients wait for a processor.
wait_until(sub {
	disturb('pg_cancel_backend(pid)', 400);
	return grep { slurp_file($_->{err}) =~ /canceling statement due to user request/ } @clients;
}, 'a statement that is cancelled');
my @lines = map { slurp_file($_->{out}) =~ tr/\n// } @clients;
wait_for_lines($lines[$_] + 200, $clients[$_]) for 0 .. $#clients;
disturb('pg_terminate_backend(pid, 60000)', 5);

# Those who are left
my @left;
my $deadline = time + $PostgreSQL::Test::Utils::timeout_default;
do
{
	die 'terminated clients go on' if time > $deadline;
	select(undef, undef, undef, 0.02);
	@left = grep { slurp_file($_->{err}) !~ /connection/ } @clients;
} while (@left > 3);
foreach my $client (@left)
{
	my $lines = slurp_file($client->{out}) =~ tr/\n//;
	wait_for_lines($lines + 100, $client);
}
ok(1, 'the others go on');
terminate_clients($node, @clients);

my $errors = join('', map { slurp_file($_->{err}) } @clients);
like($errors, qr/canceling statement due to user request/, 'statements were cancelled');
my $others = join("\n", grep { !/canceling statement|current transaction is aborted/ }
	  $errors =~ /ERROR: .*/g);
is($others, '', 'nothing else failed');

# They include those that were rolled back, of which only the function could
# give ids again. It is called in transactions that draw nothing else.
my @ids = seen_ids(@clients);
cmp_ok(scalar @ids, '>', 1000, 'clients saw ids');
is(duplicates(@ids), '', 'no id was issued twice');

foreach my $draw (q{idgen_next('blocks', 'sequence')}, q{idgen_next('runs')}, q{idgen_next('fun')})
{
	my ($name) = $draw =~ /'(\w+)'/;
	my ($max) = sort { $b <=> $a } map { /^$name (\d+)/ } @ids;
	cmp_ok($node->safe_psql('postgres', "SELECT $draw"), '>', $max, "$name: ids go on");
}
# What is used more stays, unless it is kept busy.
$node->safe_psql('postgres', "SELECT idgen_next('$_', 'sequence')") for ('a', 'b', 'c') x 10;
is($node->safe_psql('postgres', q{SELECT string_agg(name, ' ' ORDER BY name) FROM idgen_stats}),
	'a b c', 'nothing is left behind');

$node->stop;
done_testing();

# Each session that waits for the worker gets an id, or the error that it
# deserves, whatever happens to the id sequence meanwhile, and however many
# refills of others fail.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('waiters', conf => q{
max_connections = 40
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '200s'
});

# What is done to an id sequence while two sessions wait, and what they get. The
# rest of each statement has its name.
my %cases = (
	kept => [ 'SELECT', '1 2' ],
	restarted => [ 'UPDATE id_sequences SET next_block_start = 1000', '1000 1001' ],
	resized => [ 'UPDATE id_sequences SET block_size = 1', '1 2' ],
	deleted => [ 'DELETE FROM id_sequences', '42704 42704' ],
	renamed => [ q{UPDATE id_sequences SET name = 'other name'}, '42704 42704' ],
	exhausted => [ 'UPDATE id_sequences SET exhausted = 1', '2200H 2200H' ],
	one_left => [ 'UPDATE id_sequences SET max_value = 1', '1 2200H' ],
	given_back => [ q{UPDATE id_sequences SET refill = 'transaction'}, '1 2' ],
	native => [ q{UPDATE id_sequences SET source = 'sequence'}, '501 502' ]);
$node->safe_psql(
	'postgres', q{
	CREATE SEQUENCE native_seq START 501;
	SELECT idgen_create('works', refill => 'worker'), idgen_create('gone', refill => 'worker');
	CREATE FUNCTION told(name text) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		RETURN idgen_next(name);
	EXCEPTION WHEN OTHERS THEN
		RETURN SQLSTATE;
	END$$;
	SELECT idgen_next('works')});

my $pid = stop_worker($node, 'postgres');
my %sessions;
foreach my $name (sort keys %cases)
{
	$node->safe_psql('postgres', "SELECT idgen_create('$name', refill => 'worker')");
	$sessions{$name} = [ map { start_statement($node, "SELECT told('$name')") } 1 .. 2 ];
}
wait_for_waiters($node, 2 * keys %cases, 'SELECT told', 'Extension');
$node->safe_psql('postgres', "$cases{$_}[0] WHERE name = '$_'") foreach grep { $_ ne 'kept' } keys %cases;
kill('CONT', $pid);
foreach my $name (sort keys %cases)
{
	is(join(' ', sort { $a cmp $b } map { $_->query_safe('') } @{ $sessions{$name} }), $cases{$name}[1], $name);
	$_->quit for @{ $sessions{$name} };
}

# All rows at once
$pid = stop_worker($node, 'postgres');
my @waiters = map { start_statement($node, q{SELECT told('gone')}) } 1 .. 3;
wait_for_waiters($node, 3, 'SELECT told', 'Extension');
$node->safe_psql('postgres',
	q{BEGIN; TRUNCATE id_sequences; SELECT idgen_create('gone', 1000, refill => 'worker'), idgen_create('works', refill => 'worker'); COMMIT});
kill('CONT', $pid);
is(join(' ', sort map { $_->query_safe('') } @waiters), '1000 1001 1002', 'truncated');
$_->quit for @waiters;

# A session that does not run from before its refill fails until after the
# refills of others have failed
$node->safe_psql(
	'postgres', q{
	INSERT INTO id_sequences (name, next_block_start, exhausted, refill)
		SELECT 'used up ' || i, 1, 1, 'worker' FROM generate_series(0, 200) i});
foreach my $others (0, 10, 200)
{
	my $session = $node->background_psql('postgres');
	my $late = $session->query_safe('SELECT pg_backend_pid()');

	$node->safe_psql('postgres', "SELECT idgen_create('works $others', refill => 'worker')");
	$pid = stop_worker($node, 'postgres');
	begin_statement($session, "SELECT told('used up 0')");
	wait_for_waiters($node, 1, '^SELECT told', 'Extension');
	kill('STOP', $late) or die "could not stop process $late: $!";
	kill('CONT', $pid);
	is( $node->safe_psql('postgres', "SELECT count(*) FROM generate_series(1, $others) i WHERE told('used up ' || i) = '2200H'"),
		$others, "$others others are told");
	like($node->safe_psql('postgres', "SELECT told('works $others')"), qr/^\d+$/, 'the worker has gone on');
	kill('CONT', $late);
	is($session->query_safe(''), '2200H', 'and so is who comes late');
	$session->quit;
}

$node->stop;
done_testing();

# The server keeps the reasons of the worker's last failures only. A session
# that comes too late to read its own still gets an error, with the right
# SQLSTATE.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('failures', conf => q{
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '200s'
});

$node->safe_psql(
	'postgres', q{
	CREATE FUNCTION fail(name text) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		RETURN idgen_next(name);
	EXCEPTION WHEN OTHERS THEN
		RETURN concat_ws(' ', SQLSTATE, SQLERRM);
	END$$;
	SELECT idgen_create('works', refill => 'worker');
	INSERT INTO id_sequences (name, next_block_start, exhausted, refill)
		SELECT name, 1, 1, 'worker' FROM unnest(array['same', 'late', 'kept']) name
		UNION ALL
		SELECT 'other' || i, 1, 1, 'worker' FROM generate_series(1, 100) i;
	SELECT idgen_next('works')});

sub stop_process
{
	my ($pid) = @_;
	kill('STOP', $pid) or die "could not stop process $pid: $!";
	return;
}

# What a session is told that does not run from before its refill fails until
# after the refills of others have failed.
sub told_after
{
	my ($name, $others) = @_;
	my $worker = worker_pid($node, 'postgres');
	my $session = $node->background_psql('postgres');
	my $pid = $session->query_safe('SELECT pg_backend_pid()');

	stop_process($worker);
	$session->query_until(qr/running/, "\\echo running\nSELECT fail('$name');\n");
	wait_for_waiters($node, 1, '^SELECT fail', 'Extension');
	stop_process($pid);
	kill('CONT', $worker);
	$node->safe_psql('postgres', $others);
	kill('CONT', $pid);

	my $told = $session->query_safe('');
	$session->quit;
	return $told;
}

is(told_after('kept', q{SELECT fail('other' || i) FROM generate_series(1, 60) i}),
	'2200H id sequence "kept" is exhausted', 'after some other failures');
is(told_after('late', q{SELECT fail('other' || i) FROM generate_series(1, 65) i}),
	'2200H the worker could not refill the id sequence', 'after more than are kept');
is(told_after('late', q{SELECT fail('same') FROM generate_series(1, 200) i}),
	'2200H id sequence "late" is exhausted', 'failures that are alike count once');
is(told_after('late', q{SELECT idgen_next('works') FROM generate_series(1, 200) i}),
	'2200H id sequence "late" is exhausted', 'with no other failure');

$node->stop;
done_testing();

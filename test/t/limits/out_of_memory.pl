# When there is no memory left, wherever that is, a call fails with an error
# that says so and leaves nothing behind; the next one works, and no id is
# issued twice.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The worker refills when somebody waits for it, who then hears of its failure.
my $node = plain_server('memory', conf => q{
idgen.max_sequences = 8
idgen.max_prefetch_blocks = 1
idgen.worker_idle_timeout = '1000s'
max_prepared_transactions = 5
restart_after_crash = off
});
plan skip_all => 'only PostgreSQL 15 lets us have an allocation fail' if $node->pg_version >= 16;
my $library = build_library('fail_palloc', '-isystem', $node->config_data('--includedir-server'));
plan skip_all => 'there is no compiler' unless defined $library;

sub preload
{
	$node->append_conf('postgresql.conf', "shared_preload_libraries = '" . join(',', @_) . "'");
	$node->restart;
	return;
}

preload($library, 'idgen');
$node->safe_psql(
	'postgres', qq{
	CREATE EXTENSION idgen;
	CREATE FUNCTION fail_palloc(n integer, pid integer DEFAULT pg_backend_pid()) RETURNS boolean
		LANGUAGE C AS '$library';
	SELECT idgen_create(name, block_size => 2) FROM unnest('{a,b,range}'::text[]) name;
	SELECT idgen_create('gapless', block_size => 1), idgen_create('big', block_size => 2, big_base => 1),
		idgen_create('worker', block_size => 1, refill => 'worker');
	INSERT INTO id_sequences (name, next_block_start) SELECT 'name' || i, 1 FROM generate_series(1, 500) i;
	CREATE SEQUENCE sequence_seq INCREMENT BY 2});
create_from_function($node, 'function', 2);

my %seen;

# Run SQL in which FAIL stands for what has the n-th allocation after it fail,
# for n = 1 and so on by step, until none does: in a few sessions, or each time
# in another one. What it shows as "<id sequence> <id>" has been issued. (Each
# failure puts a list of all memory contexts into the server's log, so we do not
# let every single allocation fail.)
sub fail_each
{
	my ($what, $step, $sql, %params) = @_;
	my $pid = $params{pid} // 'pg_backend_pid()';
	my $chunk = $params{one_per_session} ? 1 : 25;
	my ($n, $failed, $passed, %errors) = (1, 0, 0);

	while (!$passed && $n < 5000)
	{
		my $script = '';

		for (1 .. $chunk)
		{
			$script .= $sql =~ s/FAIL/fail_palloc($n, $pid)/r =~ s/NUMBER/$n/gr;
			$script .= ";\nSELECT 'failed ' || fail_palloc(0);\n";
			$n += $step;
		}
		my (undef, $stdout, $stderr) = $node->psql('postgres', $script, on_error_stop => 0,
			extra_params => [ '-v', 'VERBOSITY=verbose' ]);
		# After a failure, there are those of the rest of the transaction.
		$errors{$1}++ while $stderr =~ /(?:ERROR|FATAL|PANIC):  (?!25P02|3B001)(.*)/g;
		$seen{$_}++ foreach $stdout =~ /^\w+ \d+$/mg;
		$failed += () = $stdout =~ /^failed true$/mg;
		$passed += () = $stdout =~ /^failed false$/mg;
	}
	cmp_ok($failed, '>', 0, "$what: fails");
	cmp_ok($passed, '>', 0, "$what: works in the end");
	is(join("\n", sort keys %errors), '53200: out of memory', "$what: there is no other error");
	return;
}

sub draw
{
	my ($name, $draw) = @_;

	$draw //= "idgen_next('$name')";
	return "SELECT '$name ' || $draw FROM FAIL, generate_series(1, 3)";
}

fail_each('table', 4, draw('a'));
fail_each('new names', 4, draw('nameNUMBER'));
fail_each('gapless', 4, draw('gapless'));
fail_each('numeric', 4, draw('big', "idgen_next_big('big')"));
fail_each('range', 4, draw('range', "(idgen_next_range('range', 7)).first_id"));
fail_each('sequence', 4, draw('sequence', "idgen_next('sequence', 'sequence')"));
fail_each('function', 23, draw('function'));
fail_each('asking the worker', 4, draw('worker'));
fail_each('worker', 3, draw('worker'),
	pid => q{(SELECT pid FROM pg_stat_activity WHERE backend_type = 'idgen worker')});
fail_each(
	'savepoints', 23, q{
	BEGIN;
	SELECT FROM FAIL;
	SELECT idgen_next('a');
	SAVEPOINT s;
	SELECT idgen_next('a'), idgen_next('b'), idgen_next('gapless');
	SAVEPOINT t;
	SELECT idgen_next('a'), idgen_next_range('b', 5), idgen_next('gapless');
	RELEASE t;
	SAVEPOINT u;
	SELECT idgen_next('a'), idgen_next('b'), idgen_next('gapless');
	ROLLBACK TO u;
	SELECT idgen_next('a'), idgen_next('gapless');
	RELEASE s;
	COMMIT});
foreach my $end ('COMMIT', q{PREPARE TRANSACTION 'p'})
{
	fail_each(
		lc $end, 1, qq{
		BEGIN;
		ALTER SEQUENCE sequence_seq RESTART WITH NUMBER00;
		UPDATE id_sequences SET max_value = max_value - 1 WHERE name = 'b';
		SELECT idgen_next('a'), idgen_next_range('b', 5), idgen_next('sequence', 'sequence');
		SELECT count(idgen_next('gapless')) FROM generate_series(1, 30);
		SELECT FROM FAIL;
		$end;
		\\if :ERROR
		\\else
		SELECT count(*) FROM pg_prepared_xacts \\gset
		\\if :count
		ROLLBACK PREPARED 'p';
		\\endif
		\\endif});
}
fail_each(
	'changes', 31, q{
	BEGIN;
	SELECT count(idgen_next('gapless')) FROM generate_series(1, 30);
	SELECT FROM FAIL;
	UPDATE id_sequences SET max_value = max_value - 1 WHERE name = 'gapless';
	DELETE FROM id_sequences WHERE name = 'b';
	INSERT INTO id_sequences (name, next_block_start) VALUES ('b', 1);
	SELECT idgen_next('b');
	COMMIT});
fail_each('views', 31, 'SELECT (SELECT count(*) FROM idgen_stats), (SELECT count(*) FROM idgen_cache) FROM FAIL');

is(join(' ', grep { $seen{$_} > 1 } sort keys %seen), '', 'no id was issued twice');
my $next = $node->safe_psql('postgres', q{SELECT next_block_start FROM id_sequences WHERE name = 'gapless'});
is($node->safe_psql('postgres', q{SELECT idgen_next('gapless')}), $next, 'the next gapless id is that of the row');

# Slots that were left behind busy would not give way.
$node->safe_psql('postgres', join('', map { "SELECT idgen_next('name$_');\n" } 1 .. 24));
is( $node->safe_psql('postgres', q{SELECT count(*), count(*) FILTER (WHERE name LIKE 'name%') FROM idgen_stats}),
	'8|8', 'all slots are in use for others');

# With a cache for each session, which has to load the library, too
preload($library);
$node->safe_psql('postgres', 'UPDATE id_sequences SET next_block_start = 1000');
%seen = ();
fail_each('new names in a session', 4, draw('nameNUMBER'));
fail_each('loading', 67, "BEGIN;\nSELECT FROM FAIL;\nSELECT idgen_next('a');\nCOMMIT", one_per_session => 1);
is(join(' ', grep { $seen{$_} > 1 } sort keys %seen), '', 'no id was issued twice');

# It is loaded once at most: a second time it would spoil what there is already.
my ($n, $stderr) = (1, '');
while ($stderr !~ /FATAL/ && $n < 2000)
{
	(undef, undef, $stderr) = $node->psql(
		'postgres', "BEGIN; SELECT fail_palloc($n, pg_backend_pid()); LOAD 'idgen'; ROLLBACK; SELECT idgen_next('a');",
		on_error_stop => 0);
	$n += 7;
}
like($stderr, qr/ERROR:  out of memory.*FATAL:  library "idgen" was not loaded completely before\nHINT:  Connect again\./s,
	'what was not loaded completely is not used');

$node->stop;
done_testing();

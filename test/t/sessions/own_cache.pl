# A server that does not preload the library has a cache for each session, with
# blocks of its own (K2). All else is the same: transactions, changes by others,
# privileges, ranges, composed ids, each source, and what views show.
use strict;
use warnings FATAL => 'all';
use utf8;

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Proxy;
use Test::More;

my $centre = central_server('centre');
my $proxy = Proxy->new($centre);
my $node = idgen_server('session', preload => 0, conf => q{
idgen.node_id = 2
idgen.server_timeout = '100s'
max_prepared_transactions = 10
});

# Two sessions that stay, and others
my %sessions = map { $_ => $node->background_psql('postgres', on_error_stop => 0) } qw(a b o);
$_->query_safe('\set VERBOSITY sqlstate') foreach values %sessions;

# steps(text): a line is a test's name, behind #, or "sessions: statement". Each
# of these sessions executes the statement, in this order; "--> answers" says
# what they get: an SQLSTATE if that fails, ">n" for any number above n. [name]
# stands for a draw, [name, source] for one from that source.
sub steps
{
	my $what;

	foreach my $line (split /\n\s*/, shift)
	{
		if ($line =~ /^# (.*)/)
		{
			$what = $1;
			next;
		}
		my ($who, $sql, $expected) = $line =~ /^(\w+): (.*?)(?: --> (.*))?$/ or next;
		my $statement = $sql =~ s/\[([^\]]+)\]/"idgen_next('" . $1 =~ s{, }{', '}r . "')"/er;
		$statement = "SELECT $statement" if $statement =~ /^idgen_/;
		my $answer = join(' ', map { answer($sessions{$_}, $statement) } split //, $who);

		if (($expected // '') =~ /^>(\d+)$/)
		{
			cmp_ok($answer, '>', $1, "$what: $line");
		}
		elsif (defined $expected)
		{
			is($answer, $expected, "$what: $line");
		}
		elsif ($answer =~ /^[0-9A-Z]{5}$/)
		{
			die "$what: $line: $answer";
		}
	}
	return;
}

is( $node->safe_psql(
		'postgres', q{
		SELECT count(*) FROM idgen_stats;
		SELECT idgen_create('all', next_block_start => 5, block_size => 10, big_base => 1000);
		SELECT idgen_next('all'), idgen_next_big('all'), idgen_last('all'), idgen_peek('all');
		SELECT name, cache, ids_issued, ids_cached, ids_lost, blocks_taken, refills, waits FROM idgen_stats;
		SELECT * FROM idgen_cache;
		SELECT idgen_restart('all', 1);
		SELECT idgen_next('all');
		SELECT idgen_stats_reset();
		SELECT ids_issued, ids_cached, ids_lost FROM idgen_stats}),
	"0\n\n5|1006|6|7\nall|session|2|8|0|1|1|0\nall|7|14|published\n\n1\n\n0|9|0",
	'all functions work in a session that has loaded nothing before');

steps(q{
	# each session has a block of its own, but not of a gapless id sequence
	o: SELECT idgen_create('x'), idgen_create('gapless', block_size => 1)
	abab: [x] --> 1 21 2 22
	abab: [gapless] --> 1 2 3 4
	a: SELECT ids_issued, ids_cached FROM idgen_stats WHERE name = 'x' --> 2|18

	# savepoints
	o: BEGIN; SAVEPOINT s; SELECT idgen_next('x'); ROLLBACK TO s
	o: [x] --> 41
	o: COMMIT
	o: [x] --> 42

	# a restart by others
	a: [x] --> 3
	a: BEGIN; SELECT idgen_next('x')
	b: SELECT idgen_restart('x', 1001)
	a: COMMIT
	ab: [x] --> 1001 1021

	# next_block_start: a lower one drops ids, a higher one does not
	o: UPDATE id_sequences SET next_block_start = 501 WHERE name = 'x'
	ab: [x] --> 501 521
	o: UPDATE id_sequences SET next_block_start = 601 WHERE name = 'x'
	ab: [x] --> 502 522

	# the row goes and comes
	o: DELETE FROM id_sequences WHERE name = 'x'
	ab: [x] --> 42704 42704
	o: SELECT idgen_create('x')
	ab: [x] --> 1 21
	o: UPDATE id_sequences SET name = 'y' WHERE name = 'x'
	ab: [x] --> 42704 42704
	o: UPDATE id_sequences SET name = 'x' WHERE name = 'y'
	ab: [x] --> 41 61
	o: TRUNCATE id_sequences
	ab: [x] --> 42704 42704
	o: DROP EXTENSION idgen CASCADE
	ab: [x] --> 42883 42883
	o: CREATE EXTENSION idgen; SELECT idgen_create('x')
	ab: [x] --> 1 21

	# a change counts when it is committed, and for its own transaction at once
	b: BEGIN; SELECT idgen_restart('x', 901)
	ab: [x] --> 2 901
	b: ROLLBACK
	a: [x] --> 3

	# privileges
	o: CREATE ROLE somebody
	a: SET ROLE somebody
	a: [x] --> 4
	o: REVOKE SELECT ON id_sequences FROM PUBLIC
	a: [x] --> 42501
	o: GRANT SELECT ON id_sequences TO PUBLIC
	a: RESET ROLE

	# ranges join what follows, and only that
	o: SELECT idgen_create('range'), idgen_create('gapless', block_size => 1), idgen_create('w', refill => 'worker')
	abab: idgen_next_range('range', 7) --> (1,7) (21,27) (8,14) (28,34)
	aa: idgen_next_range('range', 7) --> (41,47) (48,54)
	a: idgen_next_range('range', 6) --> (15,20)
	b: BEGIN; SELECT idgen_next_range('range', 50)
	b: ROLLBACK
	b: idgen_next_range('range', 50) --> (61,110)
	aba: idgen_next_range('gapless', 7) --> (1,7) (8,14) (15,21)

	# no worker refills
	a: [w] --> 55000
	a: idgen_next_range('w', 30) --> 55000

	# composed ids
	o: SELECT idgen_create('wide', next_block_start => 99999999999999, layout => 'prefixed')
	a: SELECT sequence_value FROM idgen_parts(idgen_next('wide'), 'prefixed') --> 99999999999999
	a: [wide] --> 2200H
	a: SELECT sequence_value FROM idgen_parts(idgen_next_big('wide'), 'prefixed') --> 100000000000000
	b: UPDATE id_sequences SET layout = 'plain' WHERE name = 'wide'
	a: [wide] --> >100000000000000
});
$node->safe_psql('postgres', q{SELECT idgen_create('composed', layout => 'session')});
my $parts = q{SELECT session FROM idgen_parts(idgen_next('composed'), 'session')};
isnt($sessions{a}->query_safe($parts), $sessions{b}->query_safe($parts), 'composed ids: the sessions have different numbers');

steps(q{
	# native sequences
	o: CREATE SEQUENCE gen_seq INCREMENT BY 20
	o: SELECT idgen_create('row', source => 'sequence', source_name => 'gen_seq')
	abab: [gen, sequence] --> 1 21 2 22
	a: SELECT cache, ids_cached FROM idgen_stats WHERE source = 'sequence' --> session|18
	aa: idgen_next_range('gen', 7, 'sequence') --> (3,9) (10,16)
	o: ALTER SEQUENCE gen_seq RESTART WITH 1001
	ab: [gen, sequence] --> 1001 1021
	o: SELECT idgen_restart('row', 2001)
	ab: [gen, sequence] --> 2001 2021
	b: BEGIN; SELECT idgen_restart('row', 1)
	abba: [gen, sequence] --> 2002 1 2 2003
	b: COMMIT
	a: [gen, sequence] --> 21
	b: [gen, sequence] --> >2
	b: ALTER SEQUENCE gen_seq RESTART WITH 3001
	ba: [gen, sequence] --> 3001 3021
	a: BEGIN; SELECT idgen_next('gen', 'sequence')
	o: ALTER SEQUENCE gen_seq RESTART WITH 4001
	a: COMMIT
	a: [gen, sequence] --> 4001
	o: BEGIN; ALTER SEQUENCE gen_seq RESTART WITH 5001; PREPARE TRANSACTION 'p'
	o: COMMIT PREPARED 'p'
	ab: [gen, sequence] --> 5001 5021
	o: SELECT nextval('gen_seq'); VACUUM id_sequences
	ab: [gen, sequence] --> 5002 5022

	# a row for a name that was used without one
	o: CREATE SEQUENCE other_seq START 501 INCREMENT BY 20
	o: SELECT idgen_create('gen', source => 'sequence', source_name => 'other_seq')
	ab: [gen, sequence] --> 501 521
	o: UPDATE id_sequences SET source_name = 'gen_seq' WHERE name = 'gen'
	a: [gen, sequence] --> >5002
	o: UPDATE id_sequences SET source = 'table', next_block_start = 7001 WHERE name = 'gen'
	a: [gen, sequence] --> 22023
	ab: [gen] --> 7001 7021
	o: DELETE FROM id_sequences WHERE name = 'gen'
	a: [gen, sequence] --> >5002

	# the native sequence goes and comes
	o: DROP SEQUENCE gen_seq
	ab: [gen, sequence] --> 42704 42704
	o: CREATE SEQUENCE gen_seq START 801 INCREMENT BY 20
	ab: [gen, sequence] --> 801 821
	a: SET ROLE somebody
	a: [gen, sequence] --> 42501
	o: GRANT USAGE ON SEQUENCE gen_seq TO somebody
	a: [gen, sequence] --> >801
	o: REVOKE USAGE ON SEQUENCE gen_seq FROM somebody
	a: [gen, sequence] --> 42501
	a: RESET ROLE

	# row security decides whether a name leads to the row
	o: INSERT INTO id_sequences (name, next_block_start) VALUES ('two', 1)
	o: CREATE SEQUENCE two_seq START 5001 INCREMENT BY 20; CREATE ROLE sees; GRANT USAGE ON SEQUENCE two_seq TO somebody
	o: CREATE POLICY two ON id_sequences FOR SELECT USING (name <> 'two' OR current_user = 'sees')
	o: ALTER TABLE id_sequences ENABLE ROW LEVEL SECURITY
	a: SET ROLE sees
	a: [two] --> 1
	a: SET ROLE somebody
	a: [two, sequence] --> 5001
	o: SELECT idgen_restart('two', 1001)
	a: [two, sequence] --> 5002
	a: SET ROLE sees
	a: [two] --> 1001
	a: RESET ROLE

	# functions
	o: CREATE TABLE counters (name text PRIMARY KEY, next bigint); INSERT INTO counters VALUES ('low', 1), ('high', 1001)
	o: CREATE FUNCTION low(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS 'UPDATE public.counters c SET next = next + 10 * blocks WHERE c.name = ''low'' RETURNING next - 10 * blocks, next - 1'
	o: CREATE FUNCTION high(name text, blocks int) RETURNS TABLE (first_id bigint, last_id bigint) LANGUAGE sql AS 'UPDATE public.counters c SET next = next + 10 * blocks WHERE c.name = ''high'' RETURNING next - 10 * blocks, next - 1'
	o: SELECT idgen_create('fun', source => 'function', source_name => 'public.low', block_size => 10)
	abab: [fun] --> 1 11 2 12
	a: BEGIN; SELECT count(idgen_next('fun')) FROM generate_series(1, 8)
	ab: [fun] --> 21 13
	a: ROLLBACK
	a: [fun] --> 21
	o: UPDATE id_sequences SET source_name = 'public.high' WHERE name = 'fun'
	ab: [fun] --> 1001 1011

	# views show no ids that others have made void
	o: SELECT idgen_create('seen')
	a: [seen] --> 1
	o: BEGIN; SELECT idgen_restart('seen', 501)
	a: SELECT sum(ids_cached) FROM idgen_stats WHERE name = 'seen' --> 19
	o: COMMIT
	a: SELECT sum(ids_cached) FROM idgen_stats WHERE name = 'seen' --> 0
	a: SELECT count(*) FROM idgen_cache WHERE name = 'seen' --> 0
	o: DELETE FROM id_sequences WHERE name = 'seen'
	a: SELECT count(*) FROM idgen_stats WHERE name = 'seen' --> 0
});

# Another server
$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('far', 1, 10), ('other', 1001, 10)});
$node->safe_psql('postgres', sprintf(q{
	CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (%s);
	CREATE USER MAPPING FOR CURRENT_USER SERVER central}, server_options($proxy)));
my $create_far = q{SELECT idgen_create('far', source => 'server', source_name => 'central')};
steps(qq{
	# another server
	o: $create_far
	abab: [far] --> 1 11 2 12
	a: SELECT source_name, cache, ids_cached, percent_left IS NULL FROM idgen_stats WHERE source = 'server' --> central|session|8|t
	a: BEGIN; SELECT max(idgen_next('far')) FROM generate_series(1, 11)
	a: ROLLBACK
	a: [far] --> 24
	a: BEGIN; SELECT max(idgen_next('far')) FROM generate_series(1, 10); PREPARE TRANSACTION 'p'
	ab: [far] --> 35 13
	a: COMMIT PREPARED 'p'
	a: SET idgen.server_timeout = '200ms'});
$proxy->hold;
steps(q{
	# a silent server
	a: SELECT max(idgen_next('far')) FROM generate_series(1, 10) --> 08006
	b: [far] --> 14});
$proxy->pass;
steps(q{
	# it answers again
	a: RESET idgen.server_timeout
	a: [far] --> >40});
$proxy->cut;
steps(qq{
	# its connection was cut
	a: SELECT max(idgen_next('far')) FROM generate_series(1, 10) --> >45

	# changes by others
	o: ALTER SERVER central OPTIONS (ADD remote_name 'other')
	a: SELECT max(idgen_next('far')) FROM generate_series(1, 10) --> 1001
	a: SET ROLE somebody
	a: [far] --> 42501
	o: GRANT USAGE ON FOREIGN SERVER central TO somebody
	a: [far] --> 1002
	o: REVOKE USAGE ON FOREIGN SERVER central FROM somebody
	a: [far] --> 42501
	a: RESET ROLE
	o: DELETE FROM id_sequences WHERE name = 'far'
	a: [far] --> 42704
	o: $create_far
	a: [far] --> 1011
	o: DROP SERVER central CASCADE
	a: [far] --> 42704});

# Names of 255 characters that differ at the end
my $long = '😀' x 253;
utf8::encode($long);
is( $sessions{a}->query_safe(qq{
		SELECT idgen_create('$long' || i, 100 * i) FROM generate_series(10, 59) i;
		SELECT sum(idgen_next('$long' || i)) FROM generate_series(10, 59) i;
		SELECT DISTINCT idgen_next('$long' || i) - 100 * i FROM generate_series(10, 59) i}) =~ s/^\n*\d+\n//r,
	'1', 'each long name has ids of its own, which go on');
$_->quit foreach values %sessions;

# Many sessions at once
$node->safe_psql(
	'postgres', q{
	CREATE TABLE drawn (sequence text, id bigint, PRIMARY KEY (sequence, id));
	SELECT idgen_create('cached', block_size => 5), idgen_create('one_by_one', block_size => 1)});
my $script = q{
BEGIN;
INSERT INTO drawn SELECT 'cached', idgen_next('cached') FROM generate_series(1, 3);
INSERT INTO drawn VALUES ('one_by_one', idgen_next('one_by_one'));
COMMIT;
};
$node->pgbench('-n -c 8 -j 2 -t 100', 0, [qr{processed: 800/800}], [qr/^$/], 'many sessions draw',
	{ 'commit@2' => $script, 'rollback@1' => $script =~ s/COMMIT/ROLLBACK/r });
is($node->safe_psql('postgres', q{SELECT count(*) > 0, max(id) - count(*) FROM drawn WHERE sequence = 'one_by_one'}),
	't|0', 'the gapless id sequence has no gap');

$_->stop foreach ($node, $centre);
done_testing();

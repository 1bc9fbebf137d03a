# What is left of a block that a prepared transaction allocated is not given to
# others: until it ends, nobody can know whether the block is allocated.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('prepared', conf => 'max_prepared_transactions = 10');

$node->safe_psql('postgres', 'CREATE TABLE drawn (sequence text, id bigint, UNIQUE (sequence, id))');

# Draw that many ids in a transaction and prepare it.
sub prepare
{
	my ($sequence, $ids, $gid) = @_;
	$node->safe_psql(
		'postgres', qq{
		BEGIN;
		INSERT INTO drawn SELECT '$sequence', idgen_next('$sequence') FROM generate_series(1, $ids);
		PREPARE TRANSACTION '$gid'});
	return;
}

# Draw that many ids in a transaction and commit it.
sub draw
{
	my ($sequence, $ids) = @_;
	return $node->safe_psql(
		'postgres', qq{
		INSERT INTO drawn SELECT '$sequence', idgen_next('$sequence') FROM generate_series(1, $ids)
			RETURNING id});
}

# Is the row of the id sequence held by somebody?
sub blocked
{
	my ($sequence) = @_;
	return sqlstate($node, "SET lock_timeout = '50ms'; SELECT idgen_next('$sequence')");
}

# Both ways, without a restart in between and after each kind of stop.
foreach my $stop ('none', 'fast', 'immediate')
{
	foreach my $end ('COMMIT', 'ROLLBACK')
	{
		my $case = lc "${end}_$stop";
		my $name = "$end PREPARED, stop $stop";

		$node->safe_psql(
			'postgres', qq{
			SELECT idgen_create('$case', block_size => 20),
				idgen_create('gapless_$case', block_size => 1)});
		prepare($case, 3, $case);
		prepare("gapless_$case", 50, "gapless_$case");

		is( $node->safe_psql(
				'postgres', qq{
				SELECT ids_cached, ids_lost, ids_lost_prepared FROM idgen_stats
				WHERE name = '$case'}),
			'0|17|17', "$name: the rest of the block is counted as lost");
		is(blocked($case), '55P03', "$name: others wait while it is prepared");

		if ($stop ne 'none')
		{
			$node->stop($stop);
			$node->start;
			is(blocked($case), '55P03', "$name: others wait after the restart too");
		}
		is(blocked("gapless_$case"), '55P03', "$name: so they do for a gapless one");

		$node->safe_psql('postgres', "$end PREPARED '$case'; $end PREPARED 'gapless_$case'");

		is(draw($case, 1), $end eq 'COMMIT' ? '21' : '1', "$name: ids go on");
		is(draw($case, 1), $end eq 'COMMIT' ? '22' : '2', "$name: and on");
		is(draw("gapless_$case", 1), $end eq 'COMMIT' ? '51' : '1', "$name: gapless ids go on");
	}
}

# A prepared transaction that took its ids from the cache has allocated nothing.
$node->safe_psql('postgres', "SELECT idgen_create('cached', block_size => 20)");
is(draw('cached', 1), '1', 'ids are cached');
prepare('cached', 3, 'cached_rollback');
prepare('cached', 3, 'cached_commit');
is(draw('cached', 1), '8', 'nobody waits for one that drew from the cache');
$node->safe_psql('postgres',
	"ROLLBACK PREPARED 'cached_rollback'; COMMIT PREPARED 'cached_commit'");
is(draw('cached', 1), '9', 'ids drawn from the cache stay drawn');

# ... and one that used the cache up and then refilled
prepare('cached', 15, 'used_up');
is(blocked('cached'), '55P03', 'others wait for one that refilled');
$node->safe_psql('postgres', "ROLLBACK PREPARED 'used_up'");
is(draw('cached', 1), '21', 'only the ids of its own block are issued a second time');

# A prepared transaction that changed the row
$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('changed', block_size => 20);
	SELECT idgen_next('changed');
	BEGIN;
	SELECT idgen_restart('changed', 1001);
	PREPARE TRANSACTION 'restart'});
$node->safe_psql('postgres', "COMMIT PREPARED 'restart'");
is(draw('changed', 1), '1001', 'a prepared restart counts once it is committed');

$node->safe_psql(
	'postgres', q{
	BEGIN;
	SELECT idgen_restart('changed', 1);
	PREPARE TRANSACTION 'restart'});
$node->safe_psql('postgres', "ROLLBACK PREPARED 'restart'");
cmp_ok(draw('changed', 1), '>', '1001', 'and does not when it is rolled back');

$node->safe_psql(
	'postgres', q{
	BEGIN;
	DELETE FROM id_sequences WHERE name = 'changed';
	PREPARE TRANSACTION 'delete'});
$node->safe_psql('postgres', "COMMIT PREPARED 'delete'");
is(sqlstate($node, "SELECT idgen_next('changed')"), '42704',
	'a prepared DELETE counts once it is committed');

# What a session remembers of the row has to follow too.
my $session = $node->background_psql('postgres');
$session->query_safe(q{SELECT idgen_create('big', block_size => 20)});
is($session->query_safe(q{SELECT idgen_next_big('big')}), '1', 'big_base is 0');
$node->safe_psql(
	'postgres', q{
	BEGIN;
	UPDATE id_sequences SET big_base = 5000 WHERE name = 'big';
	PREPARE TRANSACTION 'big'});
$node->safe_psql('postgres', "COMMIT PREPARED 'big'");
is($session->query_safe(q{SELECT idgen_next_big('big')}), '5021', 'big_base is 5000');
$session->quit;

$node->stop;
done_testing();

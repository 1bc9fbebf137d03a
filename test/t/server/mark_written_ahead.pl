# How far a centre has got is on disk before any id is used. While refills come
# fast, the file is written ahead: after a crash, a centre that has gone back by
# less than that is not noticed, but what it would give again is left out. After
# a clean shutdown nothing is left out.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my ($node) = idgen_nodes(1, centres => [$centre], conf => 'restart_after_crash = on');

$centre->safe_psql('postgres', q{
	INSERT INTO id_sequences VALUES ('fast', 1, 10), ('slow', 1, 10), ('end', 1, 10);
	ALTER TABLE id_sequences ADD max_value bigint NOT NULL DEFAULT 9223372036854775807;
	UPDATE id_sequences SET max_value = 1000 WHERE name = 'end'});
create_remote($_, '', $node) foreach ('fast', 'slow', 'end');

sub sql
{
	return $node->safe_psql('postgres', $_[0]);
}

sub central
{
	return $centre->safe_psql('postgres', $_[0]);
}

# Refill that many times; answers the last id of the last block
sub refill
{
	my ($name, $times) = @_;
	sql("DO \$\$BEGIN FOR i IN 1 .. $times LOOP PERFORM idgen_next_range('$name', 10); COMMIT; END LOOP; END\$\$");
	return central("SELECT next_block_start - 1 FROM id_sequences WHERE name = '$name'");
}

# Is an id beyond that one, or is there an error that the centre has gone back?
# Which of them depends on whether the last refill has written the file.
sub is_beyond
{
	my ($last, $what) = @_;
	my ($code, $out, $err) = $node->psql('postgres', q{SELECT idgen_next('fast')});

	ok($err =~ /has gone back/ || $out > $last, $what) or diag("$out, $err");
	return;
}

sub crash
{
	kill_server($node);
	$node->start;
	return;
}

is(refill('slow', 1), '10', 'one refill');
crash();
is(sql(q{SELECT idgen_next('slow')}), '11', 'is on disk as it is');

# Written ahead, and stopped
my $last = refill('fast', 500);
$node->restart;
is(sql(q{SELECT last_id FROM idgen_centre_marks WHERE name = 'fast'}), $last, 'after a clean restart, all is known');
is(sql(q{SELECT idgen_next('fast')}), $last + 1, 'and nothing is left out');

# And crashed
$last = refill('fast', 500);
crash();
my $reserved = sql(q{SELECT last_id FROM idgen_centre_marks WHERE name = 'fast'});
cmp_ok($reserved, '>=', $last, 'after a crash, no less');
cmp_ok($reserved, '<=', $last + 640, 'and not much more');
is(sql(q{SELECT idgen_next('fast')}), $reserved + 1, 'all that could have been received is left out');
$last = refill('fast', 500);
crash();
central(sprintf(q{UPDATE id_sequences SET next_block_start = %s WHERE name = 'fast'}, $last - 9));
is_beyond($last, 'the centre has lost the last block, which is not issued again');
central(q{UPDATE id_sequences SET next_block_start = 300 WHERE name = 'fast'});
crash();
is(sqlstate($node, q{SELECT idgen_next('fast')}), '55000', 'it has lost more than that');

# What another process of the server has written is known.
central(sprintf(q{UPDATE id_sequences SET next_block_start = %s WHERE name = 'fast'}, 1_000_001));
$last = refill('fast', 500);
my $offset = -s $node->logfile;
kill 'KILL', sql(q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'});
wait_for_restart($node, $offset);
central(sprintf(q{UPDATE id_sequences SET next_block_start = %s WHERE name = 'fast'}, $last - 9));
is_beyond($last, 'after a crash of another process');

# Not so far ahead that the end comes early
refill('end', 80);
crash();
cmp_ok(sql(q{SELECT idgen_next('end')}), '<=', 801 + 13, 'near the end, little is left out');
cmp_ok(sql(q{SELECT max(idgen_next('end')) FROM generate_series(1, 180)}), '<=', 1000, 'and ids are left up to there');

$_->stop foreach ($node, $centre);
done_testing();

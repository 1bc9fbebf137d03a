# How much the worker takes at once follows how fast ids are used: about a block
# where they are used slowly; where they are used fast, as much as it takes so
# that hardly anybody waits, within idgen.max_prefetch_blocks; and less again
# afterwards.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('amount', conf => q{
idgen.worker_timeout = '100s'
idgen.max_prefetch_blocks = 8
});

$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('seldom', block_size => 10, refill => 'worker'),
		idgen_create('small', block_size => 5, refill => 'worker'),
		idgen_create('often', block_size => 5, refill => 'worker')});

sub stats
{
	my ($sequence, $columns) = @_;
	return $node->safe_psql('postgres', "SELECT $columns FROM idgen_stats WHERE name = '$sequence'");
}

# Waits until no refill has come for that long. The views say whole seconds of
# the last one, so its number is looked at.
sub wait_since_refill
{
	my ($sequence, $seconds) = @_;
	my $refills;
	do
	{
		$refills = stats($sequence, 'refills');
		$node->safe_psql('postgres', "SELECT pg_sleep($seconds)");
	} while (stats($sequence, 'refills') != $refills);
	return;
}

# The blocks of a refill, on average, since these numbers
sub blocks_since
{
	my ($sequence, $blocks, $refills) = @_;
	return stats($sequence, "(blocks_taken - $blocks)::float / greatest(refills - $refills, 1)");
}

# Half a block at a time, and the next half some time after the refill: nobody
# waits but for the first block.
my $session = $node->background_psql('postgres');
foreach my $round (1 .. 6)
{
	$session->query_safe(q{SELECT count(idgen_next('seldom')) FROM generate_series(1, 5)});
	$node->poll_query_until('postgres', q{SELECT ids_cached >= 5 FROM idgen_stats WHERE name = 'seldom'})
	  or die 'no refill';
	wait_since_refill('seldom', 0.15);
}
is(stats('seldom', 'refills >= 3, blocks_taken <= 1.5 * refills, waits'), 't|t|1', 'used seldom: hardly more than one block at a time');
$session->quit;

# As fast as can be, until the connections are ended
my $script = $node->basedir . '/script';
append_to_file($script, "SELECT idgen_next('small');\nSELECT idgen_next('often');\n");
my ($stdout, $stderr) = ('', '');
my $clients = IPC::Run::start(
	[ 'pgbench', '-n', '-c', 3, '-T', 1000, '-f', $script, $node->connstr('postgres') . ' application_name=client' ],
	'>', \$stdout, '2>', \$stderr);
$node->poll_query_until('postgres', q{SELECT blocks_taken > 4 * refills AND refills > 20 FROM idgen_stats WHERE name = 'small'})
  or die 'it does not take more';
pass('used fast: more at once');
is(stats('small', 'blocks_taken <= 8 * refills'), 't', 'used fast: not more than is allowed');

# While there is more than enough, waits are rare. However busy the machine is,
# there comes a time at which most refills are there before they are waited for.
$node->append_conf('postgresql.conf', 'idgen.max_prefetch_blocks = 64');
$node->reload;
my ($good, $fast, $deadline) = (0, 0, time + $PostgreSQL::Test::Utils::timeout_default);
until ($good || time > $deadline)
{
	my ($waits, $refills, $blocks) = split /\|/, stats('often', 'waits, refills, blocks_taken');

	$node->poll_query_until('postgres', "SELECT refills >= $refills + 20 FROM idgen_stats WHERE name = 'often'")
	  or last;
	my ($waits_now, $refills_now) = split /\|/, stats('often', 'waits, refills');
	$good = ($waits_now - $waits) * 4 < $refills_now - $refills;
	$fast = blocks_since('often', $blocks, $refills);
}
ok($good, 'used fast: hardly anybody waits');
terminate_clients($node, { run => $clients });

# What lasts for more than a second was too much: of some refills since, the
# last one takes less.
my $slow;
for (1 .. 4)
{
	my ($refills, $blocks) = split /\|/, stats('often', 'refills, blocks_taken');

	wait_since_refill('often', 1.1);
	$node->safe_psql(
		'postgres', qq{
		DO \$\$
		BEGIN
			WHILE $refills = (SELECT refills FROM idgen_stats WHERE name = 'often') LOOP
				PERFORM idgen_next('often');
			END LOOP;
		END\$\$});
	$slow = blocks_since('often', $blocks, $refills);
	last if $slow < $fast;
}
cmp_ok($slow, '<', $fast, 'not used any more: fewer blocks');

# What lasts long enough, but not for as long as a commit takes, was too little.
$node->append_conf(
	'postgresql.conf', q{
fsync = on
commit_delay = 100000
commit_siblings = 0
idgen.prefetch_threshold = 10
});
$node->reload;
$node->safe_psql(
	'postgres', q{
	SELECT idgen_create('evenly', block_size => 25, refill => 'worker');
	DO $$
	BEGIN
		FOR i IN 1 .. 250 LOOP
			PERFORM idgen_next('evenly');
			IF i % 5 = 0 THEN
				PERFORM pg_sleep(0.005);
			END IF;
		END LOOP;
	END$$});
is(stats('evenly', 'waits > 2, blocks_taken > refills + 1'), 't|t', 'used evenly, but for waits: more than a block');

$node->stop;
done_testing();

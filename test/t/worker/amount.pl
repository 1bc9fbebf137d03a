# How much the worker takes at once follows how fast ids are used: no more than
# a block where they are used slowly; where they are used fast, as much as it
# takes so that hardly anybody waits, within idgen.max_prefetch_blocks; and less
# again afterwards.
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

# Half a block at a time, and the next half when the worker has refilled: nobody
# waits, and every block lasts for a while.
my $session = $node->background_psql('postgres');
foreach my $round (1 .. 6)
{
	$session->query_safe(q{SELECT count(idgen_next('seldom')) FROM generate_series(1, 5)});
	$session->query_safe(q{SELECT pg_sleep(0.12)});
	$node->poll_query_until('postgres', q{SELECT ids_cached >= 5 FROM idgen_stats WHERE name = 'seldom'})
	  or die 'no refill';
}
is(stats('seldom', 'prefetch_blocks, refills >= 3, blocks_taken - refills, waits'), '1|t|0|1', 'used seldom: one block at a time');
$session->quit;

# As fast as can be, until the connections are ended
my $script = $node->basedir . '/script';
append_to_file($script, "SELECT idgen_next('small');\nSELECT idgen_next('often');\n");
my ($stdout, $stderr) = ('', '');
my $clients = IPC::Run::start(
	[ 'pgbench', '-n', '-c', 3, '-T', 1000, '-f', $script, $node->connstr('postgres') . ' application_name=client' ],
	'>', \$stdout, '2>', \$stderr);
$node->poll_query_until('postgres', q{SELECT prefetch_blocks = 8 FROM idgen_stats WHERE name = 'small'})
  or die 'it does not take more';
pass('used fast: as much as is allowed');
is(stats('small', 'prefetch_blocks <= 8, blocks_taken <= 8 * refills'), 't|t', 'used fast: and not more');

# While there is more than enough, waits are rare. However busy the machine is,
# there comes a time at which most refills are there before they are waited for.
$node->append_conf('postgresql.conf', 'idgen.max_prefetch_blocks = 64');
$node->reload;
my ($good, $deadline) = (0, time + $PostgreSQL::Test::Utils::timeout_default);
until ($good || time > $deadline)
{
	my ($waits, $refills) = split /\|/, stats('often', 'waits, refills');

	$node->poll_query_until('postgres', "SELECT refills >= $refills + 20 FROM idgen_stats WHERE name = 'often'")
	  or last;
	my ($waits_now, $refills_now) = split /\|/, stats('often', 'waits, refills');
	$good = ($waits_now - $waits) * 4 < $refills_now - $refills;
}
ok($good, 'used fast: hardly anybody waits');
terminate_clients($node, { run => $clients });

# What lasts for more than a second was too much.
my $blocks = stats('often', 'prefetch_blocks');
cmp_ok($blocks, '>', 1, 'used fast: it has taken more than one block');
$node->safe_psql('postgres', 'SELECT pg_sleep(1.1)');
$node->safe_psql(
	'postgres', q{
	DO $$
	DECLARE
		last timestamptz := (SELECT last_refill FROM idgen_stats WHERE name = 'often');
	BEGIN
		WHILE last = (SELECT last_refill FROM idgen_stats WHERE name = 'often') LOOP
			PERFORM idgen_next('often');
		END LOOP;
	END$$});
cmp_ok(stats('often', 'prefetch_blocks'), '<=', $blocks / 2, 'not used any more: half as much, or less');

# What lasts long enough, but not for as long as a commit takes, was too little.
$node->append_conf(
	'postgresql.conf', q{
fsync = on
commit_delay = 60000
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
			PERFORM pg_sleep(0.005);
		END LOOP;
	END$$});
is(stats('evenly', 'waits > 2, prefetch_blocks > 1'), 't|t', 'used evenly, but for waits: more than a block');

$node->stop;
done_testing();

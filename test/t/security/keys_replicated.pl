# Keys of scrambled ids that arrive by replication, and that a dump restores
# where there are others: what fails, and what PostgreSQL 18 logs of conflicts,
# shows none of them.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $publisher = idgen_server('publisher', init => [ allows_streaming => 'logical' ]);
my $subscriber = idgen_server('subscriber', conf => q{
track_commit_timestamp = on
log_error_verbosity = verbose
});
my $connstr = $publisher->connstr . ' dbname=postgres';

run_sql($publisher, q{
	SELECT idgen_create(name, layout => 'scrambled') FROM unnest('{missing,gone,there,changed,renamed}'::text[]) AS name;
	ALTER TABLE idgen_keys REPLICA IDENTITY FULL;
	CREATE PUBLICATION keys FOR TABLE idgen_keys});
run_sql($subscriber, "CREATE SUBSCRIPTION s CONNECTION '$connstr' PUBLICATION keys WITH (disable_on_error)");
$subscriber->wait_for_subscription_sync($publisher, 's');
my %keys;

# Note all keys that there are.
sub note_keys
{
	foreach my $node ($publisher, $subscriber)
	{
		$keys{$_} = 1
		  foreach split /\n/, run_sql($node, q{SELECT left(right(encode(key, 'hex'), 32), 12) FROM idgen_keys});
	}
	return;
}

# How many of them are in a text?
sub shown
{
	my ($text) = @_;
	return scalar grep { index($text, $_) >= 0 } keys %keys;
}

# conflict(kind, change): makes a change at the publisher that fails there, or
# that 18 logs as that kind of conflict.
sub conflict
{
	my ($kind, $change) = @_;
	my $offset = -s $subscriber->logfile;

	note_keys();
	run_sql($publisher, $change);
	note_keys();
	if ($kind =~ /exists/)
	{
		wait_for_true($subscriber, 'SELECT NOT subenabled FROM pg_subscription', 'an error');
	}
	else
	{
		$publisher->wait_for_catchup('s');
	}
	my $log = slurp_file($subscriber->logfile, $offset);
	like($log, qr/conflict detected on relation "public.idgen_keys": conflict=$kind/, "$kind is logged")
	  if run_sql($subscriber, 'SHOW server_version_num') >= 180000;
	is(shown($log), 0, "$kind: no key is in the log");
	return;
}

# Another subscriber's or user's writes: what arrives meets with something else.
run_sql($subscriber, q{DELETE FROM idgen_keys WHERE name IN ('missing', 'gone')});
conflict('update_missing', q{UPDATE id_sequences SET name = 'missing too' WHERE name = 'missing'});
conflict('delete_missing', q{DELETE FROM id_sequences WHERE name = 'gone'});
run_sql($subscriber, q{ALTER TABLE idgen_keys ADD note text; UPDATE idgen_keys SET note = 'mine' WHERE name = 'changed'});
conflict('update_origin_differs', q{UPDATE id_sequences SET name = 'changed too' WHERE name = 'changed'});
run_sql($subscriber, q{INSERT INTO idgen_keys VALUES ('taken', decode(md5('taken'), 'hex'))});
conflict('update_exists', q{UPDATE id_sequences SET name = 'taken' WHERE name = 'renamed'});
run_sql($subscriber, q{DELETE FROM idgen_keys WHERE name = 'taken'; ALTER SUBSCRIPTION s ENABLE});
$publisher->wait_for_catchup('s');
run_sql($subscriber, q{
	INSERT INTO idgen_keys VALUES ('new', decode(md5('new'), 'hex'));
	ALTER TABLE idgen_keys DISABLE TRIGGER ALL});
conflict('insert_exists', q{SELECT idgen_create('new', layout => 'scrambled')});
run_sql($subscriber, q{ALTER TABLE idgen_keys ENABLE TRIGGER USER; DROP SUBSCRIPTION s});

# A restore over keys that there are
my $dump = PostgreSQL::Test::Utils::tempdir() . '/keys.dump';
$publisher->command_ok([ 'pg_dump', '-Fc', '-f', $dump, 'postgres' ], 'pg_dump');
foreach my $options ([], ['--disable-triggers'])
{
	my ($stdout, $stderr) = run_command(
		[ 'pg_restore', '--data-only', @$options, '-t', 'idgen_keys', '-d', $publisher->connstr('postgres'), $dump ]);

	like($stderr, qr/has a key already|duplicate key value/, "a restore fails: @$options");
	like($stderr, qr/COPY idgen_keys, line/, 'and says where');
	is(shown($stderr), 0, 'but shows no key');
}
is(shown(slurp_file($publisher->logfile)), 0, 'nor does the log');

$_->stop foreach ($publisher, $subscriber);
done_testing();

# Secrets of scrambled ids that arrive by replication, and that a dump restores
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

# A new secret, and a change or the end of the first one
my $insert = q{INSERT INTO idgen_secrets SELECT substr(sha256(s), 1, 8), s
	FROM (SELECT decode(repeat('00', 48) || md5(random()::text) || md5(random()::text), 'hex')) AS v(s)};
my $first = 'WHERE fingerprint = (SELECT fingerprint FROM idgen_secrets ORDER BY fingerprint LIMIT 1)';
my $change = "UPDATE idgen_secrets SET (fingerprint, secret) = (SELECT substr(sha256(s), 1, 8), s
	FROM (SELECT overlay(secret PLACING decode(md5(random()::text), 'hex') FROM 49)) AS v(s)) $first";

run_sql($publisher, "$insert; " x 5 . q{
	ALTER TABLE idgen_secrets REPLICA IDENTITY FULL;
	CREATE PUBLICATION secrets FOR TABLE idgen_secrets});
run_sql($subscriber, "CREATE SUBSCRIPTION s CONNECTION '$connstr' PUBLICATION secrets WITH (disable_on_error)");
$subscriber->wait_for_subscription_sync($publisher, 's');
my %keys;

# Note parts of all secrets that there are.
sub note_keys
{
	foreach my $node ($publisher, $subscriber)
	{
		$keys{$_} = 1
		  foreach split /\n/, run_sql($node, q{SELECT substr(encode(secret, 'hex'), n, 12) FROM idgen_secrets, generate_series(97, 137, 8) n});
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
	like($log, qr/conflict detected on relation "public.idgen_secrets": conflict=$kind/, "$kind is logged")
	  if run_sql($subscriber, 'SHOW server_version_num') >= 180000;
	is(shown($log), 0, "$kind: no secret is in the log");
	return;
}

# Another subscriber's or user's writes: what arrives meets with something else.
run_sql($subscriber, "DELETE FROM idgen_secrets $first");
conflict('update_missing', $change);
run_sql($subscriber, "DELETE FROM idgen_secrets $first");
conflict('delete_missing', "DELETE FROM idgen_secrets $first");
run_sql($subscriber, "UPDATE idgen_secrets SET secret = secret");
conflict('update_origin_differs', $change);
my ($there) = run_sql($publisher, "$insert RETURNING format('INSERT INTO idgen_secrets VALUES (%L, %L)', fingerprint, secret)");
$publisher->wait_for_catchup('s');
run_sql($publisher, 'DELETE FROM idgen_secrets WHERE secret IN (SELECT secret FROM idgen_secrets ORDER BY ctid DESC LIMIT 1)');
$publisher->wait_for_catchup('s');
run_sql($subscriber, $there);
conflict('insert_exists', $there);
run_sql($subscriber, 'DROP SUBSCRIPTION s');

# A restore over secrets that there are
my $dump = PostgreSQL::Test::Utils::tempdir() . '/keys.dump';
$publisher->command_ok([ 'pg_dump', '-Fc', '-f', $dump, 'postgres' ], 'pg_dump');
foreach my $options ([], ['--disable-triggers'])
{
	my ($stdout, $stderr) = run_command(
		[ 'pg_restore', '--data-only', @$options, '-t', 'idgen_secrets', '-d', $publisher->connstr('postgres'), $dump ]);

	like($stderr, qr/duplicate key value/, "a restore fails: @$options");
	like($stderr, qr/COPY idgen_secrets, line/, 'and says where');
	is(shown($stderr), 0, 'but shows no secret');
}
is(shown(slurp_file($publisher->logfile)), 0, 'nor does the log');

$_->stop foreach ($publisher, $subscriber);
done_testing();

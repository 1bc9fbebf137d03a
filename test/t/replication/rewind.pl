# An old primary that was rewound follows the new one and, promoted again, goes
# on behind all that was issued there. Neither what it had cached nor a restart
# file comes back, its own or that of the server from which it was rewound.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Copy;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $a = idgen_server('a', init => [ allows_streaming => 1 ], conf => q{
wal_log_hints = on
wal_keep_size = 256MB
autovacuum = off
});
create_all_kinds($a);
my $b = start_standby($a, 'b');

# Clients that get that number of ids, up to a stop of the server. Answers what
# they have got.
sub load
{
	my ($server, $stop) = @_;
	my @clients = start_all_kinds($server, 3);

	wait_for_ids(200, @clients);
	$stop->(@clients);
	finish_clients(@clients);
	my @ids = issued_ids(@clients);
	is(duplicates(@ids), '', $server->name . ': no id twice under load');
	return @ids;
}

# pg_rewind takes the configuration files along, which are those of each server
# here.
sub rewind
{
	my ($target, @source) = @_;
	my $conf = $target->data_dir . '/postgresql.conf';

	copy($conf, $target->basedir . '/conf') or die "copy failed: $!";
	$target->command_ok([ 'pg_rewind', '--no-sync', '--target-pgdata', $target->data_dir, @source ],
		$target->name . ': pg_rewind');
	copy($target->basedir . '/conf', $conf) or die "copy failed: $!";
	return;
}

# Start a server as a standby of the other one.
sub follow
{
	my ($server, $other) = @_;

	$server->enable_streaming($other);
	$server->start;
	return;
}

# The old primary has issued ids that the standby knows nothing of, and crashes.
$a->wait_for_catchup($b);
$b->safe_psql('postgres', q{ALTER SYSTEM SET primary_conninfo = ''; SELECT pg_reload_conf()});
$a->poll_query_until('postgres', 'SELECT count(*) = 0 FROM pg_stat_replication') or die 'the standby still listens';
load($a, sub { kill_server($a) });
$b->promote;
$b->safe_psql('postgres', 'ALTER SYSTEM RESET primary_conninfo');
my @ids = load($b, sub { terminate_clients($b, @_) });
rewind($a, '--source-server', $b->connstr('postgres'));
follow($a, $b);
push @ids, load($b, sub { $b->stop('fast') });
is(duplicates(@ids), '', 'b: no id twice');
$a->promote;
is($a->safe_psql('postgres', 'SELECT count(*) FROM idgen_cache'), '0', 'a, promoted: nothing is cached');
goes_on($a, 'a, promoted', [ @ids, drawn_ids($a) ]);

# The other one was shut down in good order, but is started by mistake. What it
# gets, with its restart file, has to go. It is rewound from a server that is
# stopped and has such a file as well.
$b->start;
load($b, sub { $b->stop('fast') });
@ids = load($a, sub { $a->stop('fast') });
rewind($b, '--source-pgdata', $a->data_dir);
$a->start;
follow($b, $a);
push @ids, load($a, sub { $a->stop('fast') });
is(duplicates(@ids), '', 'a: no id twice');
$b->promote;
is($b->safe_psql('postgres', 'SELECT count(*) FROM idgen_cache'), '0', 'b, promoted: nothing is cached');
goes_on($b, 'b, promoted', [ @ids, drawn_ids($b) ]);
$b->restart;
is(duplicates(@ids, load($b, sub { terminate_clients($b, @_) })), '', 'b, restarted: no id is issued a second time');

$b->stop;
done_testing();

# A centre that is being started, only reads, or is being promoted is tried
# again for idgen.server_timeout, on all hosts: a call that needs it meanwhile
# gets its id, by whichever way it refills. What somebody has to mend first is
# an error at once.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = central_server('primary', init => [ allows_streaming => 1 ]);
$primary->safe_psql('postgres', q{
	INSERT INTO id_sequences VALUES ('x', 1, 1), ('w', 1, 1), ('kept', 1, 1);
	INSERT INTO id_sequences SELECT 'w' || i, 1, 1 FROM generate_series(1, 9) i;
	CREATE ROLE no_more LOGIN});

my ($node) = idgen_nodes(1, centres => [$primary], conf => q{
idgen.worker_timeout = '100s'
deadlock_timeout = '100s'
});
create_remote($_, '', $node) for ('x', 'kept');
create_remote($_, q{refill => 'worker'}, $node) for ('w', map { "w$_" } 1 .. 9);
my %draw = map { $_ => "SELECT idgen_next('$_')" } ('x', 'w');

# Needs an id now, while none is to be had, with refill transaction and worker:
# in a new session, and in one that is connected to the centre already. Of what
# the worker refills, each time another one, since it may refill ahead.
my $outages = 0;
my $kept = $node->background_psql('postgres', on_error_stop => 0);
is($kept->query_safe(q{SELECT idgen_next('kept')}), '1', 'a connection');

sub start_drawing
{
	$outages++;
	my @new = map { start_statement($node, "SELECT idgen_next('$_')") } ('x', "w$outages");

	begin_statement($kept, "SELECT idgen_next('kept')");
	my $wait = eval { wait_for_waiters($node, 3, '^SELECT idgen_next', 'Extension'); 1 };
	ok($wait, "outage $outages: they wait") or die 'the rest would make no sense';
	return @new;
}

sub all_get_ids
{
	my ($name, @new) = @_;
	my @got = map { answer($_, '') } (@new, $kept);

	is(join(' ', grep { !/^\d+$/ } @got), '', "$name: nobody sees an error");
	$_->quit for @new;
	return;
}

# How often the log has that line.
sub logged
{
	my ($node, $line) = @_;
	return scalar(() = slurp_file($node->logfile) =~ /$line/g);
}

is($node->safe_psql('postgres', $draw{$_}), '1', "$_: an id") for ('x', 'w');

# Refused, then starting
foreach my $mode ('fast', 'immediate')
{
	$primary->stop($mode);
	my @sessions = start_drawing();
	$primary->start;
	all_get_ids("$mode shutdown", @sessions);
}

# Of a single host, too, it is seen whether it can be written to.
sub set_read_only
{
	my ($server, $value) = @_;

	$server->append_conf('postgresql.conf', "default_transaction_read_only = $value");
	$server->reload;
	$server->poll_query_until('template1', 'SHOW default_transaction_read_only', $value) or die 'not reloaded';
	return;
}

set_read_only($primary, 'on');
my @sessions = start_drawing();
set_read_only($primary, 'off');
all_get_ids('read-only', @sessions);

set_read_only($primary, 'on');
my ($ret, $stdout, $stderr) = $node->psql('postgres', "SET idgen.server_timeout = '500ms'; $draw{x}");
like(
	$stderr,
	qr/ERROR:  could not connect to server "central"\nDETAIL:  cannot execute SELECT FOR UPDATE in a read-only transaction\n/,
	'read-only for too long');
set_read_only($primary, 'off');

# A standby that takes no connections at all, or only to read, and then is
# promoted
foreach my $hot ('off', 'on')
{
	my $standby = start_standby($primary, "standby_$hot", conf => "hot_standby = $hot");
	my $options = server_options($primary, $standby) =~ s/, dbname.*//r =~ s/(host|port)/SET $1/gr;

	$node->safe_psql('postgres', "ALTER SERVER central OPTIONS ($options)");
	# by its name, since one that takes no connections cannot be asked
	$primary->wait_for_catchup($standby->name);
	$primary->stop;
	@sessions = start_drawing();
	($ret, $stdout, $stderr) = $node->psql('postgres', "SET idgen.server_timeout = '500ms'; SELECT idgen_peek('x')");
	like($stderr, qr/could not connect to server "central"\nDETAIL: .*\n.*\n.*(not accepting connections|starting up|read-only)/,
		"hot_standby = $hot: not yet");
	$standby->promote;
	all_get_ids("promoted, hot_standby = $hot", @sessions);
	$primary = $standby;
}

# The worker has told the log once for each outage, and what has taken the time
# in between is no news.
$primary->stop;
$node->append_conf('postgresql.conf', q{idgen.server_timeout = '100ms'});
$node->reload;
$node->poll_query_until('postgres', 'SHOW idgen.server_timeout', '100ms') or die 'not reloaded';
my $before = logged($node, 'LOG:  could not refill id sequence "w"');
is(sqlstate($node, $draw{w}), '08001', 'no server') for 1 .. 5;
is(logged($node, 'LOG:  could not refill id sequence "w"'), $before + 1, 'one line for five failures');
like($node->safe_psql('postgres', q{SELECT problem_kind FROM idgen_health WHERE name = 'w'}), qr/unreachable/, 'idgen_health says so');
$node->append_conf('postgresql.conf', q{idgen.server_timeout = '100s'});
$node->reload;
$node->poll_query_until('postgres', 'SHOW idgen.server_timeout', '100s') or die 'not reloaded';
$before = logged($node, 'LOG:  server "central" answers again');
$primary->start;
like($node->safe_psql('postgres', $draw{w}), qr/^\d+$/, 'it is back');
is(logged($node, 'LOG:  server "central" answers again'), $before + 1, 'which the log is told');

# What does not pass by itself is not tried again: within the time of the test
# there are 100 s.
$node->safe_psql('postgres', q{
	ALTER SERVER central OPTIONS (SET host 'nowhere', SET port '1');
	ALTER SERVER central OPTIONS (SET dbname 'missing')});
my $options = server_options($primary) =~ s/, dbname.*//r =~ s/(host|port)/SET $1/gr;
$node->safe_psql('postgres', "ALTER SERVER central OPTIONS ($options)");
is(sqlstate($node, "SET statement_timeout = '60s'; $draw{x}"), '08001', 'there is no such database');
is(sqlstate($node, "SET statement_timeout = '60s'; $draw{w}"), '08001', 'the same for the worker');
$node->safe_psql('postgres', q{
	ALTER SERVER central OPTIONS (SET dbname 'postgres');
	ALTER USER MAPPING FOR CURRENT_USER SERVER central OPTIONS (ADD user 'no_more')});
$primary->safe_psql('postgres', 'ALTER ROLE no_more NOLOGIN');
($ret, $stdout, $stderr) = $node->psql('postgres', "SET statement_timeout = '60s'; $draw{x}");
like($stderr, qr/DETAIL:  .*FATAL:  role "no_more" is not permitted to log in\n/, 'the role must not log in');
unlike($stderr, qr/28000|\.c:/, 'libpq is not seen to be verbose');

$kept->quit;
$node->stop;
$primary->stop;
done_testing();

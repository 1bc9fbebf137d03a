# The centre stops, shuts down or crashes, and starts again, while its nodes
# draw. Nobody notices while ids are left; then calls wait, and fail with errors
# that say which server it is; and when it is back the same sessions go on. No
# id is issued twice.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre');
my @nodes = idgen_nodes(2, centres => [$centre]);
my $session = $nodes[0]->background_psql('postgres', on_error_stop => 0);

$centre->safe_psql('postgres', q{
	INSERT INTO id_sequences VALUES ('x', 1, 3), ('worker', 1, 7), ('single', 1, 20), ('held', 1, 1), ('ahead', 1, 10000)});
create_remote($_, '', @nodes) foreach ('x', 'single', 'held');
create_remote($_, q{refill => 'worker'}, @nodes) foreach ('worker', 'ahead');
$session->query_safe('\set VERBOSITY verbose');

sub draw
{
	my ($name, $number) = @_;
	return answer($session, "SELECT max(idgen_next('$name')) FROM generate_series(1, $number)");
}

# A session, with a connection that is there already
is(draw('single', 3), '3', 'ids');
foreach my $mode ('fast', 'immediate')
{
	my $last = draw('single', 1);

	$centre->stop($mode);
	is(draw('single', 16), $last + 16, "$mode shutdown: ids that are left");
	$session->query_safe(q{SET idgen.server_timeout = '300ms'});
	like(draw('single', 1), qr/^ERROR:  08001: could not connect to server "central"/, "$mode shutdown: then an error") foreach 1, 2;
	$session->query_safe('RESET idgen.server_timeout');
	$centre->start;
	is(draw('single', 3), $last + 19, "$mode shutdown: afterwards it goes on");
}

# The centre is lost in the middle of a refill, which waits there for a lock.
foreach my $mode ('fast', 'immediate')
{
	my $holder = $centre->background_psql('postgres');

	$holder->query_safe(q{BEGIN; SELECT 1 FROM id_sequences WHERE name = 'held' FOR UPDATE});
	my $refiller = start_statement($nodes[0], q{SELECT idgen_next('held')}, '\set VERBOSITY verbose');
	wait_for_waiters($centre, 1, 'id_sequences');
	$centre->stop($mode);
	$centre->start;
	like(answer($refiller, ''), qr/^\d+$/, "$mode shutdown: in a refill");
	$_->quit foreach ($holder, $refiller);
}

# With a worker, enough is there for a short while, in which it tries in vain.
is(draw('ahead', 1), '1', 'the worker has refilled');
my $offset = -s $nodes[0]->logfile;
$nodes[0]->append_conf('postgresql.conf', q{idgen.server_timeout = '1s'});
$nodes[0]->reload;
$nodes[0]->poll_query_until('postgres', 'SHOW idgen.server_timeout', '1s') or die 'not reloaded';
$centre->stop('immediate');
is(draw('ahead', 9500), '9501', 'worker: no id is missing');
$nodes[0]->wait_for_log(qr/could not connect to server "central"/, $offset);
is(draw('ahead', 10), '9511', 'worker: that it has tried in vain, nobody notices');
$nodes[0]->append_conf('postgresql.conf', q{idgen.server_timeout = '100s'});
$nodes[0]->reload;
$centre->start;
is(draw('ahead', 10_000), '19511', 'worker: afterwards it goes on');

# Under load
my @clients = map { [ start_node_clients($_) ] } @nodes;
my @all = map { @$_ } @clients;
wait_for_ids(50, @all);
foreach my $mode ('fast', 'immediate')
{
	$centre->stop($mode);
	$centre->start;
	wait_for_ids(50, @all);
}
terminate_clients($nodes[$_], @{ $clients[$_] }) foreach (0, 1);

is( join("\n", grep { !/^57P01: terminating connection due to administrator command/ } client_errors(@all)),
	'', 'load: clients met with no errors');

my @ids = seen_ids(@all);
is(duplicates(@ids), '', 'load: no id was issued twice');
is(not_allocated($centre, @ids), '', 'load: no id is beyond what the centre has allocated');

$session->quit;
$_->stop foreach (@nodes, $centre);
done_testing();

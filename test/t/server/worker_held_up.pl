# A server that is silent, or has a row locked, holds up the id sequences that
# draw from there, and nothing else: neither other servers, nor the database's
# own table. Where only a row is locked there, the others go on. The worker for
# a server has one connection, says what is wrong to those who wait, and goes on
# by itself when the server does.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Proxy;
use Test::More;

my $centre = central_server('centre');
my $second = central_server('second');
my $proxy = Proxy->new($centre);
my ($node) = idgen_nodes(1, workers => 1, centres => [$proxy], conf => q{
idgen.worker_timeout = '100s'
idgen.max_prefetch_blocks = 1
});

# Every id of those is a block.
$_->safe_psql('postgres', q{INSERT INTO id_sequences SELECT 'x' || i, 1, 1 FROM generate_series(1, 8) i}) for ($centre, $second);
create_remote("x$_", q{refill => 'worker'}, $node) for 1 .. 7;
create_remote('x8', q{refill => 'auto'}, $node);
my $options = server_options($second);
$node->safe_psql('postgres', qq{
	CREATE SERVER second FOREIGN DATA WRAPPER idgen_fdw OPTIONS ($options, remote_name 'x1');
	CREATE USER MAPPING FOR CURRENT_USER SERVER second;
	SELECT idgen_create('second', source => 'server', refill => 'worker'),
		idgen_create('own', block_size => 2, refill => 'worker'),
		idgen_create('auto', refill => 'auto')});

my $connections = q{SELECT count(*) FROM pg_stat_activity WHERE application_name = 'idgen'};

# Many calls, each of which may need a refill. In one transaction they would be
# a bulk load, for which the worker takes more than one id at a time.
sub others_go_on
{
	my ($name, @others) = @_;

	for my $sequence (@others)
	{
		my $ids = $node->safe_psql('postgres',
			"SET statement_timeout = '60s';" . "SELECT idgen_next('$sequence');" x 20);
		my %different = map { $_ => 1 } split /\n/, $ids;

		is(keys %different, 20, "$name: $sequence goes on");
	}
	return;
}

sub draw_all
{
	my ($name, @sessions) = @_;

	is(join(' ', grep { !/^\d+$/ } map { $_->query_safe('') } @sessions), '', "$name: those who waited have ids");
	$_->quit for @sessions;
	return;
}

is( $node->safe_psql('postgres', q{
		SELECT idgen_next('x7');
		SELECT name, worker FROM idgen_health WHERE name IN ('own', 'x7') ORDER BY name}),
	"1\nown|not running\nx7|running", 'views tell of the worker for the server');

# Rows locked
my $holder = $centre->background_psql('postgres');
$holder->query_safe(q{BEGIN; SELECT FROM id_sequences WHERE name <= 'x2' FOR UPDATE});
my @sessions = map { start_statement($node, "SELECT idgen_next('x$_')") } 1 .. 2;
wait_for_waiters($node, 2, '^SELECT idgen_next', 'Extension');
wait_for_waiters($centre, 1, 'id_sequences');
others_go_on('rows locked', 'second', 'own');
like($node->safe_psql('postgres', q{SELECT idgen_next('x7')}), qr/^\d+$/, 'rows locked: another one there');
is($centre->safe_psql('postgres', $connections), '1', 'there is one connection');
$holder->query_safe('COMMIT');
draw_all('rows unlocked', @sessions);

# Silent
$proxy->hold;
@sessions = map { start_statement($node, "SELECT idgen_next('x$_')") } 1 .. 6;
$proxy->wait_for_held(1);
others_go_on('silent', 'second', 'own');
is($proxy->connected, '1', 'silent: no more connections');
my $impatient = $node->background_psql('postgres', on_error_stop => 0);
$impatient->query_safe(q{SET idgen.server_timeout = '200ms'});
$impatient->query(q{SELECT idgen_next('x8')});
like($impatient->{stderr}, qr/did not answer in time|could not connect/, 'silent: a session has waited for the worker, and then asked itself');
$impatient->{stderr} = '';
is($impatient->query_safe(q{BEGIN; SELECT idgen_next('auto'); ROLLBACK; SELECT idgen_next('auto')}), "1\n2", 'silent: it waits for the worker of the database all the same');
$impatient->quit;
$proxy->pass;
draw_all('not silent any more', @sessions);

# For longer than idgen.server_timeout
$node->append_conf('postgresql.conf', q{idgen.server_timeout = '200ms'});
$node->reload;
$node->poll_query_until('postgres', q{SHOW idgen.server_timeout}, '200ms') or die 'not reloaded';
$proxy->hold;
for my $round (1 .. 2)
{
	@sessions = map { start_statement($node, "SELECT idgen_next('x$_')", '\set VERBOSITY sqlstate') } 1 .. 6;
	like(join(' ', map { answer($_, '') } @sessions), qr/^(0800[16] ?){6}$/, 'those who wait get to know it');
	cmp_ok($proxy->connected, '<=', 1, 'connections do not pile up');
	$_->quit for @sessions;
}
others_go_on('given up', 'second', 'own');
$node->append_conf('postgresql.conf', q{idgen.server_timeout = '100s'});
$node->reload;
$proxy->pass;
$node->poll_query_until('postgres', q{SELECT idgen_next('x1') > 0}) or die 'the worker has given up';
others_go_on('back', 'x1', 'x6');

# No server, for a while
$node->append_conf('postgresql.conf', q{idgen.server_timeout = '200ms'});
$node->reload;
$node->poll_query_until('postgres', q{SHOW idgen.server_timeout}, '200ms') or die 'not reloaded';
$centre->stop;
for my $try (1 .. 3)
{
	is(sqlstate($node, q{SELECT idgen_next('x1')}), '08001', 'no server');
}
others_go_on('no server', 'second', 'own');
$node->append_conf('postgresql.conf', q{idgen.server_timeout = '100s'});
$node->reload;
$centre->start;
others_go_on('it has started', 'x1', 'x2');

# Connections that broke while they were idle are nobody's concern.
$proxy->cut;
others_go_on('idle connections cut', 'x1', 'x2');

# Nor is it, while ids are cached, that there is no server.
$centre->safe_psql('postgres', q{UPDATE id_sequences SET block_size = 100 WHERE name = 'x1'});
$node->safe_psql('postgres', q{SELECT count(idgen_next('x1')) FROM generate_series(1, 5)});
$node->poll_query_until('postgres', q{SELECT ids_cached > 50 FROM idgen_stats WHERE name = 'x1'}) or die 'no ids are cached';
$centre->stop;
others_go_on('ids cached, no server', 'x1');

$node->stop;
$second->stop;
done_testing();

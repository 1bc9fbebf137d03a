# Each database has a worker of its own, and none is in the way of what is done
# to a database as a whole.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('databases', conf => q{idgen.worker_idle_timeout = '100s'});

sub draw
{
	my ($database) = @_;
	return $node->safe_psql($database, q{SELECT idgen_next('x')});
}

foreach my $database ('one', 'two')
{
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql(
		$database, q{
		CREATE EXTENSION idgen;
		SELECT idgen_create('x', block_size => 3, refill => 'worker')});
	is(draw($database), '1', "first id in database $database");
}
my $one = worker_pid($node, 'one');
isnt($one, worker_pid($node, 'two'), 'there are two workers');
is(join(' ', map { draw('one') . draw('two') } 2 .. 10), '22 33 44 55 66 77 88 99 1010', 'each serves its database');

# Dropped with a worker that would stay for long
$node->safe_psql('postgres', 'DROP DATABASE one');
is( $node->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE pid = $one"),
	'0', 'the worker goes with its database');
is(draw('two'), '11', 'the other one does not notice');

# In use by a session, and so not dropped
my $session = $node->background_psql('two', on_error_stop => 0);
is($session->query_safe(q{SELECT idgen_next('x')}), '12', 'a session');
is(sqlstate($node, q{SET statement_timeout = '200ms'; DROP DATABASE two}), '57014', 'a database in use is not dropped');
is($session->query_safe(q{SELECT max(idgen_next('x')) FROM generate_series(13, 50)}), '50', 'the session draws on');

# Neither are connections allowed, nor is there one left
$node->safe_psql('postgres', 'ALTER DATABASE two ALLOW_CONNECTIONS false CONNECTION LIMIT 0');
$node->safe_psql('postgres', sprintf('SELECT pg_terminate_backend(%d, 60000)', worker_pid($node, 'two')));
is($session->query_safe(q{SELECT max(idgen_next('x')) FROM generate_series(51, 500)}), '500', 'who is connected has a worker');
$session->quit;
$node->safe_psql('postgres', 'ALTER DATABASE two ALLOW_CONNECTIONS true CONNECTION LIMIT -1');

# Copied and renamed: the server waits some seconds for others to go, and the
# worker does so when it has had nothing to do for a while.
$node->append_conf('postgresql.conf', q{idgen.worker_idle_timeout = '300ms'});
$node->reload;
my $last = draw('two');
my $block_start = $node->safe_psql('two', 'SELECT next_block_start FROM id_sequences');
$node->safe_psql('postgres', 'CREATE DATABASE copy TEMPLATE two');
is($node->safe_psql('copy', 'SELECT count(*) FROM idgen_cache'), '0', 'a copy has nothing cached');
cmp_ok(draw('copy'), '>=', $block_start, 'it begins after what was allocated before');
is(draw('two'), $last + 1, 'the original goes on');
$node->safe_psql('postgres', 'ALTER DATABASE two RENAME TO three');
is(draw('three'), $last + 2, 'so it does with another name');

# Dropped with sessions at work, by somebody who is no superuser
$node->append_conf('postgresql.conf', q{idgen.worker_idle_timeout = '100s'});
$node->reload;
$node->safe_psql(
	'postgres', q{
	CREATE ROLE owner LOGIN;
	ALTER DATABASE copy OWNER TO owner});
my @sessions = map {
	$node->background_psql('copy', on_error_stop => 0, extra_params => [ '-U', 'owner' ])
} 1 .. 2;
begin_statement($_, "SELECT count(idgen_next('x')) FROM generate_series(1, 100000000)")
  for @sessions;
worker_pid($node, 'copy');
is(sqlstate($node, 'SET SESSION AUTHORIZATION owner; DROP DATABASE copy WITH (FORCE)'), '', 'dropped by force');
$node->safe_psql('postgres', 'DROP DATABASE IF EXISTS copy WITH (FORCE)');
$_->{run}->finish for @sessions;
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_database WHERE datname = 'copy'}), '0', 'it is gone');

# A new one of the same name
$node->safe_psql('postgres', 'CREATE DATABASE copy');
$node->safe_psql('copy', q{CREATE EXTENSION idgen; SELECT idgen_create('x', 7, refill => 'worker')});
is(draw('copy'), '7', 'a new database has ids of its own');

$node->stop;
done_testing();

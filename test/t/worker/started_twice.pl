# A worker that comes up so late that another one was started in its place: one
# of them serves the database, and the other one goes.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'libfaketime is not here' unless fake_clock_library();

# There is place for two workers.
my $node = idgen_server('late', conf => q{
max_logical_replication_workers = 0
max_worker_processes = 2
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '1000s'
});
my $create = q{SELECT idgen_create('x', block_size => 1, refill => 'worker')};
$node->safe_psql('postgres', $create);
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', "CREATE EXTENSION idgen; $create");
$node->stop;
start_with_clock($node, '+0');

my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('\set VERBOSITY sqlstate');
$session->query_safe(q{SET idgen.worker_timeout = '50ms'});

# The server starts no process meanwhile.
my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
kill('STOP', $postmaster) or die "could not stop the server: $!";
foreach my $case ([ 0, '53000', 'a worker is asked for' ], [ 10, '53000', 'another one' ], [ 20, '53400', 'there is no place for more' ])
{
	my ($seconds, $sqlstate, $what) = @{$case};

	set_clock($node, "+$seconds");
	is(answer($session, q{SELECT idgen_next('x')}), $sqlstate, $what);
}
kill('CONT', $postmaster) or die "could not continue the server: $!";
worker_pid($node, 'postgres');
$session->query_safe('RESET idgen.worker_timeout');
is(answer($session, q{SELECT idgen_next('x')}), '1', 'both are started');
$session->quit;

ok($node->poll_query_until('other', q{SELECT idgen_next('x')}, '1'), 'one of them goes, and leaves its place to another');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'idgen worker' AND datname = 'postgres'}),
	'1', 'the other one stays');
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '2', 'and goes on');

$node->stop;
unlike(slurp_file($node->logfile), qr/terminated by|exited with/, 'nothing is wrong with that');
done_testing();

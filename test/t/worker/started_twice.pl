# A worker that comes up so late that another one may have been started in its
# place: sessions are told meanwhile; in the end the database has one worker.
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
foreach my $seconds (0, 10, 20)
{
	set_clock($node, "+$seconds");
	like(answer($session, q{SELECT idgen_next('x')}), qr/^53[04]00$/, "there is no worker after $seconds s");
}
kill('CONT', $postmaster) or die "could not continue the server: $!";
worker_pid($node, 'postgres');
$session->query_safe('RESET idgen.worker_timeout');
is(answer($session, q{SELECT idgen_next('x')}), '1', 'then there is');
$session->quit;

ok($node->poll_query_until('other', q{SELECT idgen_next('x')}, '1'), 'and a place for that of another database');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'idgen worker' AND datname = 'postgres'}),
	'1', 'one of the workers stays');
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '2', 'and goes on');

$node->stop;
unlike(slurp_file($node->logfile), qr/terminated by|exited with/, 'nothing is wrong with that');
done_testing();

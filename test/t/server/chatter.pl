# A centre that sends more than it is asked for, but not too much at a time:
# what libpq keeps of that as long as the connection does not pile up in a
# session, nor in the worker.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use FakeCentre;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $refills = 400;
my $notification = message('A', pack('N Z* Z*', 1, 'a' x 50_000, 'b' x 40_000));

sub blocks
{
	return [
		map {
			my $first = 1 + 20 * $_;
			[ $notification, block($first) . complete() . ready() ]
		} 0 .. $refills - 1
	];
}

my $fake = FakeCentre->new(answers => { s => blocks(), w => blocks() });
my $node = idgen_server('node', conf => q{
idgen.worker_start_timeout = -1
idgen.server_timeout = '100s'
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100s'
});
my $options = server_options($fake);
$node->safe_psql('postgres', qq{
	CREATE SERVER fake FOREIGN DATA WRAPPER idgen_fdw OPTIONS ($options);
	CREATE USER MAPPING FOR CURRENT_USER SERVER fake;
	SELECT idgen_create('s', source => 'server', source_name => 'fake'),
		idgen_create('w', source => 'server', source_name => 'fake', refill => 'worker')});

# The memory, in MB, that a process has now
sub memory
{
	my ($pid) = @_;
	return slurp_file("/proc/$pid/status") =~ /^VmRSS:\s+(\d+) kB/m ? $1 / 1024 : die 'no VmRSS';
}

my $session = $node->background_psql('postgres');
my %pid = (s => $session->query_safe('SELECT pg_backend_pid()'));
foreach my $name ('s', 'w')
{
	$session->query_safe("SELECT count(idgen_next('$name')) FROM generate_series(1, 200)");
	$pid{w} = worker_pid($node, 'postgres') if $name eq 'w';
	my $before = memory($pid{$name});

	is($session->query_safe("SELECT count(DISTINCT idgen_next('$name')) FROM generate_series(1, 20 * ($refills - 50))"), 20 * ($refills - 50), "$name: drawn");
	cmp_ok(memory($pid{$name}) - $before, '<', 15, "$name: MB more") unless is_sanitized();
}
$session->quit;
$node->stop;
done_testing();

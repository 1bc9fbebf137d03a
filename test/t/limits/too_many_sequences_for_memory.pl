# With an idgen.max_sequences for which there is not enough memory, the server
# does not start and says why. What was cached waits for a setting with which it
# does.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'the sanitizer reserves more than all of it' if is_sanitized();

my $node = idgen_server('memory');

is($node->safe_psql('postgres', q{SELECT idgen_create('x'); SELECT idgen_next('x')}), "\n1", 'an id');
$node->stop;

# With 0.4 GB of address space for each process
$node->append_conf('postgresql.conf', 'idgen.max_sequences = 1000000');
my $offset = -s $node->logfile;
my $status = system('bash', '-c', 'ulimit -v 400000 && exec "$@" >/dev/null', 'bash',
	$node->installed_command('pg_ctl'), '-w', '-D', $node->data_dir, '-l', $node->logfile, 'start');
my $log = slurp_file($node->logfile, $offset);
isnt($status, 0, 'the server does not start');
like($log, qr/FATAL:  could not map anonymous shared memory: Cannot allocate memory\n.*HINT:  .*\(currently [45]\d{8} bytes\)/,
	'and says how much it wanted');
unlike($log, qr/terminated by signal|PANIC|TRAP/, 'it has not crashed');

# More than the setting may be
my ($size) = run_command(
	[
		$node->installed_command('postgres'), '-D', $node->data_dir,
		'-C', 'shared_memory_size', '-c', 'idgen.max_sequences=2147483647'
	]);
cmp_ok($size, '<', 500, 'a greater value is not taken');

$node->append_conf('postgresql.conf', 'idgen.max_sequences = 10000');
$node->start;
is($node->safe_psql('postgres', q{SELECT idgen_next('x')}), '2', 'with fewer it goes on with what was cached');

$node->stop;
done_testing();

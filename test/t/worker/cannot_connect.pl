# A worker that cannot connect to its database: those who wait for it are told
# at once, and all is well when the next one can.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes 'sleep';

my $node = idgen_server('node', conf => q{
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100s'
idgen.max_prefetch_blocks = 1
});
$node->safe_psql('postgres', q{SELECT idgen_create('x', block_size => 3, refill => 'worker')});

# A session that is connected already does not need the file that nobody can
# connect without.
my @sessions = map { $node->background_psql('postgres', on_error_stop => 0) } 1 .. 2;
my $file = $node->data_dir . '/base/' . $node->safe_psql('postgres', q{SELECT oid FROM pg_database WHERE datname = 'postgres'}) . '/PG_VERSION';
rename($file, "$file.away") or die "could not rename $file: $!";

foreach my $call (1 .. 4)
{
	is( answer($sessions[ $call % 2 ], q{SELECT idgen_next('x')}),
		'ERROR:  the worker of idgen could not connect to the database', "call $call");
}
$_->query_safe('\set VERBOSITY sqlstate') for @sessions;
is(answer($sessions[0], q{SELECT idgen_next('x')}), '55000', 'SQLSTATE');

# It has told the sessions before it goes. Nobody can connect to look.
my $workers;
foreach (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
{
	$workers = $sessions[1]->query_safe(q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'idgen worker'});
	last if $workers eq '0';
	sleep(0.1);
}
is($workers, '0', 'there is no worker');

rename("$file.away", $file) or die "could not rename $file: $!";
is(join(' ', map { answer($sessions[ $_ % 2 ], q{SELECT idgen_next('x')}) } 1 .. 7), '1 2 3 4 5 6 7', 'the next worker can');
$_->quit for @sessions;

$node->stop;
like(slurp_file($node->logfile), qr/FATAL:  .*base\/\d+/, 'the log says why');
done_testing();

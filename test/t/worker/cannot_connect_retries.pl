# Sessions that try again and again while no worker can connect: each worker
# fails a call of each of them once, and goes.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('node', conf => q{
idgen.worker_timeout = '100s'
idgen.worker_idle_timeout = '100s'
});
my @names = map { "x$_" } 1 .. 8;

$node->safe_psql('postgres', 'CREATE TABLE denied (calls int)');
$node->safe_psql('postgres', "SELECT idgen_create('$_', refill => 'worker')") foreach @names;

# Sessions that are connected do not need the file that nobody can connect
# without.
my @sessions = map { $node->background_psql('postgres') } @names;
my $file = $node->data_dir . '/base/' . $node->safe_psql('postgres', q{SELECT oid FROM pg_database WHERE datname = 'postgres'}) . '/PG_VERSION';
my $watcher = $node->background_psql('postgres');

# How many workers have failed to connect
sub failed_workers
{
	return scalar(() = slurp_file($node->logfile) =~ /FATAL:  .*base\/\d+/g);
}

rename($file, "$file.away") or die "could not rename $file: $!";
foreach my $i (0 .. $#names)
{
	$sessions[$i]->query_until(qr/^began$/m, qq{\\echo began
DO \$\$
DECLARE
	denied int := 0;
BEGIN
	LOOP
		BEGIN
			PERFORM idgen_next('$names[$i]');
			EXIT;
		EXCEPTION WHEN object_not_in_prerequisite_state THEN
			denied := denied + 1;
		END;
	END LOOP;
	INSERT INTO denied VALUES (denied);
END \$\$;
});
}
wait_until(sub { failed_workers() >= 5 }, 'workers to fail');
rename("$file.away", $file) or die "could not rename $file: $!";

wait_until(sub { $watcher->query_safe('SELECT count(*) FROM denied') eq @names }, 'all to have an id');
my $most = $watcher->query_safe('SELECT max(calls) FROM denied');
my $workers = failed_workers();
note("$workers workers have failed, and up to $most calls of a session");
cmp_ok($most, '>', 0, 'calls fail');
cmp_ok($most, '<=', $workers, 'none twice by the same worker');
$_->quit for @sessions, $watcher;

$node->stop;
done_testing();

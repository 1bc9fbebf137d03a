# refill auto and a worker that does not start, does not answer, or cannot
# connect: the session refills itself, and does not wait for it each time.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('auto', conf => q{
idgen.worker_idle_timeout = '1000s'
idgen.worker_timeout = '1000s'
idgen.max_prefetch_blocks = 1
max_logical_replication_workers = 0
});
$node->safe_psql('postgres', q{SELECT idgen_create('x', block_size => 3, refill => 'auto')});
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe(q{SET idgen.worker_start_timeout = '3s'});

# What a session gets that may not wait for long. A rollback shows whose refills
# they are.
my $quick = q{SET statement_timeout = '2s'; SELECT max(idgen_next('x')) FROM generate_series(1, 20); RESET statement_timeout};
my $undone = q{BEGIN; SELECT max(idgen_next('x')) FROM generate_series(1, 20); ROLLBACK; SELECT idgen_next('x')};

# The server starts no process meanwhile.
my ($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
kill('STOP', $postmaster) or die "could not stop the server: $!";
is(answer($session, q{SELECT idgen_next('x')}), '1', 'the session waits, then refills itself');
is(answer($session, $quick), '21', 'it does not wait for each refill');
is(answer($session, $quick), '41', 'nor in the next transaction');
is(answer($session, $undone), "61\n43", 'the refills are undone with their transaction; the last one before had left an id');
$session->query_safe(q{SET idgen.worker_start_timeout = 0});
is(answer($session, $quick), '63', 'no wait at all');
kill('CONT', $postmaster) or die "could not continue the server: $!";
my $pid = worker_pid($node, 'postgres');
my $id = answer($session, q{SELECT max(idgen_next('x')) FROM generate_series(1, 100)});
$session->query_safe(q{BEGIN; SELECT idgen_next('x') FROM generate_series(1, 20); ROLLBACK});
is(answer($session, q{SELECT idgen_next('x')}), $id + 21, 'the worker that has started is used at once');

# The worker is there, and does not answer. It must hold no lock when it is
# stopped.
$node->poll_query_until('postgres', qq{
	SELECT state = 'idle' AND (SELECT ids_cached > 0 FROM idgen_stats) FROM pg_stat_activity WHERE pid = $pid})
  or die 'the worker has no rest';
$session->query_safe(q{SET idgen.worker_timeout = '3s'});
kill('STOP', $pid) or die "could not stop the worker: $!";
$session->query_safe(q{SELECT idgen_next('x') FROM generate_series(1, 20)});
like(answer($session, $quick), qr/^\d+$/, 'a worker that does not answer is not waited for each time');
kill('CONT', $pid) or die "could not continue the worker: $!";
$session->quit;

# The worker cannot connect to its database. A session that is connected already
# does not need the file that nobody can connect without.
$node->restart;
$session = $node->background_psql('postgres', on_error_stop => 0);
my $file = $node->data_dir . '/base/' . $session->query_safe(q{SELECT oid FROM pg_database WHERE datname = 'postgres'}) . '/PG_VERSION';
rename($file, "$file.away") or die "could not rename $file: $!";
$id = $session->query_safe(q{SELECT next_block_start - 1 FROM id_sequences});
is(answer($session, "SELECT max(idgen_next('x')) >= $id + 20 FROM generate_series(1, 40)"), 't', 'a worker that cannot connect');
rename("$file.away", $file) or die "could not rename $file: $!";

# The session is ended, or its transaction, while it waits for a worker.
$session->query_safe(q{SELECT idgen_create('z', refill => 'auto')});
$node->restart;
$session->quit;
$session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('\set VERBOSITY sqlstate');
$session->query_safe(q{SET idgen.worker_start_timeout = '1000s'; SET statement_timeout = '100ms'});
($postmaster) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
kill('STOP', $postmaster) or die "could not stop the server: $!";
is(answer($session, q{SELECT idgen_next('z')}), '57014', 'a wait that is cancelled');
kill('CONT', $postmaster) or die "could not continue the server: $!";
$session->query_safe('RESET statement_timeout');
is(answer($session, q{SELECT idgen_next('z')}), '1', 'then all is well');
$session->quit;

$node->stop;
done_testing();

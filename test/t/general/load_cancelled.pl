# A session that is cancelled while it loads the library can use it afterwards.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Where the library is not preloaded, loading it warns of this line, and a
# warning is where a session sees that it was cancelled.
my $node = idgen_server('load', preload => 0, conf => "idgen.max_sequences = 8\n");

# The trigger, whose function loads it, fires in the statement that has just
# cancelled itself.
my ($ret, $stdout, $stderr) = $node->psql(
	'postgres', q{
	INSERT INTO id_sequences (name, next_block_start)
		SELECT 'x', 1 WHERE pg_cancel_backend(pg_backend_pid());
	INSERT INTO id_sequences (name, next_block_start) VALUES ('y', 1);
	SELECT idgen_next('y')},
	on_error_stop => 0);

like($stderr, qr/"idgen\.max_sequences", removing it.*canceling statement due to user request/s, 'cancelled after the warning');
unlike($stderr, qr/redefine/, 'the library is loaded');
is($stdout, '1', 'and an id is drawn');

done_testing();

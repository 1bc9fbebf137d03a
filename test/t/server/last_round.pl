# The last round of attempts may have little time left. A host that does not
# answer then, and has said before why it refuses, is not called silent.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use IO::Socket::UNIX;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my ($dir, $no_dir) = map { PostgreSQL::Test::Utils::tempdir_short() } 1 .. 2;
my $node = idgen_server('node', conf => 'idgen.worker_start_timeout = -1');

$node->safe_psql('postgres', qq{
	CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host '$dir,$no_dir', port '5432,5432');
	CREATE USER MAPPING FOR CURRENT_USER SERVER central;
	SELECT idgen_create('x', source => 'server', source_name => 'central')});

# After an outage that has lasted for four seconds, pauses last for half a
# second. So of one second, most has passed when the second round begins.
is(sqlstate($node, q{SET idgen.server_timeout = '4s'; SELECT idgen_next('x')}), '08001', 'nothing listens');

# The first host ends the first connection, and is silent on all others.
my $listener = IO::Socket::UNIX->new(Local => "$dir/.s.PGSQL.5432", Listen => 10) or die "could not listen in $dir: $!";
my $session = start_statement($node, q{SELECT idgen_next('x')}, '\set VERBOSITY verbose', q{SET idgen.server_timeout = '1s'});
my $accepted = $listener->accept or die "no connection came: $!";
sysread($accepted, my $request, 1000) or die "nothing was asked for: $!";
close $accepted;
$session->query('');
like($session->{stderr}, qr/08001: could not connect to server "central"/, 'no host will do');
like($session->{stderr}, qr/server closed the connection unexpectedly/, 'it is told what the first one did');
like($session->{stderr}, qr/\Q"$no_dir\E.*: No such file or directory/, 'and what the second one did');
unlike($session->{stderr}, qr/There was no answer/, 'and nothing else');
$session->quit;

$node->stop;
done_testing();

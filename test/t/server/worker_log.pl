# When the worker cannot connect, its line in the server's log says why, as does
# the error of a session that waits: for each of the hosts.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = idgen_server('node', conf => q{idgen.worker_timeout = '100s'});
$node->safe_psql('postgres', q{
	CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host '/no/such/directory,/nor/this/one', port '1234');
	CREATE USER MAPPING FOR CURRENT_USER SERVER central;
	SELECT idgen_create('w', source => 'server', source_name => 'central', refill => 'worker')});

my ($ret, $stdout, $stderr) = $node->psql('postgres', q{SELECT idgen_next('w')});
my $hosts = qr{DETAIL:  connection to server on socket "/no/such/directory/\.s\.PGSQL\.1234" failed.*"/nor/this/one/\.s\.PGSQL\.1234" failed}s;
like($stderr, qr/ERROR:  could not connect to server "central"\n$hosts/, 'the error');
$node->stop;

like(
	slurp_file($node->logfile),
	qr/LOG:  could not refill id sequence "w": could not connect to server "central"\n[^\n]*$hosts/,
	'the log');

done_testing();

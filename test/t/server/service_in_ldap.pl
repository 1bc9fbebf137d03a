# A service that is looked up in LDAP is asked for once for each attempt to
# connect, and not again to find out why that has failed: to wait for LDAP ends
# by no deadline.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use IO::Select;
use IO::Socket::INET;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# An LDAP server that takes connections and says nothing. libpq gives up after
# two seconds, and goes on with the other options.
my $ldap = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 10) or die "could not listen: $!";
my $services = PostgreSQL::Test::Utils::tempdir() . '/services';

append_to_file($services, sprintf "[ids]\nldap://127.0.0.1:%d/dc=example?description?one?(cn=ids)\n", $ldap->sockport);
$ENV{PGSERVICEFILE} = $services;

my $node = idgen_server('node', conf => q{
idgen.server_timeout = '1s'
idgen.worker_start_timeout = -1
});
my $closed = PostgreSQL::Test::Cluster::get_free_port();

$node->safe_psql(
	'postgres', qq{
	CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (service 'ids', host '127.0.0.1', port '$closed', dbname 'postgres');
	CREATE USER MAPPING FOR CURRENT_USER SERVER central});
create_remote('x', q{refill => 'transaction'}, $node);

like(($node->psql('postgres', q{SELECT idgen_next('x')}))[2], qr/could not connect to server "central"/, 'nothing is there');

my $asked = 0;

while (IO::Select->new($ldap)->can_read(0))
{
	$ldap->accept;
	$asked++;
}
is($asked, 1, 'LDAP was asked once');

$node->stop;
done_testing();

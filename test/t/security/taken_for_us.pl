# A role that may make a server, but is no superuser, cannot have this server
# connect where the other one takes it for the operating system's user, not even
# to be turned away afterwards: by then, what the options say has been done with
# the rights of a superuser.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The centre is the same server. A client that comes by the socket is the role
# that the operating system says.
my $node = idgen_server('node', conf => q{
log_connections = on
idgen.worker_timeout = '100s'
idgen.worker_start_timeout = -1
});
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
unlink($node->data_dir . '/pg_hba.conf');
$node->append_conf('pg_hba.conf', "local all mallory trust\nlocal all all peer\n");
$node->reload;

my ($host, $port) = ($node->host, $node->port);
my $as_mallory = $node->connstr('postgres') . ' user=mallory';

$node->safe_psql(
	'postgres', q{
	CREATE ROLE mallory LOGIN;
	GRANT USAGE ON FOREIGN DATA WRAPPER idgen_fdw TO mallory;
	CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw;
	SELECT idgen_create('x', source => 'server', source_name => 'central'),
		idgen_create('w', source => 'server', source_name => 'central', refill => 'worker');
	ALTER SERVER central OWNER TO mallory});

# Mallory makes the server anew, with these options, and a mapping for the
# superuser. Returns the SQLSTATE of a failure.
sub set_trap
{
	my ($options) = @_;

	return sqlstate($node, qq{
		DROP SERVER IF EXISTS central CASCADE;
		CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw
			OPTIONS (dbname 'postgres', application_name 'trap', $options);
		CREATE USER MAPPING FOR $superuser SERVER central OPTIONS (user '$superuser', password 'x')}, $as_mallory);
}

# What the log says about connections that were let in, and what they have done
sub let_in
{
	return join("\n", grep { /connection authorized.* application_name=trap|could not access file "trap"/ } split(/\n/, slurp_file($node->logfile)));
}

# Options that would do something at once
foreach my $options ('-c session_preload_libraries=trap', '-c post_auth_delay=2')
{
	is(set_trap("host '$host', port '$port', options '$options'"), '42501', $options);
	sqlstate($node, q{SELECT idgen_next('x')});
}

# Sockets, however they are named; libpq takes one if no host is given.
my %hosts = (
	'a directory' => "host '$host', port '$port'",
	'one of several' => "host '127.0.0.1,$host', port '$port,$port'",
	'an address besides' => "host '$host', hostaddr '127.0.0.1', port '$port'",
	'abstract' => "host '\@$host', port '$port'",
	'no host' => "port '$port'",
	'an empty host' => "host '', port '$port'",
	'the last one is empty' => "host '127.0.0.1,', port '$port,$port'",
	'the first address is empty' => "hostaddr ',127.0.0.1', port '$port,$port'");

foreach my $case (sort keys %hosts)
{
	is(set_trap($hosts{$case}), '', "$case: server");
	is(sqlstate($node, q{SELECT idgen_next('x')}), '2F003', "$case: session");
}
set_trap($hosts{'a directory'});
is(sqlstate($node, q{SELECT idgen_next('w')}), '2F003', 'the worker');

# Options that come with the server: from a superuser who hands it over, or is
# none any more
$node->safe_psql('postgres', qq{
	ALTER SERVER central OWNER TO $superuser;
	ALTER SERVER central OPTIONS (ADD options '-c session_preload_libraries=trap');
	ALTER USER MAPPING FOR $superuser SERVER central OPTIONS (ADD password_required 'false');
	ALTER SERVER central OWNER TO mallory});
is(sqlstate($node, "SELECT idgen_next('$_')"), '42501', "$_: options that were handed over") for ('x', 'w');
is(let_in(), '', 'nobody was let in');

# A superuser may have them.
$node->safe_psql('postgres', "ALTER SERVER central OWNER TO $superuser");
is(sqlstate($node, q{SELECT idgen_next('x')}), '08001', 'a server of a superuser');
like(let_in(), qr/connection authorized.*could not access file "trap"/s, 'who does what they like');
$node->stop;

done_testing();

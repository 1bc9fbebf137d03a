# A central server that is reached over TCP, as most are: without encryption,
# and with.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = central_server('centre', conf => q{listen_addresses = '127.0.0.1'});
my $port = $centre->port;

$centre->append_conf('pg_hba.conf', 'host all all 127.0.0.1/32 trust');
$centre->reload;
$centre->safe_psql('postgres', q{INSERT INTO id_sequences VALUES ('x', 1, 1)});

my $node = idgen_server('node', conf => q{
idgen.worker_start_timeout = -1
idgen.server_timeout = '100s'
idgen.worker_timeout = '100s'
idgen.max_prefetch_blocks = 1
});
$node->safe_psql(
	'postgres', qq{
	CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (host '127.0.0.1', port '$port', dbname 'postgres');
	CREATE USER MAPPING FOR CURRENT_USER SERVER central});
create_remote('x', '', $node);
create_remote('w', '', $node);
$node->safe_psql('postgres', q{ALTER SERVER central OPTIONS (ADD remote_name 'x'); UPDATE id_sequences SET refill = 'worker' WHERE name = 'w'});
my $last = 0;

# Set the server's sslmode. Its connections are then made anew, so each draw
# makes one.
sub set_sslmode
{
	my ($mode) = @_;
	my $verb = $last == 0 ? 'ADD' : 'SET';

	$node->safe_psql('postgres', "ALTER SERVER central OPTIONS ($verb sslmode '$mode')");
	return;
}

# A session and the worker draw, in connections that are encrypted or not.
sub is_drawn
{
	my ($name, $encrypted) = @_;

	my $session = $node->background_psql('postgres');
	cmp_ok($session->query_safe(q{SELECT idgen_next('x')}), '>', $last, "$name: session");
	$last = $session->query_safe(q{SELECT idgen_next('w')});
	cmp_ok($last, '>', 0, "$name: worker");
	ok( $centre->poll_query_until(
			'postgres', q{
			SELECT count(*), bool_and(client_addr = '127.0.0.1'), bool_or(ssl)
			FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE application_name = 'idgen'},
			"2|t|$encrypted"),
		"$name: connections");
	$session->quit;
	return;
}

sub is_refused
{
	my ($name) = @_;

	is(sqlstate($node, qq{SELECT idgen_next('$_')}), '08001', "$name: $_") for ('x', 'w');
	return;
}

set_sslmode('prefer');
is_drawn('prefer, not to be had', 'f');
set_sslmode('disable');
is_drawn('disable', 'f');
set_sslmode('require');
is_refused('require, not to be had');

# Now it is to be had, with a certificate that nobody has signed.
my $key = $centre->data_dir . '/server.key';
my $cert = $centre->data_dir . '/server.crt';
SKIP:
{
	skip('openssl is not here', 1)
	  if !run_log([ 'openssl', 'req', '-new', '-x509', '-days', '2', '-nodes', '-subj', '/CN=centre', '-out', $cert, '-keyout', $key ]);
	chmod(0600, $key) or die "could not change $key: $!";
	$centre->append_conf('postgresql.conf', 'ssl = on');
	$centre->restart;
	skip('the server has no SSL', 1) if $centre->safe_psql('postgres', 'SHOW ssl') ne 'on';

	set_sslmode('require');
	is_drawn('require', 't');
	set_sslmode('prefer');
	is_drawn('prefer', 't');
	$node->safe_psql('postgres', "ALTER SERVER central OPTIONS (ADD sslrootcert '$cert')");
	set_sslmode('verify-ca');
	is_drawn('verify-ca', 't');
	set_sslmode('verify-full');
	is_refused('verify-full, and another name');
}

$node->stop;
$centre->stop;
done_testing();

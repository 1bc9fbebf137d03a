# A server that is restarted while the centre is away goes on with what is left
# of its lease. A server that has none gets a number as soon as the centre is
# there. What is missing on the way to the centre is said clearly.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = idgen_server('centre');
my $node = leasing_server('node', $centre, 300);
my $until = run_sql($node, q{SELECT date_trunc('milliseconds', node_leased_until) FROM idgen_server});

$centre->stop;
foreach my $stop (qw(fast immediate))
{
	$node->stop($stop);
	$node->start;
	is(wait_for_number($node), '1', "stopped $stop, and the centre is away");
	is(run_sql($node, q{SELECT node_leased_until, node_renewed_at IS NULL FROM idgen_server}), "$until|t", 'until the lease ends');
}
kill_server($node);
$node->start;
is(wait_for_number($node), '1', 'killed, and the centre is away');

# A copy has nothing left, even if it is the only one that runs.
$node->stop;
my $copy = PostgreSQL::Test::Cluster->new('copy');
mkdir $copy->basedir unless -d $copy->basedir;
rename($node->data_dir, $copy->data_dir . '.moved') or die "could not rename: $!";
system_or_bail('cp', '-a', $copy->data_dir . '.moved', $copy->data_dir);
$copy->append_conf('postgresql.conf', join("\n", 'port = ' . $copy->port, "unix_socket_directories = '" . $copy->host . q{'}, 'idgen.server_timeout = 1s', ''));
$copy->start;
is(node_number($copy), '55000', 'a copy, and the centre is away');
$copy->stop;
rename($copy->data_dir . '.moved', $node->data_dir) or die "could not rename: $!";

# What is missing: sessions share a failure for a second, and are told of the
# next one then.
sub is_told
{
	my ($node, $expected, $what) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	wait_until(sub {
		$session->query('SELECT idgen_unique_id()');
		my ($told) = $session->{stderr} =~ /ERROR:  this server has no node number\nDETAIL:  None could be leased: (.*)/;
		$session->{stderr} = '';
		return ($told // '') =~ $expected;
	}, $what);
	$session->quit;
	return pass($what);
}

my $new = idgen_server('new', conf => "idgen.node_id = auto\nidgen.node_lease = 300\nidgen.server_timeout = 1s\n");
is_told($new, qr/^server "idgen_default" does not exist\.$/, 'there is no server');
lead_to_centre($new, $centre);
is_told($new, qr/^could not connect to server "idgen_default": /, 'the centre is away');
$centre->start;
is(wait_for_number($new), '2 42704', 'until it is there');

my $more = idgen_server('more', conf => "idgen.node_id = auto\n");
run_sql($centre, 'CREATE ROLE node LOGIN');
lead_to_centre($more, $centre, user => 'node');
is_told($more, qr/^permission denied for function idgen_lease_node\.$/, 'the role may not lease');
run_sql($centre, 'GRANT EXECUTE ON FUNCTION idgen_lease_node TO node');
is(wait_for_number($more), '3 42704', 'that is all that it needs');
run_sql($centre, 'CREATE DATABASE plain');
my $plain = idgen_server('plain', conf => "idgen.node_id = auto\n");
lead_to_centre($plain, $centre, dbname => 'plain');
is_told($plain, qr/^function idgen_lease_node\(.*\) does not exist(?:: There is no function of that name)?\.$/, 'the centre has no extension there');

# Another server and another database, of which there is none at first
my $elsewhere = idgen_server('elsewhere', conf => "idgen.node_id = auto\nidgen.node_database = ids\nidgen.node_server = central\n");
is_told($elsewhere, qr/^The process that leases it could not connect to idgen\.node_database/, 'there is no such database');
run_sql($elsewhere, 'CREATE DATABASE ids');
is_told($elsewhere, qr/^extension "idgen" does not exist in database "ids"\.$/, 'it does not have the extension');
run_sql($elsewhere, sprintf(q{
	CREATE EXTENSION idgen;
	CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (%s);
	CREATE USER MAPPING FOR CURRENT_USER SERVER central}, server_options($centre)), database => 'ids');
is(wait_for_number($elsewhere), '4 42704', 'all databases of the server have its number');

# Without the library preloaded, there can be no lease; nor a place for it.
my $bare = idgen_server('bare', preload => 0);
run_sql($bare, q{LOAD 'idgen'; ALTER SYSTEM SET idgen.node_id = auto});
$bare->reload;
run_sql($bare, q{SELECT idgen_create('x', layout => 'session')});
is(sqlstate($bare, q{SELECT idgen_next('x')}), '55000', 'not preloaded');
my $crowded = idgen_server('crowded', conf => 'max_worker_processes = 0');
run_sql($crowded, q{ALTER SYSTEM SET idgen.node_id = auto});
$crowded->reload;
is_told($crowded, qr/^The server has no place for another process; raise max_worker_processes\.$/, 'no place for the process');

$node->start;
is(wait_for_number($node), '1', 'the first server is back where it was');
$_->stop foreach ($centre, $node, $more, $plain, $elsewhere, $bare, $crowded);
done_testing();

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
my $until = $node->safe_psql('postgres', q{SELECT date_trunc('milliseconds', leased_until) FROM idgen_node});

$centre->stop;
foreach my $stop (qw(fast immediate))
{
	$node->stop($stop);
	$node->start;
	is(wait_for_number($node), '1', "stopped $stop, and the centre is away");
	is($node->safe_psql('postgres', q{SELECT leased_until, renewed_at IS NULL FROM idgen_node}), "$until|t", 'until the lease ends');
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
$copy->append_conf('postgresql.conf', join("\n", 'port = ' . $copy->port, "unix_socket_directories = '" . $copy->host . q{'}, ''));
$copy->start;
is(node_number($copy), '55000', 'a copy, and the centre is away');
$copy->stop;
rename($copy->data_dir . '.moved', $node->data_dir) or die "could not rename: $!";

# What is missing
my $new = idgen_server('new', conf => "idgen.node_id = auto\nidgen.node_lease = 300\n");

sub told
{
	my (undef, undef, $stderr) = $new->psql('postgres', 'SELECT idgen_unique_id()', extra_params => [ '-v', 'VERBOSITY=verbose' ]);

	# sessions share a failure for a second
	sleep 1;
	return $stderr =~ /ERROR:  55000: this server has no node number\nDETAIL:  None could be leased: (.*)/ ? $1 : $stderr;
}

told();
is(told(), 'server "idgen_default" does not exist.', 'there is no server');
lead_to_centre($new, $centre);
like(told(), qr/^could not connect to server "idgen_default": /, 'the centre is away');
$centre->start;
is(wait_for_number($new), '2 42704', 'until it is there');

my $more = idgen_server('more', conf => "idgen.node_id = auto\n");
$centre->safe_psql('postgres', 'CREATE ROLE node LOGIN');
lead_to_centre($more, $centre);
$more->safe_psql('postgres', q{ALTER USER MAPPING FOR CURRENT_USER SERVER idgen_default OPTIONS (ADD user 'node')});
$new = $more;
told();
is(told(), 'permission denied for function idgen_lease_node.', 'the role may not lease');
$centre->safe_psql('postgres', 'GRANT EXECUTE ON FUNCTION idgen_lease_node TO node');
is(wait_for_number($more), '3 42704', 'that is all that it needs');
$centre->safe_psql('postgres', 'CREATE DATABASE plain');
my $plain = idgen_server('plain', conf => "idgen.node_id = auto\n");
lead_to_centre($plain, $centre);
$plain->safe_psql('postgres', q{ALTER SERVER idgen_default OPTIONS (SET dbname 'plain')});
$new = $plain;
told();
like(told(), qr/^function idgen_lease_node\(.*\) does not exist(?:: There is no function of that name)?\.$/, 'the centre has no extension there');

# Another server and another database, of which there is none at first
my $elsewhere = idgen_server('elsewhere', conf => "idgen.node_id = auto\nidgen.node_database = ids\nidgen.node_server = central\n");
$new = $elsewhere;
like(told(), qr/^The process that leases it could not connect to idgen\.node_database/, 'there is no such database');
$elsewhere->safe_psql('postgres', 'CREATE DATABASE ids');
told();
is(told(), 'extension "idgen" does not exist in database "ids".', 'it does not have the extension');
$elsewhere->safe_psql('ids', 'CREATE EXTENSION idgen');
$elsewhere->safe_psql('ids', sprintf('CREATE SERVER central FOREIGN DATA WRAPPER idgen_fdw OPTIONS (%s)', server_options($centre)));
$elsewhere->safe_psql('ids', 'CREATE USER MAPPING FOR CURRENT_USER SERVER central');
is(wait_for_number($elsewhere), '4 42704', 'all databases of the server have its number');

# Without the library preloaded, there can be no lease; nor a place for it.
my $bare = idgen_server('bare', preload => 0);
$bare->safe_psql('postgres', q{LOAD 'idgen'; ALTER SYSTEM SET idgen.node_id = auto});
$bare->reload;
$bare->safe_psql('postgres', q{SELECT idgen_create('x', layout => 'session')});
is(sqlstate($bare, q{SELECT idgen_next('x')}), '55000', 'not preloaded');
my $crowded = idgen_server('crowded', conf => 'max_worker_processes = 0');
$crowded->safe_psql('postgres', q{ALTER SYSTEM SET idgen.node_id = auto});
$crowded->reload;
$crowded->poll_query_until('postgres', q{SELECT current_setting('idgen.node_id') = 'auto'}) or die 'not set';
$new = $crowded;
is(told(), 'The server has no place for another process; raise max_worker_processes.', 'no place for the process');

$node->start;
is(wait_for_number($node), '1', 'the first server is back where it was');
$_->stop foreach ($centre, $node, $more, $plain, $elsewhere, $bare, $crowded);
done_testing();

# Copies of a server: of its data directory, running or not, from a backup, old
# or new; standbys that are promoted. Two servers that run never have the same
# number, and a server goes on with that of another only if it goes on where the
# other has ended.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::RecursiveCopy;
use PostgreSQL::Test::Utils;
use Test::More;

my $centre = idgen_server('centre');
my $primary = leasing_server('primary', $centre, 300, init => [ allows_streaming => 1 ]);
my @ids;

# A server on a copy of another one's data directory
sub copy_of
{
	my ($name, $node) = @_;
	my $copy = PostgreSQL::Test::Cluster->new($name);

	mkdir $copy->basedir unless -d $copy->basedir;
	PostgreSQL::Test::RecursiveCopy::copypath($node->data_dir, $copy->data_dir,
		filterfn => sub { $_[0] ne 'postmaster.pid' });
	chmod 0700, $copy->data_dir or die "could not change the mode: $!";
	$copy->append_conf('postgresql.conf', join("\n", 'port = ' . $copy->port, "unix_socket_directories = '" . $copy->host . q{'}, ''));
	return $copy;
}

# Draws ids of both kinds, and keeps them.
sub draw
{
	my (@nodes) = @_;

	push @ids, map { split /\|/ } map { split /\n/, run_sql($_, q{SELECT idgen_unique_id(), idgen_next('x') FROM generate_series(1, 50)}) } @nodes;
	return;
}

is(node_number($primary), '1', 'the first server');
draw($primary);

# A copy of a server that is stopped; the first one goes on, and the copy gets
# another number.
$primary->stop;
my $old_copy = copy_of('old_copy', $primary);
my $cold_copy = copy_of('cold_copy', $primary);
$cold_copy->start;
is(wait_for_number($cold_copy), '2', 'a copy gets another number, though it comes first');
$primary->start;
is(wait_for_renewal($primary), '1', 'the server that was copied keeps its own');
like(slurp_file($cold_copy->logfile), qr/LOG:  this server has node number 2\n.*HINT:  Another server with the same system identifier has node number 1/,
	'the log of the copy says so');
draw($primary, $cold_copy);
run_sql($_, 'SELECT pg_reload_conf()') for ($primary, $cold_copy) x 3;
is(node_numbers($primary, $cold_copy), '1 2', 'renewals change nothing');

# A standby: none while it is in recovery, another one when it is promoted
# while the primary runs.
my $standby = start_standby($primary, 'standby');
is(node_number($standby), '55000 25006', 'a standby leases none');
is(run_sql($standby, q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'idgen worker'}), '0', 'and has no process for it');
is(run_sql($standby, 'SELECT node_setting, node_id, node_leased_until, node_renewed_at, node_failing_since, node_problem FROM idgen_server'), 'auto|||||', 'says the view');
$standby->promote;
is(wait_for_number($standby), '3', 'promoted: another number, since the primary lives');
draw($standby);
is(node_number($primary), '1', 'the primary keeps its own');

# A failover: the lease of the primary lasts, so the standby gets a number of
# its own at once.
my $next = start_standby($primary, 'next');
draw($primary);
$primary->wait_for_catchup($next);
$primary->stop('immediate');
$next->promote;
is(wait_for_number($next), '4', 'the primary has died a moment ago');
draw($next);

# The first server is gone for good. A copy that is older than its last renewal
# does not get its number: it would issue ids again that the server has issued.
run_sql($centre, 'UPDATE idgen_node_numbers SET leased_until = clock_timestamp(), used_until = clock_timestamp() WHERE number = 1');
$old_copy->start;
is(wait_for_number($old_copy), '5', 'an old copy, of a server that is gone');
$old_copy->stop;

# One that knows the last renewal does. Its ids are new ones.
$next->stop;
my $heir = copy_of('heir', $next);
$heir->start;
is(wait_for_number($heir), '1', 'a copy that knows the last token, after the lease has ended');
draw($heir);
$next->start;
is(wait_for_renewal($next), '4', 'its original has its own still');
$primary->start;
isnt(wait_for_renewal($primary), '1', 'the first server has lost its number to the heir');
is(node_number($heir), '1', 'who keeps it');

is(duplicates(@ids), '', 'no id was issued twice');
my @running = split / /, node_numbers($primary, $cold_copy, $standby, $next, $heir);
my %numbers = map { $_ => 1 } @running;
is(scalar keys %numbers, 5, "five servers, five numbers: @running");

$_->stop foreach ($primary, $cold_copy, $standby, $next, $heir, $centre);
done_testing();

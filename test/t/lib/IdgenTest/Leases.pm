# Servers that lease their node numbers from a centre.
package IdgenTest::Leases;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IdgenTest::Servers;
use IdgenTest::Sessions;
use List::Util 'uniq';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(
  leasing_server lead_to_centre wait_for_number wait_for_renewal node_number node_numbers lease_process
);

# leasing_server(name, centre, lease, conf => text, ...): a running server as
# idgen_server() makes it that leases its number for that many seconds, and has
# a row "x" with layout prefixed. It has got the number.
sub leasing_server
{
	my ($name, $centre, $lease, %params) = @_;
	my $node = idgen_server(
		$name, %params,
		conf => join("\n", 'idgen.node_id = auto', "idgen.node_lease = $lease", $params{conf} // '', ''));

	lead_to_centre($node, $centre);
	$node->safe_psql('postgres', q{SELECT idgen_create('x', layout => 'prefixed')});
	wait_for_number($node);
	return $node;
}

# lead_to_centre(server, centre, key => value...): creates a server's way to the
# centre, to another database or with another user. The server may lease as soon
# as it sees the way, so all of it comes at once.
sub lead_to_centre
{
	my ($node, $centre, %params) = @_;
	my $options = server_options($centre);
	my $user = $params{user} ? "OPTIONS (user '$params{user}')" : '';

	$options =~ s/dbname '\w+'/dbname '$params{dbname}'/ or die "no database in $options" if $params{dbname};
	$node->safe_psql(
		'postgres', qq{
		BEGIN;
		CREATE SERVER idgen_default FOREIGN DATA WRAPPER idgen_fdw OPTIONS ($options);
		CREATE USER MAPPING FOR CURRENT_USER SERVER idgen_default $user;
		COMMIT});
	return;
}

# wait_for_number(server, not): waits until the server has a number, which is
# not that one, if one is given. Answers it.
sub wait_for_number
{
	my ($node, $not) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0);

	wait_until(sub {
		my $number = answer($session, 'SELECT (idgen_unique_id_parts(idgen_unique_id())).node');
		return $number =~ /^\d+$/ && $number != ($not // 0);
	}, 'a number');
	$session->quit;
	return node_number($node);
}

# Waits until a server that has started has asked the centre. Until then it goes
# on with what is left of its lease. Answers the number.
sub wait_for_renewal
{
	my ($node) = @_;

	wait_for_true($node, 'SELECT node_renewed_at IS NOT NULL FROM idgen_server', 'a renewal');
	return node_number($node);
}

# The number in ids of both kinds that the server issues now; if they differ,
# both. In place of a number, the SQLSTATE of an error.
sub node_number
{
	my ($node) = @_;
	my (undef, $numbers, $errors) = $node->psql(
		'postgres', q{
		SELECT (idgen_unique_id_parts(idgen_unique_id())).node;
		SELECT (idgen_parts(idgen_next('x'), 'prefixed')).node},
		on_error_stop => 0,
		extra_params => [ '-v', 'VERBOSITY=sqlstate' ]);

	return join(' ', uniq(split(/\n/, $numbers), $errors =~ /ERROR:  (\w{5})/g));
}

sub node_numbers
{
	my (@nodes) = @_;
	return join(' ', map { node_number($_) } @nodes);
}

# Waits until the server has a process that leases its number. Answers its pid.
sub lease_process
{
	my ($node) = @_;
	my $query = q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'idgen worker'};

	wait_for_true($node, "SELECT count(*) = 1 FROM ($query) s", 'a process');
	return run_sql($node, $query);
}

1;

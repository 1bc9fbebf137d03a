# pgbouncer in front of a server. Whoever connects to its host and port gets to
# the server, by whatever connection the pooler has at hand.
package Pooler;

use strict;
use warnings FATAL => 'all';

use IdgenTest::Sessions;
use IPC::Run ();
use parent 'OwnProgram';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my ($program) = grep { -x } map { "$_/pgbouncer" } split(/:/, $ENV{PATH}), '/usr/sbin';

# Is there a pgbouncer? A test that needs one is skipped without it.
sub is_here
{
	return defined $program;
}

# Pooler->new(server, mode, users => [name, ...], passwords => { name =>
# password, ... }, conf => text, connect_query => sql): one for database
# "postgres". It asks these users for their passwords, and takes them to the
# server; or it lets those users in without any, or else the role that runs the
# tests. It begins each of its sessions at the server with that query. With tcp
# => 1, it is reached by an address.
sub new
{
	my ($class, $node, $mode, %params) = @_;
	my $dir = PostgreSQL::Test::Utils::tempdir_short();
	my $port = $params{tcp} ? PostgreSQL::Test::Cluster::get_free_port() : 6432;
	my $address = $params{tcp} ? '127.0.0.1' : '';
	my $self = bless { dir => $dir, host => $address || $dir, port => $port, log => "$dir/log" }, $class;
	my $server = sprintf("host=%s port=%d dbname=postgres", $node->host, $node->port);
	$server .= " connect_query='$params{connect_query}'" if $params{connect_query};
	my @users = $params{users} ? @{ $params{users} } : $node->safe_psql('postgres', 'SELECT current_user');

	my $passwords = $params{passwords} // { map { $_ => '' } @users };
	my $auth_type = $params{passwords} ? 'scram-sha-256' : 'trust';

	append_to_file("$dir/users", join('', map { qq{"$_" "$passwords->{$_}"\n} } sort keys %$passwords));
	append_to_file("$dir/conf", <<"CONF" . ($params{conf} // ''));
[databases]
postgres = $server
[pgbouncer]
listen_addr = $address
listen_port = $port
unix_socket_dir = $dir
auth_type = $auth_type
auth_file = $dir/users
pool_mode = $mode
default_pool_size = 50
CONF
	# a file, since nobody would read a pipe to its end
	$self->{run} = IPC::Run::start([ $program, "$dir/conf" ], '2>', $self->{log});
	wait_until(sub { $self->listens }, 'pgbouncer to start');
	return $self;
}

sub listens
{
	my ($self) = @_;

	die "pgbouncer has ended: " . slurp_file($self->{log}) unless $self->{run}->pumpable;
	$self->{run}->pump_nb;
	return -S "$self->{dir}/.s.PGSQL.$self->{port}";
}

# Where to connect to, as of a server.
sub host
{
	return $_[0]->{host};
}

sub port
{
	return $_[0]->{port};
}

sub connstr
{
	my ($self, $user) = @_;
	return sprintf("host=%s port=%d dbname=postgres", $self->host, $self->port) . ($user ? " user=$user" : '');
}

1;

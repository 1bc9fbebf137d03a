# A centre that Patroni keeps available: etcd, members that replicate
# synchronously, and HAProxy in front of them, which leads to the leader. All
# listen on 127.0.0.1. The centre has the classic table id_sequences in database
# "postgres", not the extension.
package Patroni;

use strict;
use warnings FATAL => 'all';

use HTTP::Tiny;
use IdgenTest::Sessions;
use JSON::PP qw(decode_json encode_json);
use MIME::Base64;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Process;
use Test::More;
use Trial;

my %programs = map { $_ => Process::program($_) } qw(etcd haproxy patroni);

# What is missing of the programs; a test that needs them is skipped then.
# Patroni can do without what it needs for etcd.
sub missing
{
	my @missing = grep { !$programs{$_} } sort keys %programs;

	return @missing if @missing;
	return system('python3 -c "import patroni.dcs.etcd3" 2>/dev/null') == 0 ? () : 'python3-etcd';
}

my @started;

# Patroni->new(number of members): starts all of them, and waits until one leads
# and another one is its synchronous standby.
sub new
{
	my ($class, $number) = @_;
	my $folder = PostgreSQL::Test::Utils::tempdir();
	my $self = bless {
		folder => $folder,
		sockets => PostgreSQL::Test::Utils::tempdir_short(),
		pgbin => Trial::pg_config('bindir'),
		http => HTTP::Tiny->new(timeout => 2)
	}, $class;

	push @started, $self;
	$self->start_etcd;
	$self->{members} = [
		map { { name => "m$_", data => "$folder/m$_", port => free_port(), rest => free_port() } } 1 .. $number
	];
	foreach my $member (@{ $self->{members} })
	{
		append_to_file("$folder/$member->{name}.json", $self->configuration($member));
	}
	# the first one becomes the leader, the others copy it
	$self->start_member($self->{members}[0]);
	wait_until(sub { $self->{members}[0]{agent}->must_run; $self->leader }, 'the first leader');
	$self->start_member($_) foreach @{ $self->{members} }[ 1 .. $number - 1 ];
	$self->start_haproxy;
	$self->wait_until_healthy;
	return $self;
}

sub free_port
{
	return PostgreSQL::Test::Cluster::get_free_port();
}

# Nothing of it has to outlive the test: etcd need not flush.
sub start_etcd
{
	my ($self) = @_;
	my ($clients, $peers) = map { 'http://127.0.0.1:' . free_port() } 1 .. 2;

	$self->{etcd_address} = $clients =~ s{http://}{}r;
	$self->{etcd} = Process->start(
		'etcd',
		[
			$programs{etcd}, '--data-dir', "$self->{folder}/etcd", '--unsafe-no-fsync', '--logger', 'zap',
			'--listen-client-urls', $clients, '--advertise-client-urls', $clients,
			'--listen-peer-urls', $peers, '--initial-advertise-peer-urls', $peers,
			'--initial-cluster', "default=$peers"
		]);
	wait_until(sub { $self->{http}->get("$clients/health")->{success} }, 'etcd to start');
	return;
}

# The text of a member's configuration: JSON is YAML, too. These are the
# shortest times that Patroni takes for ttl, so that a trial does not last long.
sub configuration
{
	my ($self, $member) = @_;
	my @hba = ('local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust');

	return encode_json({
			scope => 'centre',
			name => $member->{name},
			restapi => { map { $_ => "127.0.0.1:$member->{rest}" } qw(listen connect_address) },
			etcd3 => { hosts => $self->{etcd_address} },
			bootstrap => {
				dcs => {
					ttl => 20,
					loop_wait => 2,
					retry_timeout => 5,
					synchronous_mode => JSON::PP::true,
					postgresql => {
						use_pg_rewind => JSON::PP::true,
						parameters => {
							max_connections => 100,
							shared_buffers => '32MB',
							wal_keep_size => '64MB',
							wal_log_hints => 'on'
						}
					}
				},
				initdb => [ { encoding => 'UTF8' }, { locale => 'C' }, 'no-sync' ]
			},
			postgresql => {
				(map { $_ => "127.0.0.1:$member->{port}" } qw(listen connect_address)),
				data_dir => $member->{data},
				bin_dir => $self->{pgbin},
				pgpass => "$self->{folder}/$member->{name}.pgpass",
				authentication =>
				  { superuser => { username => 'postgres' }, replication => { username => 'replicator' }, rewind => { username => 'rewinder' } },
				parameters => { unix_socket_directories => $self->{sockets} },
				pg_hba => \@hba
			}
	});
}

sub start_member
{
	my ($self, $member) = @_;

	$member->{agent} = Process->start("patroni_$member->{name}",
		[ $programs{patroni}, "$self->{folder}/$member->{name}.json" ]);
	return;
}

# HAProxy ends the sessions of a member that leads no longer: nobody goes on
# with an old leader by a connection from before.
sub start_haproxy
{
	my ($self) = @_;
	my $file = "$self->{folder}/haproxy.cfg";

	$self->{proxy_port} = free_port();
	append_to_file($file, <<"CONF" . join('', map { "\tserver $_->{name} 127.0.0.1:$_->{port} check port $_->{rest}\n" } @{ $self->{members} }));
global
	maxconn 400
defaults
	mode tcp
	timeout connect 2s
	timeout check 2s
	timeout client 30m
	timeout server 30m
listen centre
	bind 127.0.0.1:$self->{proxy_port}
	option httpchk OPTIONS /primary
	http-check expect status 200
	default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
CONF
	$self->{haproxy} = Process->start('haproxy', [ $programs{haproxy}, '-db', '-f', $file ]);
	return;
}

# Where HAProxy is reached, as of a server
sub host
{
	return '127.0.0.1';
}

sub port
{
	return $_[0]->{proxy_port};
}

# The ports of all members, in order; with a first one, that comes first.
sub ports
{
	my ($self, $first) = @_;
	my @members = @{ $self->{members} };

	@members = ($first, grep { $_ != $first } @members) if $first;
	return map { $_->{port} } @members;
}

# The members whose agents work
sub living
{
	my ($self) = @_;
	return grep { $_->{agent} && $_->{agent}->is_running && !$_->{hangs} } @{ $self->{members} };
}

# The members as one of them sees the cluster: name => what Patroni says of it;
# undef if none answers
sub view
{
	my ($self) = @_;

	foreach my $member ($self->living)
	{
		my $answer = $self->{http}->get("http://127.0.0.1:$member->{rest}/cluster");

		return { map { $_->{name} => $_ } @{ decode_json($answer->{content})->{members} } } if $answer->{success};
	}
	return;
}

# The member that leads: the one that says so itself, since others may not have
# heard of its end yet.
sub leader
{
	my ($self) = @_;
	my ($leader) = grep { $self->{http}->get("http://127.0.0.1:$_->{rest}/leader")->{success} } $self->living;

	return $leader;
}

# The one that would take over without a loss
sub synchronous_standby
{
	my ($self) = @_;
	my $view = $self->view // return;
	my ($standby) = grep { $view->{ $_->{name} } && $view->{ $_->{name} }{role} eq 'sync_standby' } @{ $self->{members} };

	return $standby;
}

# Waits until there are a leader and a synchronous standby, and all members that
# have an agent replicate.
sub wait_until_healthy
{
	my ($self) = @_;

	wait_until(sub {
		my $leader = $self->leader // return '';
		my $view = $self->view // return '';
		my @states = map { $view->{ $_->{name} }{state} // '' } $self->living;

		return $self->synchronous_standby && !grep { !/^(?:running|streaming)$/ } @states;
	}, 'a healthy cluster');
	return;
}

# Waits until another member leads than that one; answers it.
sub wait_for_another_leader
{
	my ($self, $old) = @_;
	my $leader;

	wait_until(sub { ($leader = $self->leader) && $leader != $old }, 'another leader');
	return $leader;
}

# psql(sql): at the leader, as the superuser
sub psql
{
	my ($self, $sql) = @_;

	return $self->psql_at($self->leader // die('there is no leader'), $sql);
}

# psql_at(member, sql)
sub psql_at
{
	my ($self, $member, $sql) = @_;
	my ($out, $err) = run_command(
		[
			"$self->{pgbin}/psql", '-XAtq', '-v', 'ON_ERROR_STOP=1',
			'-d', "host=127.0.0.1 port=$member->{port} user=postgres dbname=postgres", '-c', $sql
		]);

	die "$sql: $err" if $err =~ /ERROR|FATAL|error:/;
	return $out;
}

#
# What happens to it
#

# A planned switchover to the synchronous standby; returns when it is done.
# Patroni refuses it for a moment after other events.
sub switch_over
{
	my ($self) = @_;
	my $http = HTTP::Tiny->new(timeout => 60);
	my ($leader, $candidate);

	wait_until(sub {
		($leader, $candidate) = ($self->leader, $self->synchronous_standby);
		return '' unless $leader && $candidate;

		my $answer = $http->post(
			"http://127.0.0.1:$leader->{rest}/switchover",
			{ content => encode_json({ leader => $leader->{name}, candidate => $candidate->{name} }) });

		note($answer->{content});
		return $answer->{success};
	}, 'a switchover');
	wait_until(sub { ($self->leader // $leader) == $candidate }, 'the new leader');
	return;
}

# The server crashes; its agent starts it again, or another one is promoted.
sub crash_server
{
	my ($self, $member) = @_;

	kill 'KILL', Process::postmaster($member->{data});
	return;
}

# All processes of the host are gone at once.
sub lose_host
{
	my ($self, $member) = @_;

	Process::kill_tree(Process::postmaster($member->{data}), $member->{agent}->pid);
	$member->{hangs} = 0;
	wait_until(sub { !$member->{agent}->is_running }, 'the end of the agent');
	return;
}

# The host says nothing any more, and hears nothing: all its processes stand
# still. Its kernel still takes connections.
sub silence_host
{
	my ($self, $member) = @_;

	$member->{hangs} = 1;
	kill 'STOP', map { Process::tree($_) } $member->{agent}->pid, Process::postmaster($member->{data});
	return;
}

# The agent stands still; its server goes on, and goes on leading.
sub hang_agent
{
	my ($self, $member) = @_;

	$member->{hangs} = 1;
	$member->{agent}->signal('STOP');
	$self->fill_etcd;
	return;
}

# An agent follows etcd in a thread of its own. With 4 MB for that thread to
# read, an agent that has hung acts before it learns that another one leads.
# Patroni 3.0 then takes the leader's key back, and the other one gives up what
# it has committed meanwhile.
sub fill_etcd
{
	my ($self) = @_;
	my $value = encode_base64('x' x 400, '');

	foreach (1 .. 40)
	{
		my @puts = map {
			{ requestPut => { key => encode_base64("/service/centre/of_no_use$_", ''), value => $value } }
		} 1 .. 100;
		my $answer = $self->{http}->post("http://$self->{etcd_address}/v3/kv/txn", { content => encode_json({ success => \@puts }) });

		die "etcd: $answer->{content}" unless $answer->{success};
	}
	return;
}

sub wake_agent
{
	my ($self, $member) = @_;

	$member->{hangs} = 0;
	$member->{agent}->signal('CONT');
	return;
}

# Ends all of it. Servers do not end with the agents that started them.
sub stop
{
	my ($self) = @_;

	foreach my $member (@{ $self->{members} })
	{
		$member->{agent}->kill9 if $member->{agent};
		Process::kill_tree(Process::postmaster($member->{data}));
	}
	$_->kill9 foreach grep { defined } @{$self}{qw(haproxy etcd)};
	return;
}

END
{
	local $?;
	$_->stop foreach @started;
}

1;

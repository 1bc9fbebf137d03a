# Prometheus and its exporter for PostgreSQL, with the queries and rules of
# monitoring/, as that folder's page sets them up.
package Monitoring;

use strict;
use warnings FATAL => 'all';

use Cwd;
use File::Basename;
use HTTP::Tiny;
use IdgenTest::Sessions;
use IPC::Run ();
use JSON::PP;
use parent 'OwnProgram';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my $folder = dirname(__FILE__) . '/../../../monitoring';

# program(name): where that program is; undef if it is not here
sub program
{
	my ($name) = @_;
	return (grep { -x } map { "$_/$name" } split /:/, $ENV{PATH})[0];
}

# The file of that name in monitoring/
sub file
{
	my ($name) = @_;
	return "$folder/$name";
}

# The statements that the page tells to run: those that make the role, and those
# for a database where the extension has a schema of its own
sub setup_sql
{
	return slurp_file(file('README.md')) =~ /^```sql\n(.*?)^```$/gms;
}

# Starts a program that answers at that port of this machine
sub start
{
	my ($class, $port, $environment, @command) = @_;
	my $self = bless { port => $port, output => '' }, $class;

	local @ENV{ keys %$environment } = values %$environment;
	$self->{run} = IPC::Run::start(\@command, '<', '/dev/null', '>&', \$self->{output});
	wait_until(sub {
		die "$command[0] has ended: $self->{output}" unless $self->{run}->pumpable;
		$self->{run}->pump_nb;
		return $self->get('/-/ready')->{status} !~ /^5/; # an exporter has no such page
	}, "$command[0] to start");
	return $self;
}

# Monitoring->exporter(server, role, database, ...): looks at these databases as
# that role.
sub exporter
{
	my ($class, $node, $role, $database, @others) = @_;
	my $port = PostgreSQL::Test::Cluster::get_free_port();
	my $name = sprintf('host=%s port=%d user=%s dbname=%s sslmode=disable', $node->host, $node->port, $role, $database);

	return $class->start(
		$port,
		{ DATA_SOURCE_NAME => $name },
		program('prometheus-postgres-exporter'),
		'--extend.query-path=' . file('queries.yaml'),
		@others ? ('--auto-discover-databases', '--include-databases=' . join(',', @others)) : (),
		"--web.listen-address=127.0.0.1:$port");
}

# Monitoring->prometheus(exporter): asks the exporter, and looks at the rules,
# once a second.
sub prometheus
{
	my ($class, $exporter) = @_;
	my $port = PostgreSQL::Test::Cluster::get_free_port();
	my $dir = PostgreSQL::Test::Utils::tempdir();
	my $rules = Cwd::abs_path(file('rules.yaml'));

	append_to_file("$dir/prometheus.yaml", <<"YAML");
global:
  scrape_interval: 1s
  evaluation_interval: 1s
rule_files:
  - $rules
scrape_configs:
  - job_name: idgen
    static_configs:
      - targets: ["127.0.0.1:$exporter->{port}"]
YAML
	return $class->start(
		$port, {},
		program('prometheus'),
		"--config.file=$dir/prometheus.yaml",
		"--storage.tsdb.path=$dir/data",
		"--web.listen-address=127.0.0.1:$port");
}

# What the program has written
sub output
{
	my ($self) = @_;

	$self->{run}->pump_nb;
	return $self->{output};
}

# What is answered to that request
sub get
{
	my ($self, $path) = @_;
	return HTTP::Tiny->new(timeout => 60)->get("http://127.0.0.1:$self->{port}$path");
}

# What an exporter tells of idgen, and of itself: a hash of series and values,
# without label "server"
sub metrics
{
	my ($self) = @_;
	my $answer = $self->get('/metrics');

	die "the exporter does not tell: $answer->{content}" unless $answer->{success};
	return { map { s/,?server="[^"]*"//r } $answer->{content} =~ /^((?:idgen|pg_up|pg_exporter)\S*?(?:\{.*\})?) (\S+)$/mg };
}

# api(path): what a Prometheus answers to a request of its interface
sub api
{
	my ($self, $path) = @_;
	my $answer = $self->get("/api/v1/$path");

	die "Prometheus does not tell: $answer->{content}" unless $answer->{success};
	return decode_json($answer->{content})->{data};
}

# The alerts of a Prometheus that fire, as "alert name severity"
sub alerts
{
	my ($self) = @_;

	return sort map { join ' ', grep { defined } @{ $_->{labels} }{qw(alertname name severity)} }
	  grep { $_->{state} eq 'firing' } @{ $self->api('alerts')->{alerts} };
}

# value(expression): of the one series that it matches; -1 if there is none
sub value
{
	my ($self, $expression) = @_;
	my $query = HTTP::Tiny->new->www_form_urlencode({ query => $expression });
	my @series = @{ $self->api("query?$query")->{result} };

	return @series ? $series[0]{value}[1] : -1;
}

# How that Prometheus has got on with its rules: "health" of each, once
sub rules_health
{
	my ($self) = @_;
	my %seen = map { $_->{health} => 1 } map { @{ $_->{rules} } } @{ $self->api('rules')->{groups} };

	return sort keys %seen;
}

1;

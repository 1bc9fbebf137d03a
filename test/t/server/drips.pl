# A centre that goes on sending without ever coming to an end holds nobody
# longer than the timeouts say, or until somebody cancels or terminates the
# wait, or stops the server; the worker goes on with other id sequences. New
# databases can be made meanwhile.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use FakeCentre;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $parameter = message('S', "a\0b\0");
my @names = map { ("${_}_s", "${_}_w") } ('connecting', 'asked');
my %fakes = (
	connecting => FakeCentre->new(startup => [ authenticated(), drip($parameter) ]),
	asked => FakeCentre->new(answers => { map { $_ => [ ([ drip($parameter) ]) x 20 ] } @names }));
my $node = idgen_server('node', conf => q{
idgen.worker_start_timeout = -1
idgen.server_timeout = '1000s'
idgen.worker_timeout = '1000s'
});
for my $what (sort keys %fakes)
{
	my $options = server_options($fakes{$what});

	$node->safe_psql('postgres', qq{
		CREATE SERVER $what FOREIGN DATA WRAPPER idgen_fdw OPTIONS ($options);
		CREATE USER MAPPING FOR CURRENT_USER SERVER $what;
		SELECT idgen_create('${what}_s', source => 'server', source_name => '$what'),
			idgen_create('${what}_w', source => 'server', source_name => '$what', refill => 'worker')});
}
$node->safe_psql('postgres', q{SELECT idgen_create('own', block_size => 1, refill => 'worker')});

# A session that waits for an id which will not come
sub start_waiting
{
	my ($name) = @_;
	my $session = start_statement($node, "SELECT idgen_next('$name')", '\set VERBOSITY sqlstate');

	wait_for_waiters($node, 1, "idgen_next..$name", 'Extension');
	return $session;
}

for my $what (sort keys %fakes)
{
	my $draw = "SELECT idgen_next('${what}_s')";

	is(sqlstate($node, "SET idgen.server_timeout = '200ms'; $draw"), $what eq 'asked' ? '08006' : '08001', "$what: idgen.server_timeout");
	is(sqlstate($node, "SET statement_timeout = '200ms'; $draw"), '57014', "$what: statement_timeout");
	my $session = start_waiting("${what}_s");
	$node->safe_psql('postgres', qq{SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query ~ '${what}_s' AND pid <> pg_backend_pid()});
	is(answer($session, ''), '57014', "$what: pg_cancel_backend()");
	$session->quit;
	$session = start_waiting("${what}_s");
	$node->safe_psql('postgres', qq{SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '${what}_s' AND pid <> pg_backend_pid()});
	$session->{run}->finish;
	like($session->{stderr}, qr/FATAL:  57P01/, "$what: pg_terminate_backend()");
}

# Both by a session and by the worker, at a time
my @sessions = map { start_waiting($_) } @names;
is($node->safe_psql('postgres', q{SELECT count(DISTINCT idgen_next('own')) FROM generate_series(1, 20)}), '20', 'the worker goes on with another id sequence');
is(sqlstate($node, q{SET statement_timeout = '60s'; CREATE DATABASE other}), '', 'a database can be made');
$node->stop('fast');
like($_->{stderr}, qr/^(?!.*terminated by signal)/s, 'the server is stopped') for @sessions;
$_->{run}->finish for @sessions;
unlike(slurp_file($node->logfile), qr/terminated by signal|SIGKILL/, 'by itself');

done_testing();

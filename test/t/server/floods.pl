# A centre that does not stop sending ends the refill that asked it, when the
# time is over at the latest, and nothing else: the session goes on, and so does
# the worker of the database. The log stays small.
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
my $rows = block(1);

# What comes without an end: in the place of the greeting, or of a block
my %greetings = (
	parameters_at_first => [ endless($parameter) ],
	parameters => [ authenticated(), endless($parameter) ],
	password_requests => [ endless(message('R', pack('N', 3))) ],
	md5_requests => [ endless(message('R', pack('N a4', 5, 'salt'))) ],
	warnings => [ authenticated(), endless(notice(M => 'beware')) ],
	errors => [ authenticated(), endless(error_message(S => 'ERROR', V => 'ERROR', C => 'XX000', M => 'wrong')) ],
	error => [ beginning_of('E', "SERROR\0M"), endless('long') ],
	warning => [ authenticated(), beginning_of('N', "SWARNING\0M"), endless('long') ],
	keys => [ authenticated(), endless(message('K', pack('N N', 1, 1))) ],
);
my %answers = (
	parameters => [ endless($parameter) ],
	warnings => [ endless(notice(M => 'beware')) ],
	rows => [ columns(13), endless(substr($rows, length columns(13))) ],
	empty_rows => [ columns(0), endless(row()) ],
	results => [ endless(complete()) ],
	columns => [ beginning_of('T', pack('n', 65535)), endless('long') ],
	row => [ columns(13), beginning_of('D', pack('n N', 13, 0x3ffffff0)), endless('long') ],
	error => [ beginning_of('E', "SERROR\0M"), endless('long') ],
	warning => [ beginning_of('N', "SWARNING\0M"), endless('long') ],
	notifications => [ endless(message('A', pack('N Z* Z*', 1, 'a', 'b'))) ],
	data_to_copy => [ endless(message('d', 'data')) ],
);

# A centre for each, and what a refill from there fails with. Some of it makes
# no sense; then it need not last until the time is over.
my @cases = (
	(map { { name => "greeting_$_", state => '08001', centre => [ startup => $greetings{$_} ] } } sort keys %greetings),
	(map { { name => "answer_$_", state => '0800[16]|HV000', centre => [ answers => answers_for("answer_$_", $answers{$_}) ] } } sort keys %answers));

sub answers_for
{
	my ($name, $answer) = @_;
	return { map { $_ => [ ($answer) x 10 ] } ("${name}_s", "${name}_w") };
}

$_->{fake} = FakeCentre->new(@{ $_->{centre} }) for @cases;

my $node = idgen_server('node', conf => q{
idgen.worker_start_timeout = -1
max_worker_processes = 40
idgen.server_timeout = '300ms'
idgen.worker_timeout = '1000s'
});
for my $case (@cases)
{
	my $name = $case->{name};
	my $options = server_options($case->{fake});

	$node->safe_psql('postgres', qq{
		CREATE SERVER "$name" FOREIGN DATA WRAPPER idgen_fdw OPTIONS ($options);
		CREATE USER MAPPING FOR CURRENT_USER SERVER "$name" OPTIONS (user 'u', password 'secret');
		SELECT idgen_create('${name}_s', source => 'server', source_name => '$name'),
			idgen_create('${name}_w', source => 'server', source_name => '$name', refill => 'worker')});
}
$node->safe_psql('postgres', q{SELECT idgen_create('own', block_size => 1, refill => 'worker')});

my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('\set VERBOSITY sqlstate');
$session->query_safe(q{SET statement_timeout = '60s'});
is($session->query_safe(q{SELECT idgen_next('own')}), '1', 'the worker');
my $worker = worker_pid($node, 'postgres');
my $log = -s $node->logfile;

for my $case (@cases)
{
	# Where one flood has no end, others have none, either.
	like(answer($session, "SELECT idgen_next('$case->{name}_s')"), qr/^($case->{state})$/, "$case->{name}: a session") or die 'it has no end';
	like(answer($session, "SELECT idgen_next('$case->{name}_w')"), qr/^($case->{state})$/, "$case->{name}: the worker") or die 'it has no end';
	like(answer($session, q{SELECT idgen_next('own')}), qr/^\d+$/, 'the worker goes on');
}
is(worker_pid($node, 'postgres'), $worker, 'it still is the same worker');
cmp_ok(-s $node->logfile, '<', $log + 100_000, 'bytes in the log');
$session->quit;

$node->stop;
done_testing();

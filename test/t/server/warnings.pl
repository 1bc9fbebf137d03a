# A centre's warnings are in the server's log, and do not disturb the session
# that asked: they are cut, at most three for a refill, and whatever is not
# valid text is shown as question marks.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use FakeCentre;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $block = block(1) . complete() . ready();
my %warnings = (
	few => notice(M => 'few1') . notice(M => 'few2') . notice(M => 'few3'),
	many => join('', map { notice(M => "many$_") } 1 .. 100),
	long => notice(M => 'long ' . "\xc3\xa4" x 1000),
	invalid => notice(M => "invalid \xe4\xff \xc3"),
	control => notice(M => "control \e[2J\x07\ttab"),
	foreign => notice(M => "foreign \xe2\x82\xac"),
	notice => notice(S => 'NOTICE', V => 'NOTICE', M => 'no warning'),
);
my %answers = map { my $name = $_; map { ("${name}_$_" => [ $warnings{$name} . $block ]) } ('s', 'w') } keys %warnings;
my $fake = FakeCentre->new(answers => { %answers, connection => [$block] }, startup => authenticated() . notice(M => 'welcome') . ready());
my ($node) = idgen_nodes(1, centres => [$fake], init => [ extra => [ '-E', 'UTF8' ] ], conf => q{idgen.worker_timeout = '100s'});
create_remote($_, /_w$/ ? q{refill => 'worker'} : '', $node) for sort keys %answers;

# A client that is shown what goes to the log, and has not all characters
local $ENV{PGCLIENTENCODING} = 'LATIN1';
my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe(q{SET client_min_messages = 'debug1'});
for my $name (sort keys %answers)
{
	# What the session keeps from here on takes the memory of what is over.
	$session->query(join(';', map { "PREPARE ${name}_$_ AS SELECT '" . 'x' x 600 . "'" } 1 .. 20));
	$session->{stderr} = '';
	like($session->query("SELECT idgen_next('$name')"), qr/^1$/, "$name: an id");
	unlike($session->{stderr}, qr/ERROR|warns/, 'and nothing else');
	$session->{stderr} = '';
}
$session->quit;
$node->stop;

my $log = slurp_file($node->logfile);
for my $warning ('welcome', 'few3', 'many1', 'many3', 'invalid \?\? \?', "control \\?\\[2J\\?\ttab", "foreign \xe2\x82\xac")
{
	is(scalar(() = $log =~ /LOG:  server "central" warns: $warning$/mg), 2, "$warning, of the session and of the worker");
}
unlike($log, qr/many4|no warning/, 'not more of them');
is(scalar(() = $log =~ /LOG:  further warnings of server "central" are not logged/g), 2, 'and that there were more');
my ($long) = $log =~ /warns: (long .*)/;
is(length $long, 1023, 'a long one is cut');

done_testing();

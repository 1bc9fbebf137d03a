# What another server says need not be valid text. It is shown as it is or not
# at all, to the session and in the log, but it does not end a session, or make
# a line of its own in the log.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use FakeCentre;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $max = '9223372036854775807';
my $bad = "bad \xe4\xff \xc3";

sub warning_message
{
	return message('N', error_message(S => 'WARNING', V => 'WARNING', C => '01000', M => $_[0]) =~ s/^.....//sr);
}

# What is answered, in the place of a block
my %answers = (
	message => error_message(S => 'ERROR', V => 'ERROR', C => 'XX001', M => $bad, D => $bad, H => $bad) . ready(),
	long_message => error_message(S => 'ERROR', V => 'ERROR', C => 'XX001', M => $bad x 1000, D => "\xe4" x 10000) . ready(),
	value => columns(13) . row(1, 20, 0, $max, 'table', $bad, 21, 1, 1, (undef) x 3, 1) . complete() . ready(),
	source => columns(13) . row(1, 20, 0, $max, $bad, 20, 21, 1, 1, (undef) x 3, 1) . complete() . ready(),
	warning => warning_message($bad) x 3 . columns(13) . row(1, 20, 0, $max, 'table', 20, 21, 1, 1, (undef) x 3, 1) . complete() . ready(),
	forged => warning_message("x\n2026-01-01 00:00:00.000 UTC [1] LOG:  forged line")
	  . columns(13) . row(1, 20, 0, $max, 'table', 20, 21, 1, 1, (undef) x 3, 1) . complete() . ready(),
);
# Each to clients of the server's encoding and of another one, refilling by
# themselves or not
my @encodings = ('UTF8', 'LATIN1');
my %answers_to;
for my $case (keys %answers)
{
	for my $encoding (@encodings)
	{
		$answers_to{"${case}_${encoding}_$_"} = [ $answers{$case} ] for ('session', 'worker');
	}
}
my $fake = FakeCentre->new(answers => \%answers_to);
my ($node) = idgen_nodes(1, centres => [$fake], conf => q{idgen.worker_timeout = '100s'});
create_remote($_, /worker/ ? q{refill => 'worker'} : '', $node) for sort keys %answers_to;

for my $encoding (@encodings)
{
	local $ENV{PGCLIENTENCODING} = $encoding;
	my $session = $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-v', 'VERBOSITY=sqlstate' ]);
	my $pid = answer($session, 'SELECT pg_backend_pid()');

	for my $name (grep { /_${encoding}_/ } sort keys %answers_to)
	{
		my $is_error = $name !~ /^(warning|forged)/;

		like(answer($session, "SELECT idgen_next('$name')"), $is_error ? qr/^[0-9A-Z]{5}$/ : qr/^1$/, "$name: an answer");
		is(answer($session, "SELECT idgen_next('$name')"), $is_error ? '1' : '2', 'and the next call works');
	}
	is(answer($session, 'SELECT pg_backend_pid()'), $pid, "the session of a $encoding client goes on");
	$session->quit;
}

$node->stop;
my $log = slurp_file($node->logfile);
like($log, qr/warns: x/, 'a warning is in the log');
unlike($log, qr/^2026-01-01 00:00:00/m, 'in lines that nobody takes for others');
unlike($log, qr/terminated by signal|TRAP|PANIC|FATAL: .*encoding/, 'nothing has crashed');

done_testing();

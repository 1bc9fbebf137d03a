# Whatever a central server answers, be it nonsense, the session that asked has
# an error that says so, or is told that the connection is lost; nothing
# crashes, and nothing is kept of it: the next call works.
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

# An answer of this one row, if any, and what comes behind it
sub answered
{
	my ($row, $end) = @_;
	return columns(13) . ($row // '') . ($end // complete() . ready());
}

# How it has gone back, which database cluster it is, and the number of the
# request
my @no_more = (undef, undef, undef, 1);

my $good = row(1, 20, 0, $max, 'table', 20, 21, 1, 1, @no_more);

# What is answered, and the error that comes of it
my %cases = (
	no_columns => [ 'HV000', columns(0) . row() . complete() . ready() ],
	one_column => [ 'HV000', columns(1) . row(1) . complete() . ready() ],
	many_columns => [ 'HV000', columns(14) . row((1) x 14) . complete() . ready() ],
	nulls => [ '22004', answered(row((undef) x 13)) ],
	no_number_of_rows => [ 'HV000', answered(row(1, 20, 0, $max, 'table', 20, 21, undef, 1, @no_more)) ],
	no_row_twice => [ '42704', answered(), answered() ],
	no_result => [ 'HV000', complete() . ready() ],
	empty_query => [ 'HV000', message('I', '') . ready() ],
	copy_in => [ '08006', message('G', "\0\0\0") ],
	copy_out => [ '08006', message('H', "\0\0\0") . ready() ],
	copy_both => [ '08006', message('W', "\0\0\0") ],
	copy_after_row => [ '08006', columns(13) . $good . complete() . message('G', "\0\0\0") ],
	no_number => [ '22P02', answered(row(1, 20, 0, $max, 'table', 'many', 21, 1, 1, @no_more)) ],
	large_number => [ '22003', answered(row(1, 20, 0, "${max}0", 'table', 20, 21, 1, 1, @no_more)) ],
	other_source => [ '22023', answered(row(1, 20, 0, $max, '', 20, 21, 1, 1, @no_more)) ],
	block_size_zero => [ '22023', answered(row(1, 0, 0, $max, 'table', 20, 21, 1, 1, @no_more)) ],
	not_updated => [ '55000', answered(row(1, 20, 0, $max, 'table', 20, 20, 1, 1, @no_more)) ],
	upside_down => [ 'HV000', answered(row(20, 20, 0, $max, 'table', 1, 2, 1, 20, @no_more)) ],
	too_large => [ 'HV000', answered(row(1, 20, 0, $max, 'table', 576460752303423489, 576460752303423490, 1, 1, @no_more)) ],
	from_end_to_end => [ 'HV000', answered(row('-9223372036854775808', 20, 0, $max, 'table', $max, $max, 1, '-9223372036854775808', @no_more)) ],
	no_sqlstate => [ 'HV000', error_message(S => 'ERROR', V => 'ERROR', M => 'wrong') . ready() ],
	sqlstate_of_success => [ 'HV000', error_message(S => 'ERROR', V => 'ERROR', C => '00000', M => 'wrong') . ready() ],
	odd_sqlstate => [ 'HV000', error_message(S => 'ERROR', V => 'ERROR', C => '1', M => 'wrong') . ready() ],
	always_in_the_way => [ '40001', (error_message(S => 'ERROR', V => 'ERROR', C => '40001', M => 'wrong') . ready()) x 10 ],
	no_fields => [ 'HV000', error_message() . ready() ],
	error_after_row => [ 'XY123', answered($good, error_message(S => 'ERROR', V => 'ERROR', C => 'XY123', M => 'wrong') . ready()) ],
	error_after_end => [ 'XY123', answered($good, complete() . error_message(S => 'ERROR', V => 'ERROR', C => 'XY123', M => 'wrong') . ready()) ],
	in_transaction => [ '08006', answered($good, complete() . ready('T')) ],
	closed => [ '08006', undef ],
	closed_in_row => [ '08006', [ columns(13) . substr($good, 0, 20), undef ] ],
	closed_after_row => [ '08006', [ answered($good, complete()), undef ] ],
	no_protocol => [ '08006', [ 'HTTP/1.1 400 Bad Request', undef ] ],
);

# Each for a session and for the worker. What breaks a connection that was kept
# is asked again on a new one.
my %answers;
for my $case (keys %cases)
{
	my ($state, @answers) = @{ $cases{$case} };

	push @answers, @answers if $state eq '08006';
	$answers{"${case}_$_"} = [@answers] for ('s', 'w');
}
$answers{once_no_row} = [ answered() ];
my $fake = FakeCentre->new(answers => \%answers);
my ($node) = idgen_nodes(1, centres => [$fake], conf => q{idgen.worker_timeout = '100s'});
create_remote($_, /_w$/ ? q{refill => 'worker'} : '', $node) for sort keys %answers;

my $session = $node->background_psql('postgres', on_error_stop => 0);
$session->query_safe('\set VERBOSITY sqlstate');

is(answer($session, q{SELECT idgen_next('once_no_row')}), '1', 'no row, and then one');
for my $case (sort keys %cases)
{
	my ($expected) = @{ $cases{$case} };

	for my $suffix ('s', 'w')
	{
		my $draw = "SELECT idgen_next('${case}_$suffix')";

		is(answer($session, $draw), $expected, "$case: " . ($suffix eq 's' ? 'session' : 'worker'));
		is(answer($session, $draw), '1', 'and the next call works');
	}
}
$session->quit;
$node->stop;
unlike(slurp_file($node->logfile), qr/terminated by signal|TRAP/, 'nothing has crashed');

done_testing();

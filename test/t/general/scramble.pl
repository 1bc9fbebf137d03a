# What layout "scrambled" makes of numbers: a bijection, the same in every
# version, that looks like one chosen at random. SCRAMBLE_SAMPLES=number has
# more ids compared with each other.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $source = "$FindBin::RealBin/../../../src";
my ($server_headers) = run_command([ 'pg_config', '--includedir-server' ]);
# FRONTEND: outside the server, where assertions would call its code
my $check = build_program('check_scramble', '-DFRONTEND', "-I$source", '-isystem', $server_headers, "$source/catalog/scramble.c");
plan skip_all => 'there is no compiler' unless defined $check;

my ($stdout, $stderr) = run_command([ $check, $ENV{SCRAMBLE_SAMPLES} // 1_000_000 ]);
is($stderr, '', 'no errors');
foreach my $line (split /\n/, $stdout)
{
	my ($result, $what) = $line =~ /^(ok|not ok) - (.*)/;

	defined $what ? is($result, 'ok', $what) : diag($line);
}
is(scalar(() = $stdout =~ /^ok/mg), 9, 'all checks were made');

done_testing();

# The alerts of monitoring/rules.yaml fire when they shall, and not otherwise:
# promtool runs their unit tests. A rule that is changed fails them.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use Monitoring;
use PostgreSQL::Test::Utils;
use Test::More;

my $promtool = Monitoring::program('promtool');
plan skip_all => 'promtool is not here' unless $promtool;

command_ok([ $promtool, 'check', 'rules', '--lint-fatal', Monitoring::file('rules.yaml') ], 'rules are valid');
command_ok([ $promtool, 'test', 'rules', Monitoring::file('rules_test.yaml') ], 'unit tests of rules');

done_testing();

# A build in another folder than that of the source, as packagers make it: it
# has the same files in it, it is installed and tested from there, and none
# comes out empty.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Cwd qw(abs_path);
use File::Basename;
use IdgenTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $tree = abs_path("$FindBin::RealBin/../../..");
my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
my $top = PostgreSQL::Test::Utils::tempdir();

# The source alone; no compiler has to work hard on it.
run_log([ 'sh', '-c', qq{cd "$tree" && tar -cf - --exclude='*.o' --exclude='*.bc' --exclude='*.so' Makefile idgen.control sql src expected test | tar -C "$top" -xf -} ])
  or BAIL_OUT('could not copy the source');
my @make = ('make', '-s', '-f', '../Makefile', "PG_CONFIG=$pg_config", 'with_llvm=no', 'CFLAGS=-O0 -fPIC');
mkdir "$top/build" or die;
chdir "$top/build" or die;

# What the tree has built already need not be compiled here, but for one folder.
my @objects = map { s/^\Q$tree\E\///r } glob("$tree/src/*/*.o");
my %count;
$count{ dirname($_) }++ foreach @objects;
my ($smallest) = sort { $count{$a} <=> $count{$b} } keys %count;
my $copied = join(' ', grep { dirname($_) ne $smallest } @objects);
run_log([ 'sh', '-c', qq{cd "$tree" && tar -cf - $copied | tar -C "$top/build" -xf -} ]) or BAIL_OUT('could not copy objects') if $copied;

my $node = idgen_server('here', conf => "max_prepared_transactions = 10\nautovacuum = off\n");

command_ok([ @make, '-j2' ], 'a build in another folder');
my ($symbols) = run_command([ 'nm', '-D', '--defined-only', 'idgen.so' ]);
my @functions = map { slurp_file($_) =~ /'MODULE_PATHNAME', '(\w+)'/g } glob("$top/sql/idgen--*.sql");
is(join(' ', grep { $symbols !~ /^\w+ T \Q$_\E$/m } 'Pg_magic_func', '_PG_init', @functions), '', 'it has all functions in it');
cmp_ok(scalar @functions, '>', 20, 'which are some');
is(join(' ', glob("$top/src/*.o $top/src/*/*.o $top/*.so")), '', 'nothing is written to the source');

command_ok([ @make, 'install', "DESTDIR=$top/dest" ], 'it is installed from there');
my ($sharedir) = run_command([ $pg_config, '--sharedir' ]);
foreach my $file ('idgen.control', 'idgen--1.0.sql')
{
	my $source = $file =~ /sql$/ ? "$top/sql/$file" : "$top/$file";

	is(slurp_file("$top/dest$sharedir/extension/$file"), slurp_file($source), $file);
}

# What installcheck would run, and that it finds what it needs.
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
my ($commands) = run_command([ @make, '-n', 'installcheck' ]);
my @tests = map { m{([^/]+)\.\w+$} } glob("$top/test/sql/*.sql $top/test/specs/*.spec");
is(join(' ', grep { $commands !~ /\s$_\b/ } @tests), '', 'installcheck runs all tests');
command_ok([ @make, 'installcheck', 'REGRESS=stats server_two_phase', 'ISOLATION=change_then_draw' ], 'and finds them, and their answers');

# Where make would find objects of another build, it says so.
my $object = (glob "$top/src/*/*.c")[0] =~ s/c$/o/r;
write_file($object, '');
command_fails_like([@make], qr/holds what was built in there/, 'a source folder with objects in it');
unlink $object;

command_fails_like(
	[ 'make', '-f', '../Makefile', 'PG_CONFIG=/no/pg_config' ],
	qr/apt-get install gcc postgresql-server-dev-\d+/,
	'no PostgreSQL to build with: the packages are named');

rename "$top/src", "$top/renamed" or die;
command_fails_like([@make], qr/there is no src/, 'no source');

done_testing();

# A build for a server that compiles expressions: the bitcode of all folders is
# made, installed with its index, and taken away again; and the server can
# inline what is there.
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

# What pg_config, or the variable of the server's Makefile, says
sub configured
{
	my ($option) = @_;

	return (run_command([ $pg_config, "--$option" ]))[0];
}
my $makefile = dirname(configured('pgxs')) . '/../Makefile.global';
my %variable = slurp_file($makefile) =~ /^(\w+)[ \t]*=[ \t]*(.*?)[ \t]*$/mg;

plan skip_all => 'the server does not use LLVM' unless ($variable{with_llvm} // '') eq 'yes';
plan skip_all => "needs $variable{CLANG} and $variable{LLVM_BINPATH}/llvm-lto"
  unless -x $variable{CLANG} && -x "$variable{LLVM_BINPATH}/llvm-lto";

my $top = PostgreSQL::Test::Utils::tempdir();
my ($dest, $install_path) = own_postgres();
my $libdir = configured('pkglibdir');

# A file of each folder is enough, and that of unique ids to be inlined, if the
# tree has been built: the server loads its library.
my $built = -e "$tree/idgen.so" && !is_sanitized();
my %seen;
my @sources = grep { !$built || /unique_id/ || !$seen{ dirname($_) }++ } map { s/^\Q$tree\E\/|\.c$//gr } sort glob("$tree/src/*.c $tree/src/*/*.c");
my $files = join(' ', map { "$_.c" } @sources);

run_log([ 'sh', '-c', qq{cd "$tree" && tar -cf - Makefile idgen.control sql \$(find src -name '*.h') $files | tar -C "$top" -xf -} ])
  or BAIL_OUT('could not copy the source');
mkdir "$top/build" or die;
chdir "$top/build" or die;
if ($built)
{
	my $objects = join(' ', map { "$_.o" } @sources);

	run_log([ 'sh', '-c', qq{cd "$tree" && tar -cf - idgen.so $objects | tar -C "$top/build" -xf -} ]) or BAIL_OUT('could not copy the library');
}
my @make = ('make', '-s', '-f', '../Makefile', "PG_CONFIG=$pg_config", 'with_llvm=yes', 'CFLAGS=-O0 -fPIC');

command_ok([ @make, '-j2', 'all' ], 'a build with bitcode');
command_ok([ @make, 'install', "DESTDIR=$dest" ], 'it is installed');

is(join(' ', grep { !-s "$dest$libdir/bitcode/idgen/$_.bc" } @sources), '', 'bitcode of each file');
ok(-s "$dest$libdir/bitcode/idgen.index.bc", 'and its index');

command_ok([ @make, 'clean' ], 'a build is taken away');
is((run_command([ 'find', '.', '-type', 'f' ]))[0], '', 'with its bitcode');

SKIP:
{
	skip('the server has no JIT compiler', 3) unless -e "$libdir/llvmjit.so";

	my $node = idgen_server(
		'jit',
		install_path => $install_path,
		conf => "jit = on\njit_above_cost = 0\njit_inline_above_cost = 0\njit_optimize_above_cost = 0\n");
	my $sql = q{SELECT count(DISTINCT idgen_next('x')), max(idgen_unique_id_min(timestamptz '2026-01-01' + n * interval '1 s')) > 0 FROM generate_series(1, 1000) n};

	$node->safe_psql('postgres', q{SELECT idgen_create('x')});
	like($node->safe_psql('postgres', "EXPLAIN ANALYZE $sql"), qr/Inlining true/, 'a query is compiled');
	is($node->safe_psql('postgres', "SET jit_dump_bitcode = on; $sql"), '1000|t', 'it draws ids');
	my $code = join '', map { slurp_file($_) } glob($node->data_dir . '/*.bc');
	like($code, qr{(?<!/idgen\.)idgen_unique_id_min}, 'with code of ours inlined');
	$node->stop;
}

done_testing();

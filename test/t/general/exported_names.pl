# The library exports the functions that the server looks up in it, and nothing
# else: other names could meet those of other libraries.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $tree = "$FindBin::RealBin/../../..";
my $node = idgen_server('exports');
my ($pkglibdir) = run_command([ $ENV{PG_CONFIG} // 'pg_config', '--pkglibdir' ]);
my @folders = split /:/, $node->safe_psql('postgres', 'SHOW dynamic_library_path') =~ s/\$libdir/$pkglibdir/r;
my ($library) = grep { -e } map { "$_/idgen.so" } @folders;

# by the install scripts, and where a background process is described
my @functions = map { slurp_file($_) =~ /'MODULE_PATHNAME', *'(\w+)'/g } glob("$tree/sql/idgen--*.sql");
my @processes = map { slurp_file($_) =~ /bgw_function_name, "(\w+)"/g } glob("$tree/src/*/*.c");

# what instruments have compiled in is not ours
my @exported = grep { /^(idgen|pg)_|^_PG/i } map { (split)[2] } split /\n/, (run_command([ 'nm', '-D', '--defined-only', $library ]))[0];

my %looked_up = map { $_ => 1 } '_PG_init', 'Pg_magic_func', @processes, map { ($_, "pg_finfo_$_") } @functions;
is(join("\n", sort @exported), join("\n", sort keys %looked_up), 'what the library exports');
cmp_ok(scalar @functions, '>', 20, 'there are many functions');
is(scalar @processes, 2, 'and two background processes');

done_testing();

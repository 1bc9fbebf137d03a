# The versions of idgen that come next, made up: one with another third number,
# whose script replaces a function that is written in SQL, and one with another
# second number, which has a column and a function more, and needs a library of
# its own. CONTRIBUTING.md says what each may change.
package NextVersions;

use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use Exporter 'import';
use FindBin;
use IdgenTest;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(next_versions publish install_version);

my $tree = abs_path("$FindBin::RealBin/../../..");
my ($this) = slurp_file("$tree/idgen.control") =~ /^default_version = '(.*)'$/m;
my ($major, $minor, $third) = split /\./, $this;
my $fixed = "$major.$minor." . (($third // 0) + 1);
my $wider = "$major." . ($minor + 1);

# What their scripts change
my $path = 'SET LOCAL search_path = pg_catalog, pg_temp;';
my $fix = qq{
$path
CREATE OR REPLACE FUNCTION \@extschema\@.idgen_first_free_id(title text, change text, last_id numeric, type_end bigint) RETURNS numeric
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS \$\$ BEGIN RAISE 'replaced'; END \$\$;
};
my $version_function = 'idgen_version_' . $wider =~ tr/./_/r;
my $change = qq{
$path
CREATE OR REPLACE FUNCTION \@extschema\@.idgen_version() RETURNS text
	AS 'MODULE_PATHNAME', '$version_function'
	LANGUAGE C STRICT STABLE PARALLEL SAFE;
ALTER TABLE \@extschema\@.id_sequences ALTER name SET STORAGE EXTENDED;
ALTER TABLE \@extschema\@.idgen_leases ADD COLUMN made_up text;
COMMENT ON COLUMN \@extschema\@.idgen_leases.made_up IS 'made up';
CREATE FUNCTION \@extschema\@.idgen_made_up() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
	SET search_path = pg_catalog, pg_temp AS \$\$ SELECT 'made up' \$\$;
REVOKE ALL ON FUNCTION \@extschema\@.idgen_made_up() FROM PUBLIC;
};

# next_versions(): the version of this tree, and the two that come next
sub next_versions
{
	return ($this, $fixed, $wider);
}

# publish(version): a folder with the source of that version, built. It differs
# from this tree in the scripts, in default_version, and has a C function more.
sub publish
{
	my ($version) = @_;
	my $source = PostgreSQL::Test::Utils::tempdir();

	# with what is built: only what says the version is built again
	system_or_bail('cp', '-a', (map { "$tree/$_" } 'Makefile', 'idgen.control', 'sql', 'src', grep { -e "$tree/$_" } 'idgen.so'), $source);
	return $source if $version eq $this;

	write_file("$source/idgen.control", slurp_file("$tree/idgen.control") =~ s/'\Q$this\E'/'$version'/r);
	write_file("$source/sql/idgen--$this--$fixed.sql", $fix);
	if ($version eq $wider)
	{
		my @fixes = sort { ($a =~ /(\d+)\.sql$/)[0] <=> ($b =~ /(\d+)\.sql$/)[0] } glob("$source/sql/idgen--$major.$minor*--$major.$minor.*.sql");

		write_file("$source/sql/idgen--$fixed--$wider.sql", $change);
		write_file("$source/sql/idgen--$wider.sql", join('', map { slurp_file($_) } "$source/sql/idgen--$major.$minor.sql", @fixes) . $change);
		write_file("$source/src/made_up.c", qq{
#include "postgres.h"
#include "fmgr.h"
#include "utils/builtins.h"

#pragma GCC visibility push(default)
PG_FUNCTION_INFO_V1($version_function);
Datum
$version_function(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text("$wider"));
}
});
	}
	return $source;
}

# install_version(source, destination): what publish() has made, to where
# own_postgres() says. A server goes on with the library that it has loaded.
sub install_version
{
	my ($source, $dest) = @_;

	system_or_bail('make', '-s', '-C', $source, 'PG_CONFIG=' . ($ENV{PG_CONFIG} // 'pg_config'), 'with_llvm=no', "DESTDIR=$dest", 'install');
	return;
}

1;

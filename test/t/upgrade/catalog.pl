# An extension that was updated is the same as one that was created: object by
# object, with all that the catalogs say of it. That is so for each version that
# was published, by way of those between, and for the next ones, which are made
# up.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use IdgenTest;
use NextVersions;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'a PostgreSQL of its own does not have the runtime of the sanitizer' if is_sanitized();

my $default = (next_versions())[-1];
my ($dest, $path) = own_postgres();
install_version(publish($default), $dest);
my $node = plain_server('server', install_path => $path);

# Everything in the catalogs that initdb has not made, a line each, with names
# in place of OIDs. A node tree says where in the script it stood; functions of
# the server show it as SQL. Left out are what ALTER TABLE notes of rows that
# are older than a column, the sizes of tables, the OID in the name of a TOAST
# table, and the number that later minor versions note of a column (pg_attver).
my $everything = q{
	WITH described (object, says) AS (
		SELECT pg_describe_object('pg_proc'::regclass, oid, 0),
			to_jsonb(p) - '{oid,pronamespace,proargtypes,proallargtypes,prorettype,proargdefaults,prosqlbody,prolang}'::text[]
				|| jsonb_build_object('arguments', pg_get_function_arguments(oid), 'result', pg_get_function_result(oid),
					'body', pg_get_function_sqlbody(oid), 'language', (SELECT lanname FROM pg_language l WHERE l.oid = prolang),
					'types', proargtypes::regtype[], 'all types', proallargtypes::regtype[])
			FROM pg_proc p
		UNION ALL SELECT pg_describe_object('pg_class'::regclass, oid, 0),
			to_jsonb(c) - '{oid,relnamespace,reltype,relfilenode,relpages,reltuples,relallvisible,relallfrozen,relfrozenxid,relminmxid,reltoastrelid}'::text[]
				|| jsonb_build_object('view', CASE relkind WHEN 'v' THEN pg_get_viewdef(oid) END,
					'index', CASE relkind WHEN 'i' THEN pg_get_indexdef(oid) END)
			FROM pg_class c
		UNION ALL SELECT pg_describe_object('pg_class'::regclass, attrelid, attnum),
			to_jsonb(a) - '{attrelid,atttypid,attcacheoff,atthasmissing,attmissingval}'::text[]
				|| jsonb_build_object('type', format_type(atttypid, atttypmod), 'default',
					(SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = attrelid AND adnum = attnum))
			FROM pg_attribute a WHERE attrelid >= 16384
		UNION ALL SELECT 'index ' || indexrelid::regclass,
			to_jsonb(i) - '{indexrelid,indrelid,indclass,indexprs,indpred}'::text[]
			FROM pg_index i WHERE indexrelid >= 16384
		UNION ALL SELECT pg_describe_object('pg_constraint'::regclass, oid, 0),
			to_jsonb(c) - '{oid,connamespace,conrelid,contypid,conindid,conbin}'::text[]
				|| jsonb_build_object('definition', pg_get_constraintdef(oid))
			FROM pg_constraint c
		UNION ALL SELECT pg_describe_object('pg_trigger'::regclass, oid, 0),
			to_jsonb(t) - '{oid,tgrelid,tgfoid}'::text[] || jsonb_build_object('definition', pg_get_triggerdef(oid))
			FROM pg_trigger t
		UNION ALL SELECT pg_describe_object('pg_event_trigger'::regclass, oid, 0),
			to_jsonb(t) - '{oid,evtfoid}'::text[] || jsonb_build_object('function', evtfoid::regproc)
			FROM pg_event_trigger t
		UNION ALL SELECT pg_describe_object('pg_type'::regclass, oid, 0),
			to_jsonb(t) - '{oid,typnamespace,typrelid,typelem,typarray,typbasetype}'::text[]
				|| jsonb_build_object('array', typarray::regtype, 'element', typelem::regtype)
			FROM pg_type t
		UNION ALL SELECT pg_describe_object('pg_operator'::regclass, oid, 0),
			to_jsonb(o) - '{oid,oprnamespace,oprleft,oprright,oprcom,oprnegate}'::text[]
				|| jsonb_build_object('commutator', oprcom::regoperator, 'negator', oprnegate::regoperator)
			FROM pg_operator o
		UNION ALL SELECT pg_describe_object('pg_opclass'::regclass, oid, 0),
			to_jsonb(o) - '{oid,opcnamespace,opcfamily,opcintype}'::text[]
			FROM pg_opclass o
		UNION ALL SELECT pg_describe_object('pg_opfamily'::regclass, oid, 0), to_jsonb(f) - '{oid,opfnamespace}'::text[]
			FROM pg_opfamily f
		UNION ALL SELECT pg_describe_object('pg_amop'::regclass, oid, 0),
			to_jsonb(o) - '{oid,amopfamily,amoplefttype,amoprighttype,amopopr}'::text[] FROM pg_amop o
		UNION ALL SELECT pg_describe_object('pg_amproc'::regclass, oid, 0),
			to_jsonb(p) - '{oid,amprocfamily,amproclefttype,amprocrighttype}'::text[] FROM pg_amproc p
		UNION ALL SELECT pg_describe_object('pg_cast'::regclass, oid, 0), to_jsonb(c) - 'oid' FROM pg_cast c
		UNION ALL SELECT pg_describe_object('pg_foreign_data_wrapper'::regclass, oid, 0),
			to_jsonb(w) - '{oid,fdwvalidator}'::text[] || jsonb_build_object('validator', fdwvalidator::regproc)
			FROM pg_foreign_data_wrapper w
		UNION ALL SELECT pg_describe_object('pg_extension'::regclass, oid, 0),
			to_jsonb(e) - '{oid,extnamespace,extconfig}'::text[] || jsonb_build_object('tables', extconfig::regclass[])
			FROM pg_extension e
		UNION ALL SELECT 'comment on ' || pg_describe_object(classoid, objoid, objsubid), to_jsonb(description) FROM pg_description
		UNION ALL SELECT 'first privileges on ' || pg_describe_object(classoid, objoid, objsubid), to_jsonb(initprivs)
			FROM pg_init_privs WHERE objoid >= 16384
		UNION ALL SELECT pg_describe_object(classid, objid, objsubid) || ' depends on ' ||
				pg_describe_object(refclassid, refobjid, refobjsubid), to_jsonb(deptype)
			FROM pg_depend
	)
	SELECT regexp_replace(object || ': ' || says::text, 'pg_toast_\d+|pg_attver=\d+', '', 'g') COLLATE "C" AS line FROM described ORDER BY line};

# What is only among one's lines
sub missing
{
	my ($one, $other) = @_;
	my %there = map { $_ => 1 } split /\n/, $other;
	return join("\n", grep { !$there{$_} } split /\n/, $one);
}

$node->safe_psql('postgres', "CREATE DATABASE $_") foreach 'empty', 'created';
my $empty = $node->safe_psql('empty', $everything);
$node->safe_psql('created', 'CREATE SCHEMA ids; CREATE EXTENSION idgen SCHEMA ids');
my $created = $node->safe_psql('created', $everything);
is($node->safe_psql('created', "SELECT extversion FROM pg_extension WHERE extname = 'idgen'"), $default, 'the default version');
is($node->safe_psql('created', 'SELECT ids.idgen_version()'), $default, 'is that of the library');

my @older = split /\n/, $node->safe_psql('postgres', "SELECT version FROM pg_available_extension_versions WHERE name = 'idgen' AND version <> '$default'");
cmp_ok(scalar @older, '>=', 2, 'there are older versions');
foreach my $version (sort @older)
{
	(my $database = "from_$version") =~ s/\W/_/g;

	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, "CREATE SCHEMA ids; CREATE EXTENSION idgen SCHEMA ids VERSION '$version'");
	is( $node->safe_psql($database, q{SELECT prosrc FROM pg_proc WHERE proname = 'idgen_version'}),
		'idgen_version_' . $version =~ s/^(\d+)\.(\d+).*/$1_$2/r, "version $version needs a library of its first two numbers");
	my $before = $node->safe_psql($database, $everything);
	cmp_ok(length missing($created, $before), '>', 0, 'it is another one');
	$node->safe_psql($database, 'ALTER EXTENSION idgen UPDATE');
	my $updated = $node->safe_psql($database, $everything);
	is(missing($updated, $created), '', "updated from $version, it has nothing that it would not have");
	is(missing($created, $updated), '', 'and it lacks nothing');

	# All of it belongs to the extension.
	$node->safe_psql($database, 'DROP EXTENSION idgen; DROP SCHEMA ids');
	is(missing($node->safe_psql($database, $everything), $empty), '', 'DROP EXTENSION leaves nothing');
}

$node->stop;
done_testing();

/*
 * version.c
 *		Which version of the extension the database has, and which the library
 *		is made for.
 *
 * The library knows what the install script of one version makes. That is
 * IDGEN_VERSION, which the Makefile takes from idgen.control. The database may
 * have another one: a package brings a new library, and ALTER EXTENSION brings
 * the database up to it later. If only the third numbers differ, as in 1.0 and
 * 1.0.1, all goes on: such an update replaces what is written in SQL. Else
 * nothing is drawn in between: a library that knows less than the database
 * would read rows wrongly, and one that knows more does not find the columns
 * that it needs.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_extension.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/epoch.h"
#include "catalog/version.h"
#include "common/compat.h"

/* The versions were found to be the same under this idgen_table_epoch. */
static uint64 checked_epoch = 0;

/*
 * The version that the database has, palloc'd, and the schema that the
 * extension is in. NULL without the extension.
 */
static char *
installed_version(Oid *schema)
{
	Relation rel = table_open(ExtensionRelationId, AccessShareLock);
	char *version = NULL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ, CStringGetDatum("idgen"));
	scan = systable_beginscan(rel, ExtensionNameIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		bool isnull;
		Datum value = heap_getattr(tuple, Anum_pg_extension_extversion, RelationGetDescr(rel), &isnull);

		version = isnull ? NULL : TextDatumGetCString(value);
		*schema = ((Form_pg_extension) GETSTRUCT(tuple))->extnamespace;
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return version;
}

/*
 * The first two numbers of a version as one, which ascends as versions do. What
 * begins with no number is before all of them.
 */
static int
first_two_numbers(const char *version)
{
	int major = 0;
	int minor = 0;

	(void) sscanf(version, "%d.%d", &major, &minor);
	return major * 10000 + minor;
}

/* Raises 55000: the database has that version, and the library another one. */
pg_noreturn static void
refuse(const char *version)
{
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("extension \"idgen\" has version %s in this database, but the library that is loaded is of version %s",
	                version, IDGEN_VERSION),
	         first_two_numbers(version) < first_two_numbers(IDGEN_VERSION)
	             ? errhint("Run ALTER EXTENSION idgen UPDATE.")
	             : errhint("Restart the server to load the library of version %s; without shared_preload_libraries, connecting again is enough.",
	                       version)));
}

/*
 * The version that the database has, palloc'd, if the library is made for
 * another one; else NULL. It is looked up again when id_sequences has been
 * altered, as each update to another second number does.
 */
static char *
other_version(void)
{
	uint64 epoch = idgen_table_epoch;
	Oid schema;
	char *version;

	if (checked_epoch == epoch)
		return NULL;
	version = installed_version(&schema);
	if (version != NULL && first_two_numbers(version) != first_two_numbers(IDGEN_VERSION))
		return version;
	if (version != NULL)
		pfree(version);
	checked_epoch = epoch;
	return NULL;
}

/* Has the database the version that the library is made for? */
bool
idgen_version_fits(void)
{
	char *version = other_version();

	if (version != NULL)
		pfree(version);
	return version == NULL;
}

/* Raises 55000 unless it has. */
void
idgen_version_check(void)
{
	char *version = other_version();

	if (version != NULL)
		refuse(version);
}

/* The OID of id_sequences in this database; invalid without the extension. */
Oid
idgen_table_of_extension(void)
{
	Oid schema;

	return installed_version(&schema) != NULL ? get_relname_relid("id_sequences", schema) : InvalidOid;
}

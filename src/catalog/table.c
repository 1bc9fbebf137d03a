/*
 * table.c
 *		The table id_sequences as a whole: opening it, what may keep it from
 *		being used, and when to look again at what it says.
 *
 * The library knows what the install script of one version makes. That is
 * IDGEN_VERSION, which the Makefile takes from idgen.control. The database may
 * have another one: a package brings a new library, and ALTER EXTENSION brings
 * the database up to it later. If only the third numbers differ, as in 1.0 and
 * 1.0.1, all goes on: such an update replaces what is written in SQL. Else
 * nothing is drawn in between: a library that knows less than the database
 * would read rows wrongly, and one that knows more does not find the columns
 * that it needs.
 *
 * A session finds out once which id_sequences there is, who may draw, and what
 * a row says, and remembers it. The server tells each process of changes to the
 * catalogs, which these answers depend on; idgen_epoch counts them. An answer
 * is remembered together with the epoch in which it was found.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/row.h"
#include "catalog/table.h"
#include "common/compat.h"

/*
 * When to look again
 */

uint64 idgen_epoch = 1;
uint64 idgen_table_epoch = 1;

/* The table's OID as looked up under table_oid_epoch. */
static Oid table_oid = InvalidOid;
static uint64 table_oid_epoch = 0;

/*
 * The relations that this session remembers anything of, such as the native
 * sequences that it has found by name, as bits: several share one, and at worst
 * the session looks again for nothing. One stays noted until the session ends:
 * what is under way may depend on it.
 */
#define WATCHED_BITS 65536
static uint8 watched[WATCHED_BITS / 8];

static void
relation_changed(Datum arg, Oid relid)
{
	if (relid == InvalidOid || relid == table_oid)
	{
		idgen_epoch++;
		idgen_table_epoch++;
	}
	else if (watched[relid % WATCHED_BITS / 8] & (1 << relid % 8))
		idgen_epoch++;
}

static void
catalog_changed(Datum arg, int cacheid, uint32 hashvalue)
{
	idgen_epoch++;
}

/*
 * Ask the server to tell us about changes. The owner of the database matters
 * to role pg_database_owner. Called once per process.
 */
void
idgen_epoch_init(void)
{
	CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHOID, catalog_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHMEMMEMROLE, catalog_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(NAMESPACEOID, catalog_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(DATABASEOID, catalog_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(FOREIGNDATAWRAPPEROID, catalog_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(FOREIGNSERVEROID, catalog_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(USERMAPPINGOID, catalog_changed, (Datum) 0);
}

/*
 * From now on idgen_epoch counts changes of that relation. All that matters of
 * a native sequence changes its entry in pg_class, too: ALTER SEQUENCE gives it
 * another file. Another sequence that is made later, and that the name
 * would lead to by now, does not matter: as with nextval(), the name was looked
 * up once.
 */
void
idgen_watch_relation(Oid relid)
{
	watched[relid % WATCHED_BITS / 8] |= 1 << relid % 8;
}

/*
 * Its version
 */

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

/*
 * The version that the database has, if the library is made for another one;
 * else NULL. It is looked up again when id_sequences has been altered, as each
 * update to another second number does.
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
	checked_epoch = epoch;
	return NULL;
}

/* Raises 55000 unless the database has the version that the library is for. */
void
idgen_version_check(void)
{
	char *version = other_version();

	if (version != NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("extension \"idgen\" has version %s in this database, but the library that is loaded is of version %s",
		                version, IDGEN_VERSION),
		         first_two_numbers(version) < first_two_numbers(IDGEN_VERSION)
		             ? errhint("Run ALTER EXTENSION idgen UPDATE.")
		             : errhint("Restart the server to load the library of version %s; without shared_preload_libraries, connecting again is enough.",
		                       version)));
}

/* The OID of id_sequences in this database; invalid without the extension. */
Oid
idgen_table_of_extension(void)
{
	Oid schema;

	return installed_version(&schema) != NULL ? get_relname_relid("id_sequences", schema) : InvalidOid;
}

/* Raises 42P01: the extension, or that table of it, was dropped. */
void
idgen_no_table(const char *name)
{
	ereport(ERROR,
	        (errcode(ERRCODE_UNDEFINED_TABLE),
	         errmsg("table \"%s\" of extension \"idgen\" does not exist", name)));
}

/*
 * The OID of id_sequences, given that of the SQL function being called: the
 * table lives in the function's schema. Raises 42P01 if it is not there.
 */
Oid
idgen_table_oid(Oid funcid)
{
	uint64 epoch = idgen_epoch;
	Oid found;

	if (table_oid_epoch == epoch)
		return table_oid;

	found = get_relname_relid("id_sequences", get_func_namespace(funcid));
	if (!OidIsValid(found))
		idgen_no_table("id_sequences");
	/* Its changes were not counted before. */
	if (found != table_oid)
		idgen_table_epoch++;
	table_oid = found;
	table_oid_epoch = epoch;
	return found;
}

/*
 * Other tables of the extension
 */

/* The OID of a table that stands beside id_sequences. Raises 42P01. */
Oid
idgen_table_beside(Oid id_sequences, const char *name)
{
	Oid relid = get_relname_relid(name, get_rel_namespace(id_sequences));

	if (!OidIsValid(relid))
		idgen_no_table(name);
	return relid;
}

/* Raises 55000: the owner has made another table of it. */
void
idgen_other_table_is_bad(Relation rel)
{
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("table \"%s\" does not have the columns that it was created with",
	                RelationGetRelationName(rel)),
	         errhint("Restore their types.")));
}

/*
 * Open such a table. Raises 42P01 if it is gone, and 55000 unless it and its
 * first columns are what the install script has made them.
 */
Relation
idgen_other_table_open(Oid id_sequences, const char *name, const Oid *types, int ntypes, LOCKMODE lockmode)
{
	Relation rel = try_table_open(idgen_table_beside(id_sequences, name), lockmode);
	TupleDesc desc;

	if (rel == NULL)
		idgen_no_table(name);
	desc = RelationGetDescr(rel);
	if (rel->rd_rel->relkind != RELKIND_RELATION || rel->rd_rel->relispartition || desc->natts < ntypes)
		idgen_other_table_is_bad(rel);
	for (int i = 0; i < ntypes; i++)
		if (TupleDescAttr(desc, i)->atttypid != types[i])
			idgen_other_table_is_bad(rel);
	return rel;
}

/*
 * Its columns and triggers
 */

/* The columns of id_sequences, as the install script makes them. */
static const struct
{
	const char *name;
	Oid type;
} made_columns[] = {
	[IDGEN_ATT_NAME - 1] = {"name", VARCHAROID},
	[IDGEN_ATT_NEXT_BLOCK_START - 1] = {"next_block_start", INT8OID},
	[IDGEN_ATT_BLOCK_SIZE - 1] = {"block_size", INT4OID},
	[IDGEN_ATT_EXHAUSTED - 1] = {"exhausted", INT2OID},
	[IDGEN_ATT_MAX_VALUE - 1] = {"max_value", INT8OID},
	[IDGEN_ATT_SOURCE - 1] = {"source", TEXTOID},
	[IDGEN_ATT_SOURCE_NAME - 1] = {"source_name", TEXTOID},
	[IDGEN_ATT_REFILL - 1] = {"refill", TEXTOID},
	[IDGEN_ATT_LAYOUT - 1] = {"layout", TEXTOID},
	[IDGEN_ATT_BIG_BASE - 1] = {"big_base", NUMERICOID},
	[IDGEN_ATT_START_VALUE - 1] = {"start_value", INT8OID},
	[IDGEN_ATT_POOLING - 1] = {"pooling", TEXTOID},
	[IDGEN_ATT_OWNED_BY - 1] = {"owned_by", InvalidOid}, /* see column_is_good() */
	[IDGEN_ATT_MAX_CHILDREN - 1] = {"max_children", INT4OID},
	[IDGEN_ATT_PERIOD - 1] = {"period", TEXTOID},
	[IDGEN_ATT_TIME_ZONE - 1] = {"time_zone", TEXTOID},
	[IDGEN_ATT_FORMAT - 1] = {"format", TEXTOID},
	[IDGEN_ATT_TEMPLATE - 1] = {"template", VARCHAROID},
	[IDGEN_ATT_REFILLED_AT - 1] = {"refilled_at", TIMESTAMPTZOID},
	[IDGEN_ATT_SALT - 1] = {"salt", BYTEAOID},
	[IDGEN_ATT_EARLY_RELEASE - 1] = {"early_release", BOOLOID},
	[IDGEN_ATT_WATERMARK - 1] = {"watermark", BOOLOID},
};

/*
 * Is a column what the install script has made it, or is gone if it has not?
 * Type idgen_column has no fixed OID, but lies beside the table.
 */
static bool
column_is_good(Relation rel, AttrNumber attnum)
{
	TupleDesc desc = RelationGetDescr(rel);
	Form_pg_attribute column = attnum <= desc->natts ? TupleDescAttr(desc, attnum - 1) : NULL;
	Oid made;

	if (attnum > IDGEN_ATT_LAST)
		return column->attisdropped;
	if (column == NULL || column->attisdropped ||
	    (attnum == IDGEN_ATT_NAME && column->attcollation != C_COLLATION_OID))
		return false;
	made = made_columns[attnum - 1].type;
	if (!OidIsValid(made))
		made = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("idgen_column"),
		                       ObjectIdGetDatum(RelationGetNamespace(rel)));
	return column->atttypid == made;
}

/*
 * The first column that is not, or is not there; or the first one that somebody
 * has added. InvalidAttrNumber if there is none.
 */
static AttrNumber
first_bad_column(Relation rel)
{
	for (AttrNumber attnum = 1; attnum <= Max(RelationGetNumberOfAttributes(rel), IDGEN_ATT_LAST); attnum++)
		if (!column_is_good(rel, attnum))
			return attnum;
	return InvalidAttrNumber;
}

/*
 * Is id_sequences of the version that the library is for, and are its columns
 * what the install script has made them? The owner can change them, and the
 * code takes them for what they were. A column that is added is refused when it
 * is (sql/hooks.c), but in sessions that have not loaded the library.
 */
bool
idgen_table_is_good(Relation rel)
{
	return other_version() == NULL && first_bad_column(rel) == InvalidAttrNumber;
}

/*
 * Raises 55000 unless the columns of id_sequences are good, and those of the
 * version that the library is made for.
 */
void
idgen_table_check(Relation rel)
{
	AttrNumber bad;
	const char *detail;

	idgen_version_check();
	bad = first_bad_column(rel);
	if (bad == InvalidAttrNumber)
		return;
	detail = bad > IDGEN_ATT_LAST
		? psprintf("Column \"%s\" was added.", NameStr(TupleDescAttr(RelationGetDescr(rel), bad - 1)->attname))
		: psprintf("Column %d must be \"%s\".", bad, made_columns[bad - 1].name);
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("table \"%s\" does not have the columns that it was created with",
	                RelationGetRelationName(rel)),
	         errdetail_internal("%s", detail),
	         bad > IDGEN_ATT_LAST
	             ? errhint("Keep what it has in a table of your own, and drop it. No dump with it could be restored.")
	             : errhint("Restore their types, and the collation of column \"name\".")));
}

/*
 * Is the cache told of each change of a row? Not if the owner of the table has
 * dropped or disabled the triggers that do so, or has left them as pg_restore
 * does, so that they are not fired in replication; nor if another table has
 * taken this one's place.
 */
bool
idgen_table_tells_changes(Relation rel)
{
	static const char *const tellers[] = {"idgen_row_changed", "idgen_truncated"};
	const TriggerDesc *desc = rel->trigdesc;
	int found = 0;

	for (int i = 0; desc != NULL && i < desc->numtriggers; i++)
		for (int j = 0; j < (int) lengthof(tellers); j++)
			if (desc->triggers[i].tgenabled == TRIGGER_FIRES_ALWAYS &&
			    strcmp(desc->triggers[i].tgname, tellers[j]) == 0)
				found++;
	return found == lengthof(tellers);
}

/*
 * Using it
 */

/*
 * Is the current command of this session making a new table of the rows (ALTER
 * TABLE that rewrites it, CLUSTER, VACUUM FULL), and has it called us by an
 * expression in there?
 *
 * That the table is locked and in use does not say so: LOCK TABLE and a query
 * over it do as much. But until the new table takes the old one's place, it has
 * a name that the server gives to no other table (make_new_heap()).
 */
bool
idgen_table_is_rewritten(Relation rel)
{
	char new_table[NAMEDATALEN];

	if (!CheckRelationLockedByMe(rel, AccessExclusiveLock, true))
		return false;
	snprintf(new_table, sizeof(new_table), "pg_temp_%u", RelationGetRelid(rel));
	return OidIsValid(get_relname_relid(new_table, RelationGetNamespace(rel)));
}

/*
 * Raises 55006 if the current command rewrites the table: what is written now
 * would not get into the new one.
 */
void
idgen_table_check_not_rewritten(Relation rel)
{
	if (idgen_table_is_rewritten(rel))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_IN_USE),
		         errmsg("cannot change rows of \"%s\" because the current command rewrites the table",
		                RelationGetRelationName(rel)),
		         errhint("Draw ids in a separate statement, before or after that command.")));
}

/*
 * Open id_sequences. Raises 42P01 if it was dropped in the meantime, 42809 if
 * its owner has put something else in its place or made it a partition, and
 * 55000 if its columns were changed.
 */
Relation
idgen_table_open(Oid relid, LOCKMODE lockmode)
{
	Relation rel = try_table_open(relid, lockmode);

	if (rel == NULL)
		idgen_no_table("id_sequences");
	if (rel->rd_rel->relkind != RELKIND_RELATION)
		ereport(ERROR,
		        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("\"%s\" is not a table", RelationGetRelationName(rel)),
		         errdetail_relkind_not_supported(rel->rd_rel->relkind)));
	/*
	 * Rows could move to other partitions, which shows as a serialization
	 * failure.
	 */
	if (rel->rd_rel->relispartition)
		ereport(ERROR,
		        (errcode(ERRCODE_WRONG_OBJECT_TYPE),
		         errmsg("\"%s\" is a partition", RelationGetRelationName(rel)),
		         errhint("Detach it from its parent.")));
	idgen_table_check(rel);
	return rel;
}

/* The qualified name of a relation, quoted where needed; NULL if it is gone. */
const char *
idgen_relation_name(Oid relid)
{
	char *schema = get_namespace_name(get_rel_namespace(relid));
	char *name = get_rel_name(relid);

	return schema != NULL && name != NULL ? quote_qualified_identifier(schema, name) : NULL;
}

/*
 * The same for use in a query. Raises 42P01 if it is gone, which is possible
 * where the caller has waited for something else.
 */
const char *
idgen_table_name(Oid relid)
{
	const char *name = idgen_relation_name(relid);

	if (name == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_TABLE),
		         errmsg("relation was dropped in the meantime")));
	return name;
}

/*
 * What a message calls a function of the extension to which that id_sequences
 * belongs. Users take the call out of the message and run it, a superuser too:
 * so it has the schema, since another one may have a function of that name.
 */
const char *
idgen_function_name(Oid relid, const char *function)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relid)), function);
}

/*
 * Open a relation to look at it, without a wait. NULL if it is gone, or if
 * another transaction has a lock that keeps us from it.
 */
Relation
idgen_relation_open_at_once(Oid relid)
{
	Relation rel;

	if (!ConditionalLockRelationOid(relid, AccessShareLock))
		return NULL;
	rel = try_relation_open(relid, NoLock);
	if (rel == NULL)
		UnlockRelationOid(relid, AccessShareLock);
	return rel;
}

/* Has the current transaction that lock on a relation, or a stronger one? */
bool
idgen_relation_is_held(Oid relid, LOCKMODE lockmode)
{
	Relation rel = idgen_relation_open_at_once(relid);
	bool held = rel != NULL && CheckRelationLockedByMe(rel, lockmode, true);

	if (rel != NULL)
		relation_close(rel, AccessShareLock);
	return held;
}

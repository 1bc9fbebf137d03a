/*
 * epoch.c
 *		When a session has to look again at what it remembers.
 *
 * A session finds out once which id_sequences there is, who may draw, and what
 * a row says, and remembers it. The server tells each process of changes to the
 * catalogs, which these answers depend on; idgen_epoch counts them. An answer
 * is remembered together with the epoch in which it was found.
 */
#include "postgres.h"

#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/epoch.h"
#include "catalog/table.h"

uint64 idgen_epoch = 1;
uint64 idgen_table_epoch = 1;

/* The table's OID as looked up under table_oid_epoch. */
static Oid table_oid = InvalidOid;
static uint64 table_oid_epoch = 0;

/*
 * The native sequences that this session has found by name, as bits: several
 * share one, and at worst the session looks again for nothing. One stays noted
 * until the session ends: what is under way may depend on it.
 */
#define WATCHED_BITS 65536
static uint8 watched[WATCHED_BITS / 8];
static bool any_watched = false;

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
 * What the rows of names say may have changed, and with it which relations they
 * stand for: the current transaction has done that.
 */
void
idgen_relations_changed(void)
{
	if (any_watched)
		idgen_epoch++;
}

/*
 * From now on idgen_epoch counts changes of that native sequence, and what
 * idgen_relations_changed() tells. All that matters of a sequence changes its
 * entry in pg_class, too: ALTER SEQUENCE gives it another file. Another
 * sequence that is made later, and that the name would lead to by now, does not
 * matter: as with nextval(), the name was looked up once.
 */
void
idgen_watch_sequence(Oid relid)
{
	watched[relid % WATCHED_BITS / 8] |= 1 << relid % 8;
	any_watched = true;
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
		idgen_no_table();
	/* Its changes were not counted before. */
	if (found != table_oid)
		idgen_table_epoch++;
	table_oid = found;
	table_oid_epoch = epoch;
	return found;
}

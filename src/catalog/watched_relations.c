/*
 * watched_relations.c
 *		Which changes of relations concern this session.
 *
 * A session that draws from native sequences remembers what their names stand
 * for. The server tells it of each change of any relation's catalog entries, by
 * a hash value of the entry's key. Relations change all the time, temporary
 * tables above all, and to look at thousands of names again for each of them
 * would be most of what drawing costs. So the session notes the hash values of
 * the entries that it has looked at, or looked for in vain.
 *
 * They are noted as bits of an array, and several values share a bit: that is
 * small, and at worst the session looks again for nothing. A value stays noted
 * until the session ends: what is under way may depend on it.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "catalog/epoch.h"
#include "catalog/watched_relations.h"

/* Sizes of the array, in bits: 8 kB at first, 128 kB at most. */
#define IDGEN_FIRST_BITS (UINT32_C(1) << 16)
#define IDGEN_MOST_BITS  (UINT32_C(1) << 20)

/* The array gets larger when there are fewer bits than this for each value. */
#define IDGEN_BITS_PER_VALUE 8

/* Schemas of a search_path for which there is room without asking for it. */
#define IDGEN_FEW_SCHEMAS 16

static uint8 *bits = NULL;
static uint32 nbits = 0; /* a power of two; 0 if there is no array yet */
static uint32 nvalues = 0;

/*
 * This session's schema of temporary relations when names were noted last, or
 * invalid if it had none. It is searched first, and the server need not tell
 * that there is one.
 */
static Oid temp_schema = InvalidOid;

static Oid
get_temp_schema(void)
{
	Oid schema;
	Oid toast_schema;

	GetTempNamespaceState(&schema, &toast_schema);
	return schema;
}

static bool
is_noted(uint32 hashvalue)
{
	uint32 bit = hashvalue % nbits;

	return bits[bit / 8] & (1 << bit % 8);
}

static void
note(uint32 hashvalue)
{
	uint32 bit = hashvalue % nbits;

	if (is_noted(hashvalue))
		return;
	bits[bit / 8] |= 1 << bit % 8;
	nvalues++;
}

static void
note_name(const char *name, Oid schema)
{
	if (OidIsValid(schema))
		note(GetSysCacheHashValue2(RELNAMENSP, CStringGetDatum(name), ObjectIdGetDatum(schema)));
}

/*
 * See to it that the array is large enough. A larger one has all bits of the
 * smaller one, over and over: so each value is still noted.
 */
static void
make_room(void)
{
	uint32 more = nbits == 0 ? IDGEN_FIRST_BITS : nbits * 4;
	uint8 *larger;

	if (nvalues < nbits / IDGEN_BITS_PER_VALUE || more > IDGEN_MOST_BITS)
		return;
	larger = MemoryContextAllocZero(TopMemoryContext, more / 8);
	for (uint32 i = 0; bits != NULL && i < more; i += nbits)
		memcpy(larger + i / 8, bits, nbits / 8);
	if (bits != NULL)
		pfree(bits);
	bits = larger;
	nbits = more;
}

/* Note a name in all schemas that are searched, but that of temporary ones. */
static void
note_in_search_path(const char *name)
{
	Oid few[IDGEN_FEW_SCHEMAS];
	Oid *schemas = few;
	int n = fetch_search_path_array(few, IDGEN_FEW_SCHEMAS);

	if (n > IDGEN_FEW_SCHEMAS)
	{
		schemas = palloc(n * sizeof(Oid));
		n = Min(n, fetch_search_path_array(schemas, n));
	}
	for (int i = 0; i < n; i++)
		note_name(name, schemas[i]);
	if (schemas != few)
		pfree(schemas);
}

/*
 * From now on, changes matter that may have a name stand for another relation,
 * and changes of the one that it stands for. Called before the session looks
 * for it. Raises 42501 without a right to look into the schema.
 */
void
idgen_watch_name(const RangeVar *name)
{
	make_room();
	if (temp_schema != get_temp_schema())
	{
		temp_schema = get_temp_schema();
		if (nvalues > 0)
			idgen_epoch++; /* names that were found without it may be in there */
	}
	if (name->schemaname != NULL)
	{
		note_name(name->relname, LookupExplicitNamespace(name->schemaname, true));
		return;
	}
	note_name(name->relname, temp_schema);
	note_in_search_path(name->relname);
}

/*
 * From now on, changes of what that native sequence does matter. Its name is
 * watched already.
 */
void
idgen_watch_sequence(Oid relid)
{
	note(GetSysCacheHashValue1(SEQRELID, ObjectIdGetDatum(relid)));
}

/*
 * May a change of the catalog entry with that hash value matter; or, if it is
 * zero, of all of them?
 */
bool
idgen_is_watched(uint32 hashvalue)
{
	return nbits > 0 && (hashvalue == 0 || is_noted(hashvalue) || temp_schema != get_temp_schema());
}

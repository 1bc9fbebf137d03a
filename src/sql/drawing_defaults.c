/*
 * drawing_defaults.c
 *		The defaults that draw from id sequences, found by what they draw from.
 *
 * The server knows which defaults depend on the functions that draw, but not
 * from what they draw: that takes reading them. A session reads all of them
 * when it first asks, and remembers what they draw from. From then on, the
 * server's invalidation messages say which tables and types have changed, and
 * only their defaults are read again. So to drop one table after the other
 * costs each of them the same, however many others there are.
 *
 * A change of a default always has the table's relcache entry invalidated, and
 * one of a domain's default its entry in pg_type. The messages of the current
 * transaction's own changes come at the end of each command, and once more when
 * it is rolled back. So what was read of uncommitted changes is read again.
 *
 * Nothing can fail in a callback: it notes the change in an array of fixed
 * size. When that is full, all defaults are read again.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "common/compat.h"
#include "sql/column_default.h"
#include "sql/dependants.h"
#include "sql/drawing_defaults.h"

/* A default that draws. */
typedef struct Use
{
	dlist_node of_object;
	dlist_node of_name;
	IdgenDrawingDefault says;
	char strings[FLEXIBLE_ARRAY_MEMBER]; /* that it points to */
} Use;

/* The uses by the defaults of a table or domain, or of names with that hash. */
typedef struct Uses
{
	uint64 key; /* see key_of_object(), key_of_name() */
	dlist_head uses;
} Uses;

typedef enum State
{
	NOT_READ, /* or not all, because of an error or too many changes */
	READ,
} State;

/* How many tables, and types, are noted as changed before all is read again. */
#define MAX_CHANGES 1024

/* What this session knows. */
static struct
{
	State state;
	MemoryContext context; /* for all below; NULL as long as nobody has asked */
	List *functions;       /* see idgen_drawing_functions() */
	HTAB *by_object;       /* of Uses */
	HTAB *by_name;         /* of Uses */
} known;

/* What has changed since. */
static struct
{
	bool too_many;
	int n_relations;
	int n_types;
	Oid relations[MAX_CHANGES];
	uint32 types[MAX_CHANGES]; /* hash values of their OIDs */
} changes;

/*
 * What has changed
 */

static void
relation_changed(Datum arg, Oid relid)
{
	if (changes.n_relations > 0 && changes.relations[changes.n_relations - 1] == relid)
		return;
	if (OidIsValid(relid) && changes.n_relations < MAX_CHANGES)
		changes.relations[changes.n_relations++] = relid;
	else
		changes.too_many = true;
}

static void
type_changed(Datum arg, int cacheid, uint32 hash)
{
	if (hash != 0 && changes.n_types < MAX_CHANGES)
		changes.types[changes.n_types++] = hash;
	else
		changes.too_many = true;
}

/*
 * The type with that hash value in the cache of types, or invalid. The server
 * computes the value by murmurhash32(), which loses nothing, so it can be
 * computed back. The answer is checked, in case that another version has
 * another function.
 */
static Oid
type_of_hash(uint32 hash)
{
	uint32 oid = hash;

	oid ^= oid >> 16;
	oid *= 0x7ed1b41d;
	oid ^= (oid >> 13) ^ (oid >> 26);
	oid *= 0xa5cb9243;
	oid ^= oid >> 16;
	return GetSysCacheHashValue1(TYPEOID, ObjectIdGetDatum(oid)) == hash ? (Oid) oid : InvalidOid;
}

/*
 * What is known
 */

static uint64
key_of_object(Oid class_id, Oid object_id)
{
	return ((uint64) class_id << 32) | object_id;
}

/* The name is NULL for all that are no constants: nothing else is empty. */
static uint64
key_of_name(const char *name)
{
	return name != NULL ? hash_bytes_extended((const unsigned char *) name, strlen(name), 0) : 0;
}

/* The uses under a key, made if there are none yet. */
static Uses *
get_uses(HTAB *table, uint64 key)
{
	bool found;
	Uses *entry = hash_search(table, &key, HASH_ENTER, &found);

	if (!found)
		dlist_init(&entry->uses);
	return entry;
}

/* Copy a string, which may be NULL, to *to, and move that behind it. */
static const char *
copy_string(char **to, const char *string)
{
	char *copy = *to;

	if (string == NULL)
		return NULL;
	strcpy(copy, string);
	*to += strlen(string) + 1;
	return copy;
}

static Size
size_of_string(const char *string)
{
	return string != NULL ? strlen(string) + 1 : 0;
}

static void
add_use(const ObjectAddress *object, const IdgenDrawCall *call)
{
	Uses *of_object = get_uses(known.by_object, key_of_object(object->classId, object->objectId));
	Uses *of_name = get_uses(known.by_name, key_of_name(call->name));
	Use *use = MemoryContextAlloc(known.context, offsetof(Use, strings) + size_of_string(call->name) + size_of_string(call->source));
	char *to = use->strings;

	use->says.object = *object;
	use->says.call = *call;
	use->says.call.name = copy_string(&to, call->name);
	use->says.call.source = copy_string(&to, call->source);
	dlist_push_tail(&of_object->uses, &use->of_object);
	dlist_push_tail(&of_name->uses, &use->of_name);
}

/* Forget what the defaults of a table or domain draw from. */
static void
forget_object(Oid class_id, Oid object_id)
{
	uint64 key = key_of_object(class_id, object_id);
	Uses *of_object = hash_search(known.by_object, &key, HASH_FIND, NULL);
	dlist_mutable_iter iter;

	if (of_object == NULL)
		return;
	dlist_foreach_modify(iter, &of_object->uses)
	{
		Use *use = dlist_container(Use, of_object, iter.cur);
		uint64 name_key = key_of_name(use->says.call.name);
		Uses *of_name = hash_search(known.by_name, &name_key, HASH_FIND, NULL);

		dlist_delete(&use->of_name);
		if (dlist_is_empty(&of_name->uses))
			hash_search(known.by_name, &name_key, HASH_REMOVE, NULL);
		pfree(use);
	}
	hash_search(known.by_object, &key, HASH_REMOVE, NULL);
}

/* Begin anew, knowing nothing. */
static void
forget_all(List *functions)
{
	HASHCTL control = {.keysize = sizeof(uint64), .entrysize = sizeof(Uses)};
	MemoryContext caller;

	if (known.context == NULL)
	{
		known.context = AllocSetContextCreate(TopMemoryContext, "idgen drawing defaults",
		                                      ALLOCSET_DEFAULT_SIZES);
		CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
		CacheRegisterSyscacheCallback(TYPEOID, type_changed, (Datum) 0);
	}
	known.state = NOT_READ;
	MemoryContextReset(known.context);
	control.hcxt = known.context;
	known.by_object = hash_create("idgen drawing defaults by object", 256, &control,
	                              HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	known.by_name = hash_create("idgen drawing defaults by name", 256, &control,
	                            HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	caller = MemoryContextSwitchTo(known.context);
	known.functions = list_copy(functions);
	MemoryContextSwitchTo(caller);
	changes.too_many = false;
	changes.n_relations = 0;
	changes.n_types = 0;
}

/*
 * Reading defaults
 */

static void
add_default(const ObjectAddress *object, Node *expr)
{
	ListCell *cell;

	foreach(cell, idgen_default_calls(expr, known.functions))
		add_use(object, lfirst(cell));
}

/* Read the entries of pg_attrdef with that OID in that column. */
static void
read_columns(AttrNumber attnum, Oid index, Oid value)
{
	Relation rel = table_open(AttrDefaultRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, attnum, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(value));
	scan = systable_beginscan(rel, index, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_attrdef form = (Form_pg_attrdef) GETSTRUCT(tuple);
		bool isnull;
		Datum adbin = heap_getattr(tuple, Anum_pg_attrdef_adbin, RelationGetDescr(rel), &isnull);
		ObjectAddress column;

		ObjectAddressSubSet(column, RelationRelationId, form->adrelid, form->adnum);
		add_default(&column, (Node *) stringToNode(TextDatumGetCString(adbin)));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
}

/* Read the default of a type, if it is a domain. */
static void
read_domain(Oid type)
{
	ObjectAddress domain;

	if (get_typtype(type) != TYPTYPE_DOMAIN)
		return;
	ObjectAddressSet(domain, TypeRelationId, type);
	add_default(&domain, idgen_domain_default(type));
}

/* Read all defaults that depend on the functions that draw. */
static void
read_all(List *functions, MemoryContext scratch)
{
	ListCell *function;
	ListCell *cell;

	forget_all(functions);
	foreach(function, functions)
	{
		foreach(cell, idgen_dependants(ProcedureRelationId, lfirst_oid(function)))
		{
			const ObjectAddress *user = lfirst(cell);
			MemoryContext caller = MemoryContextSwitchTo(scratch);

			if (user->classId == AttrDefaultRelationId)
				read_columns(Anum_pg_attrdef_oid, AttrDefaultOidIndexId, user->objectId);
			else if (user->classId == TypeRelationId)
				read_domain(user->objectId);
			MemoryContextSwitchTo(caller);
			MemoryContextReset(scratch);
			CHECK_FOR_INTERRUPTS();
		}
	}
	known.state = READ;
}

static void
read_changed_relation(Oid relid)
{
	forget_object(RelationRelationId, relid);
	read_columns(Anum_pg_attrdef_adrelid, AttrDefaultIndexId, relid);
}

static void
read_changed_type(uint32 hash)
{
	Oid type = type_of_hash(hash);

	if (OidIsValid(type))
	{
		forget_object(TypeRelationId, type);
		read_domain(type);
	}
	else
		changes.too_many = true;
}

/* Read what has changed. If that fails halfway, all is read next time. */
static void
read_changes(MemoryContext scratch)
{
	MemoryContext caller = MemoryContextSwitchTo(scratch);

	known.state = NOT_READ;
	while (changes.n_relations > 0)
		read_changed_relation(changes.relations[--changes.n_relations]);
	while (changes.n_types > 0)
		read_changed_type(changes.types[--changes.n_types]);
	known.state = READ;
	MemoryContextSwitchTo(caller);
	MemoryContextReset(scratch);
}

/*
 * Know what is true now, for the answers that follow. More may change while a
 * session reads.
 */
void
idgen_defaults_look(Oid idgen_schema)
{
	List *functions = idgen_drawing_functions(idgen_schema);
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "idgen defaults being read",
	                                              ALLOCSET_DEFAULT_SIZES);

	AcceptInvalidationMessages();
	for (;;)
	{
		if (known.state != READ || changes.too_many || !equal(known.functions, functions))
			read_all(functions, scratch);
		else if (changes.n_relations > 0 || changes.n_types > 0)
			read_changes(scratch);
		else
			break;
	}
	MemoryContextDelete(scratch);
}

/*
 * Answers, as of the last look: lists of palloc'd IdgenDrawingDefaults, sorted
 */

static int
compare_defaults(const ListCell *a, const ListCell *b)
{
	const ObjectAddress *x = &((const IdgenDrawingDefault *) lfirst(a))->object;
	const ObjectAddress *y = &((const IdgenDrawingDefault *) lfirst(b))->object;

	if (x->classId != y->classId)
		return x->classId < y->classId ? -1 : 1;
	if (x->objectId != y->objectId)
		return x->objectId < y->objectId ? -1 : 1;
	return x->objectSubId - y->objectSubId;
}

/* Add a copy: what is known may go while the caller uses it. */
static List *
add_copy(List *found, const Use *use)
{
	const IdgenDrawCall *call = &use->says.call;
	IdgenDrawingDefault *copy = palloc(sizeof(IdgenDrawingDefault));

	*copy = use->says;
	copy->call.name = call->name != NULL ? pstrdup(call->name) : NULL;
	copy->call.source = call->source != NULL ? pstrdup(call->source) : NULL;
	return lappend(found, copy);
}

/* The columns and domains whose defaults draw from the id sequence. */
List *
idgen_defaults_from(const char *name)
{
	uint64 key = key_of_name(name);
	Uses *of_name = hash_search(known.by_name, &key, HASH_FIND, NULL);
	List *found = NIL;
	dlist_iter iter;

	if (of_name == NULL)
		return NIL;
	dlist_foreach(iter, &of_name->uses)
	{
		const Use *use = dlist_container(Use, of_name, iter.cur);

		if (use->says.call.name != NULL && strcmp(use->says.call.name, name) == 0)
			found = add_copy(found, use);
	}
	list_sort(found, compare_defaults);
	return found;
}

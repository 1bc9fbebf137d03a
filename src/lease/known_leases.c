/*
 * known_leases.c
 *		The leases of node numbers that this server remembers.
 *
 * They are in table idgen_leases of idgen.node_database, in the same WAL as
 * id_sequences: a standby that is promoted knows what its primary has leased,
 * and a copy of the server knows what was leased when it was made. So whoever
 * shows the centre the last token also has the last state of the id sequences.
 * (A file in the data directory was turned down: pg_rewind replaces it, and a
 * promoted standby would have an old one.)
 *
 * A lease that was taken in this directory since the machine was started is one
 * whose holder is dead: no other server runs in the same directory. Of others
 * nobody knows, and a copy of a server may run beside it.
 *
 * The table is read and written as its owner, by statements that find nothing
 * but what is in pg_catalog. Rows of another system identifier do not count:
 * logical replication may have brought them.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "common/as_owner.h"
#include "common/guc.h"
#include "common/id_time.h"
#include "lease/known_leases.h"

/* Where Linux names the current start of the machine. */
#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"

/* A UUID has 36 characters there. */
#define BOOT_ID_LENGTH 36

/*
 * The schema of the extension in this database. Raises 42704 if there is no
 * extension.
 */
Oid
idgen_leases_find_schema(void)
{
	Oid schema = InvalidOid;
	bool isnull;

	SPI_connect();
	if (SPI_execute("SELECT extnamespace FROM pg_catalog.pg_extension WHERE extname OPERATOR(pg_catalog.=) 'idgen'",
	                true, 1) == SPI_OK_SELECT &&
	    SPI_processed > 0)
		schema = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	SPI_finish();
	if (!OidIsValid(schema))
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_OBJECT),
		         errmsg("extension \"idgen\" does not exist in database \"%s\"", idgen_node_database),
		         errhint("Create it there, or set idgen.node_database.")));
	return schema;
}

/* The role whose user mapping leads to the centre: that of id_sequences. */
Oid
idgen_leases_owner(Oid schema)
{
	Oid owner = idgen_owner_of(get_relname_relid("id_sequences", schema));

	if (!OidIsValid(owner))
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_TABLE),
		         errmsg("table \"id_sequences\" of extension \"idgen\" does not exist")));
	return owner;
}

/* The current start of the machine; empty if the system does not name it. */
static const char *
boot_id(void)
{
	char *id = palloc0(BOOT_ID_LENGTH + 1);
	int fd = OpenTransientFile(BOOT_ID_FILE, O_RDONLY | PG_BINARY);

	if (fd < 0)
		return id;
	if (read(fd, id, BOOT_ID_LENGTH) != BOOT_ID_LENGTH)
		id[0] = '\0';
	CloseTransientFile(fd);
	return id;
}

/*
 * Names this directory as long as the machine runs; NULL if that cannot be
 * done. A copy of the directory has another inode.
 */
static const char *
current_place(void)
{
	const char *boot = boot_id();
	struct stat directory;

	if (boot[0] == '\0' || stat(DataDir, &directory) != 0)
		return NULL;
	return psprintf("%s %llu %llu", boot, (unsigned long long) directory.st_dev,
	                (unsigned long long) directory.st_ino);
}

/*
 * Run a statement on idgen_leases, which "%s" in it stands for, with two
 * parameters: the system identifier, and the place. The SPI is connected.
 */
static void
run(Oid schema, const char *format, int expected)
{
	const char *place = current_place();
	char *table = quote_qualified_identifier(get_namespace_name(schema), "idgen_leases");
	Oid types[] = {INT8OID, TEXTOID};
	Datum values[] = {
		Int64GetDatum((int64) GetSystemIdentifier()),
		place != NULL ? CStringGetTextDatum(place) : (Datum) 0,
	};
	const char *nulls = place != NULL ? "  " : " n";
	Oid owner = idgen_owner_of(get_relname_relid("idgen_leases", schema));
	IdgenIdentity before;

	if (!OidIsValid(owner))
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_TABLE),
		         errmsg("table \"idgen_leases\" of extension \"idgen\" does not exist")));
	idgen_act_as(owner, &before);
	if (SPI_execute_with_args(psprintf(format, table), lengthof(types), types, values, nulls,
	                          expected == SPI_OK_SELECT, 0) != expected)
		elog(ERROR, "unexpected result on table %s", table);
	idgen_act_as_before(&before);
}

/* A column of the first row as text; NULL if it is null. */
static const char *
text_column(int column)
{
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column);
}

/* All leases that are remembered. They are in the current memory context. */
IdgenKnownLeases
idgen_leases_read(Oid schema)
{
	MemoryContext context = CurrentMemoryContext;
	IdgenKnownLeases known;

	SPI_connect();
	run(schema, "SELECT coalesce(array_agg(number ORDER BY renewed_at DESC), '{}')::text,"
	            " coalesce(array_agg(CASE WHEN place = $2 THEN holder END ORDER BY renewed_at DESC), '{}')::text,"
	            " coalesce(array_agg(token ORDER BY renewed_at DESC), '{}')::text,"
	            " coalesce(array_agg(renewals ORDER BY renewed_at DESC), '{}')::text"
	            " FROM %s WHERE system_identifier = $1",
	    SPI_OK_SELECT);
	known = (IdgenKnownLeases){
		.numbers = MemoryContextStrdup(context, text_column(1)),
		.holders = MemoryContextStrdup(context, text_column(2)),
		.tokens = MemoryContextStrdup(context, text_column(3)),
		.renewals = MemoryContextStrdup(context, text_column(4)),
	};
	SPI_finish();
	return known;
}

/*
 * The lease that a server which has run in this directory just now has left,
 * if it is good still. Nobody else can have the number before it ends.
 */
bool
idgen_leases_read_left(Oid schema, IdgenLease *lease)
{
	bool found;

	SPI_connect();
	run(schema, "SELECT number::bigint, until_ms, boot_until FROM %s"
	            " WHERE system_identifier = $1 AND place = $2 ORDER BY renewed_at DESC LIMIT 1",
	    SPI_OK_SELECT);
	found = SPI_processed > 0;
	if (found)
		*lease = (IdgenLease){
			.number = strtol(text_column(1), NULL, 10),
			.until = idgen_from_unix_ms(strtoll(text_column(2), NULL, 10)),
			.boot_until = strtoll(text_column(3), NULL, 10),
		};
	SPI_finish();
	return found && idgen_lease_is_good(lease);
}

/* Remember a lease. It is on disk when the transaction has committed. */
void
idgen_leases_write(Oid schema, const IdgenGrant *grant)
{
	const IdgenLease *lease = &grant->lease;

	SPI_connect();
	run(schema, psprintf("INSERT INTO %%s AS l (number, system_identifier, place, holder, token, renewals, renewed_at, until_ms, boot_until)"
	                     " VALUES (%d, $1, $2, '%s', '%s', " INT64_FORMAT ", clock_timestamp(), " INT64_FORMAT ", " INT64_FORMAT ")"
	                     " ON CONFLICT (number) DO UPDATE SET system_identifier = excluded.system_identifier,"
	                     " place = excluded.place, holder = excluded.holder, token = excluded.token, renewals = excluded.renewals,"
	                     " renewed_at = excluded.renewed_at, until_ms = excluded.until_ms, boot_until = excluded.boot_until",
	                     lease->number, grant->holder, grant->token, grant->renewals, idgen_unix_ms(lease->until), lease->boot_until),
	    SPI_OK_INSERT);
	SPI_finish();
}

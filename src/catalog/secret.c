/*
 * secret.c
 *		Table idgen_secrets, and the keys of scrambled ids.
 *
 * A row of id_sequences that scrambles its ids has a salt, which everybody may
 * read. Its key is HMAC-SHA256 of the salt (RFC 2104) by a secret, which nobody
 * but the owner of table idgen_secrets may read. So the key goes where the row
 * goes: nothing is to be done when a row is renamed, deleted, restored or
 * replicated. A salt begins with the fingerprint of its secret, 8 bytes of
 * SHA-256. So where there are several secrets the right one is found, and
 * another one is never taken for it.
 *
 * Two transactions may make a secret at the same time. Both stay.
 *
 * The table is read and written directly, as logical replication does: whoever
 * draws, or writes a row of id_sequences, needs no privilege on it. (By SQL, a
 * secret would be a parameter, and a module such as auto_explain could write it
 * to the log.) row_code.c says what runs of what stands on the table.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/tableam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "common/hmac.h"
#include "common/sha2.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "catalog/layout.h"
#include "catalog/row.h"
#include "catalog/row_write.h"
#include "catalog/scramble.h"
#include "catalog/secret.h"
#include "catalog/source.h"
#include "catalog/table.h"
#include "common/compat.h"

/* The columns of idgen_secrets. */
#define ATT_FINGERPRINT 1
#define ATT_SECRET      2

/*
 * In the table, zeros precede a secret, so that it gets into no message: of a
 * row, the server shows 64 characters of each column, and of a line that is
 * copied, 100.
 */
#define SECRET_ZEROS 48
#define SECRET_BYTES (SECRET_ZEROS + 32)

/* Open idgen_secrets. Raises what idgen_other_table_open() does. */
static Relation
open_secrets(Oid id_sequences, LOCKMODE lockmode)
{
	static const Oid types[] = {
		[ATT_FINGERPRINT - 1] = BYTEAOID,
		[ATT_SECRET - 1] = BYTEAOID,
	};

	return idgen_other_table_open(id_sequences, "idgen_secrets", types, lengthof(types), lockmode);
}

/*
 * May the current user read the secrets? Such a user could compute any key, so
 * may choose a salt, too.
 */
bool
idgen_may_read_secrets(Oid id_sequences)
{
	return pg_class_aclcheck(idgen_table_beside(id_sequences, "idgen_secrets"), GetUserId(), ACL_SELECT) == ACLCHECK_OK;
}

static void
fill_random(void *bytes, size_t size)
{
	if (!pg_strong_random(bytes, size))
		ereport(ERROR,
		        (errcode(ERRCODE_INTERNAL_ERROR),
		         errmsg("could not generate random values")));
}

/* The fingerprint of a secret, as it is stored: the first bytes of SHA-256. */
static Datum
fingerprint_of(Datum secret)
{
	return DirectFunctionCall3(bytea_substr, DirectFunctionCall1(sha256_bytea, secret),
	                           Int32GetDatum(1), Int32GetDatum(IDGEN_FINGERPRINT_BYTES));
}

/*
 * Is the row in the slot a secret, with that fingerprint unless it is NULL? One
 * whose fingerprint is another than its own is none: the owner may have
 * switched the table's constraints off.
 */
static bool
is_secret(TupleTableSlot *slot, const void *fingerprint)
{
	bool isnull;
	Datum secret = slot_getattr(slot, ATT_SECRET, &isnull);
	const bytea *own;

	if (isnull || fingerprint == NULL)
		return !isnull;
	own = DatumGetByteaPP(fingerprint_of(secret));
	return memcmp(VARDATA_ANY(own), fingerprint, IDGEN_FINGERPRINT_BYTES) == 0;
}

/*
 * Find a secret, that with a fingerprint, or any if that is NULL. It is put
 * into the slot. There is one as a rule, or a few, so all are looked at.
 */
static bool
find_secret(Relation secrets, const void *fingerprint, TupleTableSlot *slot)
{
	TableScanDesc scan = table_beginscan(secrets, SnapshotSelf, 0, NULL, SO_NONE);
	bool found = false;

	while (!found && table_scan_getnextslot(scan, ForwardScanDirection, slot))
		found = is_secret(slot, fingerprint);
	if (found)
		ExecMaterializeSlot(slot);
	table_endscan(scan);
	return found;
}

/*
 * Make a secret, as the owner of the table, with null in the owner's columns;
 * and return its fingerprint. Raises XX000 if there are no random numbers, and
 * what the owner has put on the table raises.
 */
static Datum
make_secret(Relation secrets)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(RelationGetDescr(secrets), &TTSOpsVirtual);
	bytea *secret = palloc0(VARHDRSZ + SECRET_BYTES);
	Datum fingerprint;

	SET_VARSIZE(secret, VARHDRSZ + SECRET_BYTES);
	fill_random(VARDATA(secret) + SECRET_ZEROS, SECRET_BYTES - SECRET_ZEROS);
	fingerprint = fingerprint_of(PointerGetDatum(secret));
	ExecStoreAllNullTuple(slot);
	idgen_row_put(slot, ATT_FINGERPRINT, fingerprint);
	idgen_row_put(slot, ATT_SECRET, PointerGetDatum(secret));
	idgen_row_insert_other(secrets, slot);
	ExecDropSingleTupleTableSlot(slot);
	return fingerprint;
}

/* The fingerprint of a secret: of one that there is, or of a new one. */
static Datum
some_fingerprint(Oid id_sequences)
{
	Relation secrets = open_secrets(id_sequences, RowExclusiveLock);
	TupleTableSlot *slot = table_slot_create(secrets, NULL);
	bool isnull;
	Datum fingerprint;

	/* What this very command has written must count as past. */
	CommandCounterIncrement();
	if (find_secret(secrets, NULL, slot))
		fingerprint = fingerprint_of(slot_getattr(slot, ATT_SECRET, &isnull));
	else
		fingerprint = make_secret(secrets);
	ExecDropSingleTupleTableSlot(slot);
	table_close(secrets, NoLock);
	return fingerprint;
}

/*
 * Does a row need a salt? Not if nothing is drawn from it itself, but from
 * others that are made from it.
 */
bool
idgen_row_needs_salt(TupleTableSlot *row)
{
	const char *layout = idgen_row_string(row, IDGEN_ATT_LAYOUT);
	const char *name;

	if (layout == NULL || strcmp(layout, idgen_layout_scrambled.name) != 0 ||
	    !slot_attisnull(row, IDGEN_ATT_PERIOD))
		return false;
	name = idgen_row_string(row, IDGEN_ATT_NAME);
	return name != NULL && !idgen_is_template_name(name);
}

/*
 * Give a salt of its own to a row that is about to be written, in a virtual
 * slot. Raises 55000 if the source is another server: all nodes need the same
 * one. Raises what make_secret() does.
 */
void
idgen_give_salt(Oid id_sequences, TupleTableSlot *row)
{
	const IdgenSource *source = idgen_source_get(idgen_row_string(row, IDGEN_ATT_SOURCE));
	bytea *salt = palloc(VARHDRSZ + IDGEN_SALT_BYTES);
	bytea *fingerprint;

	if (source->is_remote)
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("id sequence \"%s\" needs the salt that it has on other servers",
		                idgen_row_string(row, IDGEN_ATT_NAME)),
		         errdetail("With source \"%s\", other servers issue ids of the same sequence, which all need the same salt and secret.", source->name),
		         errhint("Copy the row of \"idgen_secrets\" from the centre, and insert the row into \"id_sequences\" with the salt that it has there.")));
	fingerprint = DatumGetByteaPP(some_fingerprint(id_sequences));
	SET_VARSIZE(salt, VARHDRSZ + IDGEN_SALT_BYTES);
	memcpy(VARDATA(salt), VARDATA_ANY(fingerprint), IDGEN_FINGERPRINT_BYTES);
	fill_random(VARDATA(salt) + IDGEN_FINGERPRINT_BYTES, IDGEN_SALT_BYTES - IDGEN_FINGERPRINT_BYTES);
	idgen_row_put(row, IDGEN_ATT_SALT, PointerGetDatum(salt));
}

/* The key, of IDGEN_KEY_BYTES: the beginning of HMAC-SHA256 of the salt. */
static void
compute_key(const bytea *secret, const bytea *salt, uint8 *key)
{
	uint8 digest[PG_SHA256_DIGEST_LENGTH];
	pg_hmac_ctx *hmac = pg_hmac_create(PG_SHA256);

	if (hmac == NULL ||
	    pg_hmac_init(hmac, (const uint8 *) VARDATA_ANY(secret), VARSIZE_ANY_EXHDR(secret)) < 0 ||
	    pg_hmac_update(hmac, (const uint8 *) VARDATA_ANY(salt), VARSIZE_ANY_EXHDR(salt)) < 0 ||
	    pg_hmac_final(hmac, digest, sizeof(digest)) < 0)
		ereport(ERROR,
		        (errcode(ERRCODE_INTERNAL_ERROR),
		         errmsg("could not compute the key of an id sequence"),
		         errdetail_internal("%s", pg_hmac_error(hmac))));
	pg_hmac_free(hmac);
	memcpy(key, digest, IDGEN_KEY_BYTES);
}

/*
 * The key of a row, of IDGEN_KEY_BYTES. Returns false if it has no salt, or if
 * the secret of its salt is not there. Raises 42P01 or 55000 for what its owner
 * has made of idgen_secrets.
 */
bool
idgen_key_of_row(Oid id_sequences, TupleTableSlot *row, uint8 *key)
{
	bool isnull;
	Datum value = slot_getattr(row, IDGEN_ATT_SALT, &isnull);
	bytea *salt = isnull ? NULL : DatumGetByteaPP(value);
	Relation secrets = open_secrets(id_sequences, AccessShareLock);
	TupleTableSlot *slot = table_slot_create(secrets, NULL);
	bool found = salt != NULL && VARSIZE_ANY_EXHDR(salt) == IDGEN_SALT_BYTES &&
		find_secret(secrets, VARDATA_ANY(salt), slot);

	if (found)
		compute_key(DatumGetByteaPP(slot_getattr(slot, ATT_SECRET, &isnull)), salt, key);
	ExecDropSingleTupleTableSlot(slot);
	table_close(secrets, AccessShareLock);
	return found;
}

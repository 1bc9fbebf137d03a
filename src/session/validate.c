/*
 * validate.c
 *		Making sure that what a handle knows is true.
 *
 * Every call has to know: may the user draw, does the row exist and what does
 * it say, what does its source name, and where is the place in the cache? The
 * handle keeps the answers (IdgenFound), and with them what tells that they
 * still hold: idgen_epoch, the version of the slot, the user and, if it
 * matters, search_path. The draw compares the version once more, under the
 * slot's lock.
 *
 * There is one way to valid answers, idgen_handle_validate(), which every call
 * begins with, and which looks only if it has to. Answers are found on the side
 * and then replace the old ones as a whole: nothing of these can be left over,
 * and if looking fails, the handle has the old ones, marked as not valid. (To
 * set field after field in the handle was turned down: after an error it
 * described half an id sequence.)
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/inval.h"

#include "catalog/privileges.h"
#include "catalog/row.h"
#include "catalog/secret.h"
#include "catalog/table.h"
#include "session/handle.h"
#include "session/validate.h"
#include "session/xact.h"

/* Raises 22023: the row says something else than the caller. */
static void
wrong_source(const IdgenHandle *handle, const IdgenSource *source, const IdgenSource *asked)
{
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("id sequence \"%s\" has source \"%s\", not \"%s\"",
	                handle->name, source->name, asked->name),
	         errhint("Leave the source out, or change it in \"id_sequences\".")));
}

/*
 * If the layout scrambles, find the key. Where there is none, there may be one
 * at the next look, and nobody will tell.
 */
static void
find_key(const IdgenHandle *handle, IdgenFound *found, TupleTableSlot *row)
{
	uint8 key[IDGEN_KEY_BYTES];

	if (!found->row.layout->scrambled)
		return;
	if (idgen_key_of_row(handle->relid, row, key))
	{
		found->scramble = palloc(sizeof(IdgenScramble));
		idgen_scramble_init(found->scramble, key, Max(found->greatest_value, 1));
		return;
	}
	found->greatest_value = 0; /* nothing fits */
	found->remember = false;
}

/* Note what the row says. Raises what a bad row deserves. */
static void
note_row(const IdgenHandle *handle, IdgenFound *found, TupleTableSlot *row)
{
	idgen_definition_from_row(row, handle->name, &found->row);
	found->has_row = true;
	found->own_row = !found->unmade && idgen_row_is_own(row);
	idgen_layout_limits(found->row.layout, found->row.max_value, &found->least_value, &found->greatest_value);
	found->format = found->row.format != NULL ? idgen_format_parse(found->row.format) : NULL;
}

/*
 * Is the row the child of a row with periods, named after one of them, as far
 * as its name and its column "template" tell? A row that was made by hand, with
 * that name, is one as well; but one that a template was asked for is something
 * else, of which the name only looks like that.
 */
static bool
is_of_periods(const IdgenHandle *handle, TupleTableSlot *row)
{
	const char *slash = strrchr(handle->name, '/');
	char *made_from = idgen_row_string(row, IDGEN_ATT_TEMPLATE);

	if (slash == NULL || made_from == NULL)
		return slash != NULL;
	return strlen(made_from) == (size_t) (slash - handle->name) &&
		strncmp(made_from, handle->name, slash - handle->name) == 0;
}

/* Raises 55000: the row is no child of the row with periods. */
static void
not_of_periods(const IdgenHandle *handle, const IdgenHandle *parent, TupleTableSlot *row)
{
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("id sequence \"%s\" does not belong to \"%s\"", handle->name, parent->name),
	         errdetail("It was made from \"%s\".", idgen_row_string(row, IDGEN_ATT_TEMPLATE)),
	         errhint("Rename one of the two, or set column \"template\" to \"%s\".", parent->name)));
}

/*
 * Look for the row, if the user may see it, and make one if the call does.
 * Raises 22023 if it has another source than the call asks for, and 55000 if a
 * row with periods is to draw from it, and may not.
 */
static void
look_at_row(IdgenHandle *handle, const IdgenCall *call, IdgenFound *found)
{
	IdgenRow row;
	bool changes_are_told = !RecoveryInProgress(); /* of a row that is read from here on */
	bool there;

	/* What policies say of a row may change from call to call. */
	there = idgen_open_or_make_row(&row, handle, call, found);
	found->remember = changes_are_told && (!there || idgen_rows_all_visible(handle->relid));
	if (there && idgen_row_visible(row.rel, row.slot))
	{
		note_row(handle, found, row.slot);
		if (call->asked != NULL && call->asked != found->row.source && !call->asked_without_row)
			wrong_source(handle, found->row.source, call->asked);
		found->for_periods = is_of_periods(handle, row.slot);
		if (call->parent != NULL && !found->for_periods)
			not_of_periods(handle, call->parent, row.slot);
		if (found->row.period == IDGEN_PERIOD_NONE)
			find_key(handle, found, row.slot);
		found->change_is_told = !found->unmade && !found->own_row &&
			!TransactionIdIsValid(idgen_row_holder(row.slot)) && idgen_table_tells_changes(row.rel);
	}
	if (found->unmade)
		found->remember = false;
	idgen_row_close(&row);
}

/*
 * Note what a row of that source says that says nothing of its own, or would
 * say if there were one.
 */
static void
note_nothing_special(IdgenFound *found, const IdgenSource *source)
{
	found->row = (IdgenDefinition){
		.source = source,
		.block_size = 1,
		.max_value = PG_INT64_MAX,
		.layout = &idgen_layout_plain,
	};
	idgen_layout_limits(found->row.layout, found->row.max_value, &found->least_value, &found->greatest_value);
}

/*
 * Nothing is drawn from a row with periods itself. Otherwise have the source
 * find what its name stands for; or have it look at the object that another
 * session has found, if that is valid. What only this session can see, no
 * worker can refill: the session does so itself.
 */
static void
resolve(const IdgenHandle *handle, IdgenFound *found, Oid object)
{
	ErrorContextCallback context;

	if (found->row.period != IDGEN_PERIOD_NONE)
		return;
	if (found->row.source->resolve)
	{
		idgen_refill_context_push(handle->name, &context);
		found->row.source->resolve(handle, found, object);
		error_context_stack = context.previous;
	}

	if (!idgen_cache_is_shared())
		found->row.watermark = false; /* this session has nobody to tell of its ids */
	if (found->temporary || found->uncommitted ||
	    (found->own_row && !found->row.source->locks_row))
		found->row.refill = IDGEN_REFILL_TRANSACTION;
}

/*
 * Look at the row and at what its source draws from. Raises 42704 if there is
 * no row that the user may see (a role without the right to see it must not
 * learn that it exists), unless the source that the call asks for needs none;
 * and 22023 for the name of a template, be there one or not.
 */
static void
look(IdgenHandle *handle, const IdgenCall *call, IdgenFound *found)
{
	if (idgen_is_template_name(handle->name))
		idgen_refuse_template(handle->name);
	memset(found, 0, sizeof(IdgenFound));
	look_at_row(handle, call, found);
	if (!found->has_row)
	{
		if (call->asked == NULL || !call->asked->has_object)
			idgen_no_such_sequence(handle->relid, handle->name, call->asked);
		note_nothing_special(found, call->asked);
	}
	resolve(handle, found, InvalidOid);
}

/*
 * May the handle rely on what another session has found the row to say? Only
 * for its first look: who looks again has reason to. And if row security hides
 * some rows from the user, each has to be looked at. What the row was made from
 * is not known of it.
 */
static bool
known_row_will_do(const IdgenHandle *handle, const IdgenCall *call, const IdgenKnownRow *row)
{
	return row->known && call->known_row_ok && call->parent == NULL && handle->found.row.source == NULL &&
		(call->asked == NULL || call->asked == &idgen_source_table) &&
		idgen_changes_leave_row(handle) && idgen_rows_all_visible(handle->relid);
}

/* Note what an ordinary row says of which that much is known. */
static void
take_known_row(IdgenFound *found, const IdgenKnownRow *row)
{
	memset(found, 0, sizeof(IdgenFound));
	note_nothing_special(found, &idgen_source_table);
	found->has_row = true;
	found->remember = true;
	found->row.block_size = row->block_size;
	found->row.refill = row->refill;
}

/*
 * Let other sessions know what was found in the row, if that is an ordinary one
 * and holds for all.
 */
static void
share_row(const IdgenHandle *handle, const IdgenFound *found)
{
	const IdgenKnownRow row = {true, found->row.block_size, found->row.refill};

	if (found->remember && found->has_row && found->change_is_told && found->row.source == &idgen_source_table &&
	    found->row.source_name == NULL && found->row.layout == &idgen_layout_plain && found->row.big_base == NULL &&
	    found->format == NULL && found->row.period == IDGEN_PERIOD_NONE && !found->row.watermark && idgen_changes_leave_row(handle))
		idgen_cache_share_row(found->slot, found->version, &row);
}

/*
 * Look, and attach to the slot. The slot's version must be read before the row:
 * so the next call notices a change that comes in between. But a slot is made
 * only for a row that exists, or that the worker is to make, since other names
 * must not push out any; and only the row and its source say which slot it is.
 * So if that turns out to be another slot than expected, look again. (Changes
 * do not get to a session's own cache, so there that is in vain.)
 */
static void
look_and_attach(IdgenHandle *handle, const IdgenCall *call, IdgenFound *found)
{
	IdgenCacheKey key;
	IdgenKnownRow row;
	uint64 before;
	IdgenSlot *expected;

	idgen_handle_key(handle, &key);
	expected = idgen_cache_find(&key, &before, &row);
	for (;;)
	{
		bool known = known_row_will_do(handle, call, &row);

		if (known)
			take_known_row(found, &row);
		else
			look(handle, call, found);
		if (found->unmade && call->missing_row == IDGEN_MISSING_ROW_SHOWN)
			return;
		found->slot = idgen_handle_attach(handle, found, &found->version);
		if (!idgen_cache_is_shared())
			return;
		if (found->slot == expected && found->version == before)
		{
			if (!known && !row.known)
				share_row(handle, found);
			return;
		}
		expected = found->slot;
		before = found->version;
		row.known = false;
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Has nothing happened to the row since the handle has found it? In the course
 * of a call, only of a row with periods does this say no: whoever draws
 * compares the version of the slot, and a refill that was made for the call is
 * drawn from, whatever has happened since.
 */
static bool
row_holds(const IdgenHandle *handle, const IdgenCall *call)
{
	const IdgenFound *found = &handle->found;

	return found->slot == NULL || (call->validated && found->row.period == IDGEN_PERIOD_NONE) ||
		idgen_slot_is_still(found->slot, found->version);
}

/*
 * Make sure that the user may draw from the id sequence, that it exists, and
 * that the handle knows what it comes from and where its slot is, if there is
 * one. Called at the beginning of every call, and again whenever the call has
 * reason to think that something has changed. Raises 42501, 42704, 22023 if the
 * row has another source than the call asks for, what a bad row deserves (see
 * definition.c), and what the source says.
 */
void
idgen_handle_validate(IdgenHandle *handle, IdgenCall *call)
{
	uint64 epoch;
	IdgenFound found;

	if (idgen_handle_is_valid(handle, handle->found.epoch, call->asked) &&
	    (handle->found.remember || call->validated) && row_holds(handle, call) &&
	    (call->parent == NULL || handle->found.for_periods))
		return;
	idgen_handle_invalidate(handle);

	/*
	 * Privileges that were revoked in the middle of this transaction count. The
	 * server looks for news when it locks a table, which is too late, or not
	 * done at all.
	 */
	AcceptInvalidationMessages();
	epoch = idgen_epoch;
	idgen_check_select(handle->relid);

	look_and_attach(handle, call, &found);
	if (found.row.watermark && handle->found.slot != NULL && !handle->found.row.watermark)
		handle->unnoted = MyLocalTransactionId;
	found.userid = GetUserId();
	found.epoch = epoch;
	idgen_handle_adopt(handle, &found);
	idgen_pending_follow(handle, idgen_changes_find(handle));
	call->validated = true;
}

/*
 * A handle for the worker, of the id sequence that a key names, and that "name"
 * is the name of: in the current memory context, unknown to the table of
 * handles, and good for allocating in the current transaction only. Makes the
 * row if it is the child of a template that is for the worker to make, and
 * sessions have waited for that. Asks for nobody's privileges. NULL if there is
 * no such id sequence any more, or it is not for a worker. Raises what a bad
 * row deserves.
 */
IdgenHandle *
idgen_handle_for_worker(const IdgenCacheKey *key, const char *name, bool awaited)
{
	IdgenHandle *handle = idgen_handle_make(CurrentMemoryContext, key->relid, name, strlen(name));
	IdgenFound *found = &handle->found;
	IdgenRow row;

	handle->of_worker = true;
	if (idgen_row_open(&row, handle->relid, handle->name) ||
	    (awaited && idgen_missing_row_for_worker(handle, &row)))
	{
		note_row(handle, found, row.slot);
		handle->row_tid = row.slot->tts_tid;
	}
	idgen_row_close(&row);
	if (!found->has_row || found->row.period != IDGEN_PERIOD_NONE || found->row.refill == IDGEN_REFILL_TRANSACTION ||
	    found->row.source->has_object != OidIsValid(key->object))
		return NULL;

	resolve(handle, found, key->object);
	return found->object == key->object ? handle : NULL;
}

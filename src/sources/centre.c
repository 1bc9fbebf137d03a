/*
 * centre.c
 *		The row of an id sequence at the centre: what the centre answers.
 *
 * Nothing that it answers is believed to make sense before it was checked.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "sources/centre.h"
#include "sources/centre_request.h"
#include "sources/went_back.h"

/* A column that is not null. */
static int64
get_int64(IdgenRemoteRow row, int column)
{
	return DatumGetInt64(DirectFunctionCall1(int8in, CStringGetDatum(row[column])));
}

/*
 * Raises what is wrong with the row at the centre: 42704 if it is not there,
 * 22004 for a null, 22023 for other nonsense.
 */
static void
check_row(const IdgenCentre *centre, IdgenRemoteRow row)
{
	static const char *const columns[] = {"next_block_start", "block_size", "exhausted", "max_value", "source"};

	if (row == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_UNDEFINED_OBJECT),
		         errmsg("id sequence \"%s\" does not exist on server \"%s\"", centre->name, centre->server),
		         errhint("Insert a row with that name into \"id_sequences\" there.")));
	for (int i = 0; i < (int) lengthof(columns); i++)
		if (row[i] == NULL)
			ereport(ERROR,
			        (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			         errmsg("%s of id sequence \"%s\" on server \"%s\" is null",
			                columns[i], centre->name, centre->server)));
	if (strcmp(row[COLUMN_SOURCE], "table") != 0)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("id sequence \"%s\" on server \"%s\" has source \"%s\", not \"table\"",
		                centre->name, centre->server, row[COLUMN_SOURCE]),
		         errhint("Only a row with source \"table\" gives blocks to other servers.")));
	if (get_int64(row, COLUMN_BLOCK_SIZE) <= 0)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("block_size of id sequence \"%s\" on server \"%s\" must be greater than zero",
		                centre->name, centre->server)));
}

/* Raises 2200H if no id is left. */
static void
check_exhausted(const IdgenHandle *handle, const IdgenCentre *centre, IdgenRemoteRow row)
{
	bool exhausted = get_int64(row, COLUMN_EXHAUSTED) != 0;
	int64 next_block_start = get_int64(row, COLUMN_NEXT_BLOCK_START);
	int64 max_value = get_int64(row, COLUMN_MAX_VALUE);

	if (exhausted && !idgen_is_at_end(next_block_start, max_value))
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("id sequence \"%s\" is exhausted", handle->name),
		         errdetail("On server \"%s\", its column \"exhausted\" is 1.", centre->server),
		         errhint("Set exhausted to 0 there.")));
	if (exhausted || next_block_start > max_value)
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("id sequence \"%s\" is exhausted", handle->name),
		         errdetail("Its last id on server \"%s\" is %lld.", centre->server, (long long) max_value),
		         errhint("%s", max_value < PG_INT64_MAX ? "Raise max_value there, and set exhausted to 0." : "Use another id sequence, or start it again at a lower id there.")));
}

/*
 * Raises why the centre has not allocated: 2200H if there are not enough ids,
 * 21000 if there are several rows, 55000 if the centre has gone back, or the
 * row was not updated, HV000 if the answer is not that of a database.
 */
static void
check_allocated(const IdgenHandle *handle, const IdgenCentre *centre, const IdgenRequest *request,
                const IdgenBackNote *note, IdgenRemoteRow row)
{
	if (row[COLUMN_ROWS] == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_FDW_ERROR),
		         errmsg("server \"%s\" did not say how many rows for id sequence \"%s\" it has",
		                centre->server, centre->name)));
	if (strcmp(row[COLUMN_ROWS], "1") != 0)
		ereport(ERROR,
		        (errcode(ERRCODE_CARDINALITY_VIOLATION),
		         errmsg("server \"%s\" has %s rows for id sequence \"%s\"",
		                centre->server, row[COLUMN_ROWS], centre->name),
		         errhint("Make column \"name\" the primary key of \"id_sequences\" there.")));
	if (request->count == 1)
		check_exhausted(handle, centre, row);
	if (row[COLUMN_LAST_ID] == NULL && note->how != IDGEN_NOT_BACK)
		idgen_went_back_refuse(handle, centre, note);
	if (row[COLUMN_LAST_ID] == NULL)
		idgen_too_few(handle->name, request->count, get_int64(row, COLUMN_MAX_VALUE));
	if (row[COLUMN_UPDATED] == NULL || row[COLUMN_FIRST_ID] == NULL ||
	    get_int64(row, COLUMN_UPDATED) != idgen_add_saturating(get_int64(row, COLUMN_LAST_ID), 1))
		ereport(ERROR,
		        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		         errmsg("id sequence \"%s\" on server \"%s\" was not updated as expected",
		                centre->name, centre->server),
		         errhint("A trigger or a rule there may be in the way.")));
}

/* Has the centre gone back? And what does it say of itself? */
static IdgenBackNote
get_note(IdgenRemoteRow row)
{
	IdgenBackNote note = {
		.how = idgen_went_back_read(row[COLUMN_WENT_BACK]),
		.since = GetCurrentTimestamp(),
		.next = get_int64(row, COLUMN_NEXT_BLOCK_START),
	};

	if (row[COLUMN_SYSTEM] != NULL && row[COLUMN_TIMELINE] != NULL)
	{
		note.centre.system = (uint64) get_int64(row, COLUMN_SYSTEM);
		note.centre.timeline = (uint32) get_int64(row, COLUMN_TIMELINE);
	}
	return note;
}

/* Raises HV000 for a block that cannot be. */
static void
check_block(const IdgenCentre *centre, const IdgenGiven *given, const IdgenRemoteQuery *query)
{
	if (given->last < given->first || (uint64) given->last - (uint64) given->first >= IDGEN_BLOCK_MAX ||
	    idgen_centre_is_behind(given, query))
		ereport(ERROR,
		        (errcode(ERRCODE_FDW_ERROR),
		         errmsg("server \"%s\" returned a bad block, %lld to %lld",
		                centre->server, (long long) given->first, (long long) given->last)));
}

/*
 * Get what the centre has allocated. It is not known where the range begins: at
 * 1, we assume, or at the block if that is less. The answer is
 * IDGEN_MARK_OVERTAKEN if another process has got something later meanwhile:
 * then the block must not be used, and the centre is to be asked again. Raises
 * what check_row() and check_allocated() do, HV000 for a block that cannot be,
 * and what raising the mark can.
 */
IdgenMarkResult
idgen_centre_finish_allocation(const IdgenHandle *handle, const IdgenCentre *centre,
                               const IdgenRequest *request,
                               IdgenRemoteQuery *query, IdgenRefill *refill)
{
	IdgenRemoteRow row = idgen_remote_finish(query);
	IdgenMark before = idgen_centre_read_mark(handle, centre);
	IdgenBackNote note;
	IdgenGiven given;

	check_row(centre, row);
	note = get_note(row);
	check_allocated(handle, centre, request, &note, row);
	given = (IdgenGiven){
		.first = get_int64(row, COLUMN_FIRST_ID),
		.last = get_int64(row, COLUMN_LAST_ID),
		.max_value = get_int64(row, COLUMN_MAX_VALUE),
		.centre = note.centre,
		.stepped_over = note.how,
	};
	check_block(centre, &given, query);
	if (!handle->found.uncommitted &&
	    idgen_mark_raise(handle->found.origin, centre->name, &given) == IDGEN_MARK_OVERTAKEN)
		return IDGEN_MARK_OVERTAKEN;
	if (note.how != IDGEN_NOT_BACK)
		idgen_went_back_log(handle, centre, &before, &note, given.first);

	refill->rest.lost_at_shutdown = true;
	refill->rest.block = (IdgenBlock){.next = given.first, .left = given.last - given.first + 1, .step = 1};
	refill->blocks = (refill->rest.block.left - 1) / get_int64(row, COLUMN_BLOCK_SIZE) + 1;
	refill->fate = IDGEN_REST_PUBLISHED;
	refill->left.percent = idgen_percent_of_range(Min(given.first, 1), (double) given.last + 1, given.max_value);
	refill->left.ids = (double) given.max_value - given.last;
	idgen_range_left_in_column(&refill->left, handle->found.stored_in, Min(given.first, 1), given.last, 1);
	return IDGEN_MARK_RAISED;
}

/*
 * The id that the centre would give next. Raises 2200H, and what begin_query()
 * and check_row() do.
 */
int64
idgen_centre_next_id(const IdgenHandle *handle, const IdgenCentre *centre)
{
	IdgenMark mark = idgen_centre_read_mark(handle, centre);
	IdgenRemoteQuery *query = idgen_centre_begin_look(handle, centre);
	IdgenRemoteRow row;

	idgen_remote_await(query);
	row = idgen_remote_finish(query);
	check_row(centre, row);
	check_exhausted(handle, centre, row);
	return idgen_went_back_next_id(handle, centre, &mark, get_int64(row, COLUMN_NEXT_BLOCK_START));
}

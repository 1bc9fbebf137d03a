/*
 * went_back.c
 *		Centres that have gone back: what users are told.
 *
 * A centre has gone back if it has forgotten blocks that it has allocated: it
 * was restored from a backup, a standby was promoted that had not received all,
 * an old primary came back. To use what it gives then would issue ids twice
 * (rule C5). Whether it has gone back, the centre itself finds out, from what
 * it is sent with each request (centre.c, shmem/centre_marks.c). By default,
 * nothing is allocated from it until an operator has looked at it; with
 * idgen.step_over, the next block begins that far behind all that this server
 * knows of.
 *
 * It was turned down to step over by default. How much other nodes have
 * received that this one knows nothing of, only an operator can tell.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "catalog/table.h"
#include "common/guc.h"
#include "sources/centre_request.h"
#include "sources/went_back.h"

/* How a centre has gone back, in the word of its answer. NULL: it has not. */
IdgenWentBack
idgen_went_back_read(const char *word)
{
	static const struct
	{
		const char *word;
		IdgenWentBack how;
	} words[] = {
		{"system", IDGEN_BACK_SYSTEM},
		{"timeline", IDGEN_BACK_TIMELINE},
		{"block", IDGEN_BACK_BLOCK},
	};

	if (word == NULL)
		return IDGEN_NOT_BACK;
	for (size_t i = 0; i < lengthof(words); i++)
		if (strcmp(word, words[i].word) == 0)
			return words[i].how;
	return IDGEN_BACK_EARLIER;
}

/* What shows that a centre has gone back, as a sentence. */
const char *
idgen_went_back_describe(const IdgenBackNote *note, const IdgenMark *mark)
{
	switch (note->how)
	{
		case IDGEN_BACK_SYSTEM:
			return psprintf("Its system identifier is " UINT64_FORMAT ", and was " UINT64_FORMAT " before.",
			                note->centre.system, mark->centre.system);
		case IDGEN_BACK_TIMELINE:
			return psprintf("It is on timeline %u, and was on timeline %u before.",
			                note->centre.timeline, mark->centre.timeline);
		case IDGEN_BACK_BLOCK:
			return psprintf("It would go on at " INT64_FORMAT ", and has given " INT64_FORMAT " before.",
			                note->next, mark->received);
		case IDGEN_BACK_EARLIER:
			return "That was seen when another id sequence was refilled from there.";
		case IDGEN_NOT_BACK:
			break;
	}
	pg_unreachable();
}

/*
 * What to do about it, as a sentence. "name" is that of the id sequence here,
 * in that id_sequences.
 * There is not much room for what the worker has sessions told.
 */
const char *
idgen_went_back_hint(Oid relid, IdgenWentBack how, const char *server, const char *name)
{
	const char *function = idgen_function_name(relid, "idgen_accept_centre");

	if (how == IDGEN_BACK_BLOCK)
		return psprintf("Raise next_block_start there beyond all that any node has received; if it begins anew on purpose, call %s(%s, %s).",
		                function, quote_literal_cstr(server), quote_literal_cstr(name));
	return psprintf("If it is the right server, raise next_block_start there beyond all that any node has received, then call %s(%s).",
	                function, quote_literal_cstr(server));
}

/* Note that a centre has gone back, and raise 55000. */
void
idgen_went_back_refuse(const IdgenHandle *handle, const IdgenCentre *centre, const IdgenBackNote *note)
{
	Oid serverid = handle->found.origin;
	IdgenMark mark = idgen_mark_read(serverid, centre->name);

	idgen_mark_note_back(serverid, centre->name, note);
	ereport(ERROR,
	        (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
	         errmsg("server \"%s\" has gone back with id sequence \"%s\"", centre->server, centre->name),
	         errdetail_internal("%s", idgen_went_back_describe(note, &mark)),
	         errhint("%s", idgen_went_back_hint(handle->relid, note->how, centre->server, handle->name))));
}

/*
 * Log that ids were stepped over, to that one. "before" is the mark as it was
 * then.
 */
void
idgen_went_back_log(const IdgenHandle *handle, const IdgenCentre *centre, const IdgenMark *before,
                    const IdgenBackNote *note, int64 first)
{
	ereport(LOG,
	        (errmsg("server \"%s\" has gone back with id sequence \"%s\", which goes on at %lld",
	                centre->server, centre->name, (long long) first),
	         errdetail_internal("%s", idgen_went_back_describe(note, before))));
}

/*
 * The id that a refill would begin with, if the row at the centre says "next".
 * "mark" is as it was before the centre was asked: since then, others may have
 * refilled. Raises 55000 if the centre has gone back.
 */
int64
idgen_went_back_next_id(const IdgenHandle *handle, const IdgenCentre *centre,
                        const IdgenMark *mark, int64 next)
{
	bool behind = mark->known && next <= mark->received;

	if ((behind || mark->in_doubt) && idgen_step_over == 0)
	{
		IdgenBackNote note = {
			.how = behind ? IDGEN_BACK_BLOCK : IDGEN_BACK_EARLIER,
			.since = GetCurrentTimestamp(),
			.next = next,
		};

		idgen_went_back_refuse(handle, centre, &note);
	}
	if (mark->known)
		next = Max(next, idgen_add_saturating(mark->reserved, 1));
	return behind || mark->in_doubt ? idgen_add_saturating(next, idgen_step_over) : next;
}

/*
 * failure.c
 *		What sessions are told of a refill that has failed.
 *
 * The worker's error is raised again in the sessions that wait for the refill.
 * Its texts travel through shared memory, where there is little room: what does
 * not fit is cut, at the end of a character.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "worker/failure.h"

/* Copy the first bytes of a text, as far as there is room. */
static void
clip(char *to, Size size, const char *from, int length)
{
	length = pg_mbcliplen(from, length, size - 1);
	memcpy(to, from, length);
	to[length] = '\0';
}

/* Copy a text; NULL becomes an empty one. */
static void
clip_text(char *to, Size size, const char *from)
{
	clip(to, size, from != NULL ? from : "", from != NULL ? strlen(from) : 0);
}

/*
 * Make a failure of an error of a refill. It is meant for sessions that want at
 * least "count" consecutive ids.
 *
 * Of the error's context only the innermost line is kept. The outermost one
 * says what is being refilled; the sessions add that themselves.
 */
void
idgen_failure_set(IdgenFailure *failure, const ErrorData *error, int64 count)
{
	const char *rest = error->context != NULL ? strchr(error->context, '\n') : NULL;

	failure->sqlerrcode = error->sqlerrcode;
	failure->of = IDGEN_FAILURE_OF_REFILL;
	failure->count = count;
	clip_text(failure->message, sizeof(failure->message), error->message);
	clip_text(failure->detail, sizeof(failure->detail), error->detail);
	clip_text(failure->hint, sizeof(failure->hint), error->hint);
	if (rest != NULL)
		clip(failure->context, sizeof(failure->context), error->context, rest - error->context);
	else
		failure->context[0] = '\0';
}

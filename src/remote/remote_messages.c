/*
 * remote_messages.c
 *		What other servers say: texts, errors, warnings.
 *
 * Another server may send anything. What is shown of it is cut, and made valid
 * text.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "remote/remote_messages.h"

/* Is a valid character of one byte shown as it is? */
static bool
is_shown(char c)
{
	return !iscntrl((unsigned char) c) || c == '\n' || c == '\t';
}

/*
 * The beginning of a text that came from another server, or from libpq,
 * palloc'd. What is not valid in our encoding, and control characters, become
 * question marks.
 */
char *
idgen_remote_text(const char *text)
{
	char *copy = pnstrdup(text, IDGEN_REMOTE_TEXT_SIZE - 1);
	int length = strlen(copy);
	int bytes;

	for (int i = 0; i < length; i += bytes)
	{
		bytes = pg_encoding_verifymbchar(GetDatabaseEncoding(), copy + i, length - i);
		if (bytes > 1 || (bytes == 1 && is_shown(copy[i])))
			continue;
		copy[i] = '?';
		bytes = 1;
	}
	return pchomp(copy);
}

/*
 * What has gone wrong with a statement, as the other server or libpq says,
 * palloc'd; NULL if neither does, or there is no result (NULL).
 */
const char *
idgen_result_message(const PGresult *result)
{
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	if (message == NULL)
		message = PQresultErrorMessage(result);
	return message[0] != '\0' ? idgen_remote_text(message) : NULL;
}

/* The SQLSTATE of an error of a statement; 0 if it has none. */
int
idgen_result_sqlstate(const PGresult *result)
{
	const char *s = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	return s != NULL && strlen(s) == 5 ? MAKE_SQLSTATE(s[0], s[1], s[2], s[3], s[4]) : 0;
}

/* Does a text begin with a SQLSTATE and a colon? */
static bool
begins_with_sqlstate(const char *text)
{
	return strspn(text, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 5 && text[5] == ':' && text[6] == ' ';
}

/*
 * Take the last line out of a text if it says where in its source the other
 * server has found an error.
 */
static void
remove_location(char *text)
{
	char *line = strrchr(text, '\n');
	char *number = strrchr(text, ':');

	if (line != NULL && number > line + 2 && strncmp(number - 2, ".c", 2) == 0 &&
	    number[1] != '\0' && number[1 + strspn(number + 1, "0123456789")] == '\0')
		*line = '\0';
}

/*
 * libpq shows the SQLSTATE with which a connection was refused only as a part
 * of the text, and only if it is told to be verbose. Returns that SQLSTATE, the
 * last one if there are several; 0 if there is none, since there was no server
 * that could say anything. Takes all of it out of the text, and what else is
 * there only since libpq is verbose.
 */
int
idgen_take_sqlstate(char *text)
{
	static const char before[] = ":  ";
	int sqlerrcode = 0;
	char *at = text;

	while ((at = strstr(at, before)) != NULL)
	{
		at += strlen(before);
		if (!begins_with_sqlstate(at))
			continue;
		sqlerrcode = MAKE_SQLSTATE(at[0], at[1], at[2], at[3], at[4]);
		memmove(at, at + 7, strlen(at + 7) + 1);
	}
	if (sqlerrcode != 0)
		remove_location(text);
	return sqlerrcode;
}

/*
 * Does an error say that this is no host to write to, be it for now: is it
 * starting, ending, or only good for reading?
 */
bool
idgen_sqlstate_is_about_host(int sqlerrcode)
{
	return sqlerrcode == ERRCODE_READ_ONLY_SQL_TRANSACTION || sqlerrcode == ERRCODE_ADMIN_SHUTDOWN ||
		sqlerrcode == ERRCODE_CRASH_SHUTDOWN || sqlerrcode == ERRCODE_CANNOT_CONNECT_NOW;
}

/*
 * Does an error in opening a connection pass by itself: is the server as above,
 * or full; or has nobody said anything (0)? Else somebody has to change
 * something first.
 */
bool
idgen_sqlstate_passes(int sqlerrcode)
{
	int category = ERRCODE_TO_CATEGORY(sqlerrcode);

	return sqlerrcode == 0 || idgen_sqlstate_is_about_host(sqlerrcode) ||
		category == ERRCODE_CONNECTION_EXCEPTION || category == ERRCODE_INSUFFICIENT_RESOURCES;
}

/* Raise what has gone wrong, "where" being the context, or NULL. */
void
idgen_remote_raise(const IdgenRemoteError *error, const char *where)
{
	ereport(ERROR,
	        (errcode(error->sqlerrcode),
	         errmsg_internal("%s", error->message),
	         error->detail != NULL ? errdetail_internal("%s", error->detail) : 0,
	         error->hint != NULL ? errhint("%s", error->hint) : 0,
	         where != NULL ? errcontext("%s", where) : 0));
}

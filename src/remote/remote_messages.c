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

/* From now on, count anew. */
void
idgen_warnings_reset(IdgenWarnings *warnings)
{
	warnings->count = warnings->reported = 0;
}

/*
 * Another server says something besides results. libpq calls this, so that
 * nothing in here may raise an error.
 */
void
idgen_warnings_receive(void *arg, const PGresult *result)
{
	IdgenWarnings *warnings = (IdgenWarnings *) arg;
	const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	if (severity == NULL || strcmp(severity, "WARNING") != 0 || message == NULL)
		return;
	if (warnings->count < IDGEN_MAX_WARNINGS)
		strlcpy(warnings->texts[warnings->count], message, IDGEN_REMOTE_TEXT_SIZE);
	warnings->count++;
}

/*
 * Put the warnings that have come into the log. Of those above the maximum,
 * the log only says that there are more.
 */
void
idgen_warnings_report(IdgenWarnings *warnings, const char *server)
{
	for (; warnings->reported < Min(warnings->count, IDGEN_MAX_WARNINGS + 1); warnings->reported++)
	{
		if (warnings->reported < IDGEN_MAX_WARNINGS)
			ereport(LOG_SERVER_ONLY,
			        (errmsg("server \"%s\" warns: %s", server,
			                idgen_remote_text(warnings->texts[warnings->reported])),
			         errhidestmt(true)));
		else
			ereport(LOG_SERVER_ONLY,
			        (errmsg("further warnings of server \"%s\" are not logged", server),
			         errhidestmt(true)));
	}
}

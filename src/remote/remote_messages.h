/*
 * remote_messages.h
 *		What other servers say: texts, errors, warnings.
 */
#ifndef IDGEN_REMOTE_MESSAGES_H
#define IDGEN_REMOTE_MESSAGES_H

#include "libpq-fe.h"

/*
 * Warnings of another server in the log, for opening a connection or a
 * statement.
 */
#define IDGEN_MAX_WARNINGS 3
/*
 * Bytes of a text of another server that are shown, with the zero at the end.
 */
#define IDGEN_REMOTE_TEXT_SIZE 1024

/* What has gone wrong. */
typedef struct IdgenRemoteError
{
	int sqlerrcode;
	const char *message;
	const char *detail; /* or NULL */
	const char *hint;   /* or NULL */
	bool lasts;         /* would another try fail as well, however late? */
} IdgenRemoteError;

extern char *idgen_remote_text(const char *text);
extern int idgen_result_sqlstate(const PGresult *result);
extern int idgen_take_sqlstate(char *text);
extern bool idgen_sqlstate_is_about_host(int sqlerrcode);
extern bool idgen_sqlstate_passes(int sqlerrcode);
extern const char *idgen_result_message(const PGresult *result);
extern void idgen_remote_raise(const IdgenRemoteError *error, const char *where);

#endif /* IDGEN_REMOTE_MESSAGES_H */

/*
 * remote_settings.c
 *		What a new session at another server is told.
 *
 * A pooler may send each statement to another session. So nothing that ids
 * depend on is set here: what makes a commit synchronous is in the statement
 * that allocates (centre.c). What is set here spares statements that are
 * repeated, and processes that wait for nobody.
 */
#include "postgres.h"

#include "remote/remote_settings.h"

/*
 * If it is a PostgreSQL server: two sessions that allocate at the same time
 * wait for each other, rather than that one fails and is sent again. And the
 * server notices within a second that we have gone (14 or later, not on every
 * system). What is good already is set as well: else it would follow changes of
 * the other server's configuration file. The first statement also shows whether
 * the server knows set_config(), which the statement that allocates calls.
 */
static const char *const settings[] = {
	"SELECT pg_catalog.set_config('default_transaction_isolation', 'read committed', false)",

	"SELECT pg_catalog.set_config(name, CASE WHEN setting = '0' THEN '1s' ELSE setting END, false)"
	" FROM pg_catalog.pg_settings WHERE name = 'client_connection_check_interval'",
};

/* The statement that makes a setting, counted from 0; NULL behind the last. */
const char *
idgen_setting_statement(int n)
{
	return n < (int) lengthof(settings) ? settings[n] : NULL;
}

/*
 * What the answer to such a statement says. A setting is unknown as well if the
 * server has another syntax. It is not if the role must not make it.
 */
IdgenSettingOutcome
idgen_setting_outcome(const PGresult *result)
{
	static const char *const classes[] = {"0A", "22", "42"};
	const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);

	if (PQresultStatus(result) == PGRES_TUPLES_OK)
		return IDGEN_SETTING_MADE;
	if (sqlstate == NULL || strcmp(sqlstate, "42501") == 0)
		return IDGEN_SETTING_FAILED;
	for (int i = 0; i < (int) lengthof(classes); i++)
		if (strncmp(sqlstate, classes[i], 2) == 0)
			return IDGEN_SETTING_UNKNOWN;
	return IDGEN_SETTING_FAILED;
}

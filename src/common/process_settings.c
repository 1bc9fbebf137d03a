/*
 * process_settings.c
 *		Settings of the processes that work for all sessions.
 */
#include "postgres.h"

#include "utils/guc.h"

#include "common/process_settings.h"

/*
 * Settings of the database or the role must not get into the way of this
 * process. It has just connected.
 */
void
idgen_override_settings(void)
{
	static const char *const settings[][2] = {
		{"search_path", "pg_catalog, pg_temp"},
		{"default_transaction_read_only", "off"},
		{"default_transaction_isolation", "read committed"},
		{"transaction_timeout", "0"}, /* 17 has it */
	};

	for (int i = 0; i < (int) lengthof(settings); i++)
		if (GetConfigOption(settings[i][0], true, false) != NULL)
			SetConfigOption(settings[i][0], settings[i][1], PGC_SUSET, PGC_S_OVERRIDE);
}

/*
 * remote_settings.h
 *		What a new session at another server is told.
 */
#ifndef IDGEN_REMOTE_SETTINGS_H
#define IDGEN_REMOTE_SETTINGS_H

#include "libpq-fe.h"

/* What has become of a setting. */
typedef enum IdgenSettingOutcome
{
	IDGEN_SETTING_MADE,
	IDGEN_SETTING_UNKNOWN, /* the server has nothing like it: done without */
	IDGEN_SETTING_FAILED,
} IdgenSettingOutcome;

extern const char *idgen_setting_statement(int n);
extern IdgenSettingOutcome idgen_setting_outcome(const PGresult *result);

#endif /* IDGEN_REMOTE_SETTINGS_H */

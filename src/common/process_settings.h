/*
 * process_settings.h
 *		Settings of the processes that work for all sessions.
 */
#ifndef IDGEN_PROCESS_SETTINGS_H
#define IDGEN_PROCESS_SETTINGS_H

extern void idgen_override_settings(void);

#endif /* IDGEN_PROCESS_SETTINGS_H */

/*
 * uuids.h
 *		UUIDs that were drawn: each once, and in order.
 */
#ifndef STRESS_UUIDS_H
#define STRESS_UUIDS_H

#include "util.h"

extern bool uuids_add(const char *const *texts, int n, Time sent, Time replied);
extern int uuids_check(void);

#endif

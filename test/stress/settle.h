/*
 * settle.h
 *		Between two rounds: what the databases know, put next to the record.
 */
#ifndef STRESS_SETTLE_H
#define STRESS_SETTLE_H

#include "sequences.h"

extern void settle_init(void);

/* Both return the number of complaints, which they print. */
extern int settle_before_check(void);
extern int settle_after_check(int round);

#endif

/*
 * check.h
 *		The rules, checked against a record.
 */
#ifndef STRESS_CHECK_H
#define STRESS_CHECK_H

#include "record.h"

/* Called for each transaction in the history of an id that breaks a rule. */
typedef void (*Describe)(const Draw *draw);

/* The number of complaints, which are printed. Sorts the draws. */
extern int check_streams(Stream *streams, int nstreams, Describe describe);

/*
 * Of the values from first up to next, those that are in no draw and in none of
 * the runs, which have to be sorted, and in which only first and last count.
 */
extern int64_t count_missing(const Stream *stream, int64_t first, int64_t next, const Draw *runs, int nruns);

#endif

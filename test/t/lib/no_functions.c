/*
 * no_functions.c
 *		A library that can be loaded and has no functions: in place of one of
 *		idgen's own older versions, for tests of what is said then.
 */
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;

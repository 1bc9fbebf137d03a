/*
 * sql_support.h
 *		What SQL functions have in common: arguments and results.
 */
#ifndef IDGEN_SQL_SUPPORT_H
#define IDGEN_SQL_SUPPORT_H

#include "access/tupdesc.h"
#include "fmgr.h"

#include "common/period.h"

extern void idgen_refuse_null(FunctionCallInfo fcinfo, int argument, const char *name);
extern void idgen_check_name(const text *name);
extern void idgen_check_name_with_period(const char *name, IdgenPeriod period);
extern Datum idgen_result_row(FunctionCallInfo fcinfo, TupleDesc *desc,
                              Datum *values, bool *nulls);

#endif /* IDGEN_SQL_SUPPORT_H */

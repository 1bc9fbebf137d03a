/*
 * row_code.h
 *		What of users stands on a table of idgen, and whose code it is.
 */
#ifndef IDGEN_ROW_CODE_H
#define IDGEN_ROW_CODE_H

#include "nodes/nodes.h"
#include "nodes/pg_list.h"
#include "utils/rel.h"
#include "utils/reltrigger.h"

extern void idgen_row_code_init(void);
extern bool idgen_trigger_is_own(Relation rel, const Trigger *trigger);
extern bool idgen_trigger_is_for_rows(const Trigger *trigger);
extern bool idgen_refills_are_plain(Relation rel);
extern Oid idgen_trigger_runs_as(Relation rel, const Trigger *trigger);
extern bool idgen_check_code(Relation rel, CmdType command, int elevel);
extern List *idgen_code_refused(Relation rel);

#endif /* IDGEN_ROW_CODE_H */

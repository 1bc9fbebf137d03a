/*
 * row_write_state.h
 *		A row of id_sequences being written, as the executor sees it.
 */
#ifndef IDGEN_ROW_WRITE_STATE_H
#define IDGEN_ROW_WRITE_STATE_H

#include "commands/trigger.h"
#include "nodes/execnodes.h"
#include "utils/rel.h"

/*
 * For row_write.c and row_alter.c, and for what fires triggers and evaluates
 * expressions there.
 */
typedef struct IdgenRowWrite
{
	Relation rel;
	CmdType command; /* CMD_INSERT, CMD_UPDATE or CMD_DELETE */
	Oid writer;      /* whose rights triggers get */
	EState *estate;
	ResultRelInfo *rri;
	TransitionCaptureState *transition; /* set by idgen_triggers_fire_before() */
} IdgenRowWrite;

extern void idgen_row_write_begin(IdgenRowWrite *write, Relation rel, CmdType command,
                                  int ncolumns, const int *columns, Oid writer);
extern void idgen_row_write_end(IdgenRowWrite *write);

#endif /* IDGEN_ROW_WRITE_STATE_H */

/*
 * node_setting.h
 *		The setting idgen.node_id: a number, or that the centre gives one.
 */
#ifndef IDGEN_NODE_SETTING_H
#define IDGEN_NODE_SETTING_H

#include "utils/guc.h"

/* What idgen.node_id can be besides a number. */
#define IDGEN_NODE_ID_AUTO "auto"

/* Then idgen_node_id is this, which no layout and no id can have. */
#define IDGEN_NODE_LEASED (-1)

/* Node numbers have ten bits of a time-ordered id. */
#define IDGEN_MAX_NODE 1023

/*
 * The node number that this process gives to time-ordered ids, and the last
 * time for which it may. If the number is a leased one, that is a time for
 * which the centre gives it to nobody else, and it may have passed.
 */
typedef struct IdgenNode
{
	int number;
	int64 last_time; /* of ids, in milliseconds since 2024; -1 = no number is known */
} IdgenNode;

extern PGDLLIMPORT char *idgen_node_id_setting;
extern PGDLLIMPORT int idgen_node_id; /* a number, or IDGEN_NODE_LEASED */
extern PGDLLIMPORT IdgenNode idgen_node;

extern bool idgen_check_node_id(char **value, void **extra, GucSource source);
extern void idgen_assign_node_id(const char *value, void *extra);

#endif /* IDGEN_NODE_SETTING_H */

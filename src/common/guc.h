/*
 * guc.h
 *		The settings of idgen; and what the processes that work for all
 *		sessions set.
 */
#ifndef IDGEN_GUC_H
#define IDGEN_GUC_H

#include "pgtime.h"
#include "utils/guc.h"

/*
 * Where a refill is made: the values of column "refill", and of
 * idgen.default_refill.
 */
typedef enum IdgenRefillMode
{
	IDGEN_REFILL_TRANSACTION, /* in the transaction of the session that draws */
	IDGEN_REFILL_WORKER,      /* in a transaction of a background worker, strictly */
	IDGEN_REFILL_AUTO,        /* by the worker if one can be had, else by the session */
} IdgenRefillMode;

/* Their names; the last entry has none. */
extern const struct config_enum_entry idgen_refill_modes[];

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

extern PGDLLIMPORT int idgen_max_sequences;
extern PGDLLIMPORT int idgen_max_watermarks;
extern PGDLLIMPORT bool idgen_auto_create;
extern PGDLLIMPORT int idgen_default_block_size;
extern PGDLLIMPORT int idgen_default_refill; /* an IdgenRefillMode */
extern PGDLLIMPORT int idgen_warn_remaining;
extern PGDLLIMPORT pg_tz *idgen_period_zone; /* idgen.period_time_zone; it stays forever */
extern PGDLLIMPORT int idgen_node_id;        /* a number, or IDGEN_NODE_LEASED */
extern PGDLLIMPORT IdgenNode idgen_node;
extern PGDLLIMPORT int idgen_channel;
extern PGDLLIMPORT int idgen_prefetch_threshold;
extern PGDLLIMPORT int idgen_max_prefetch_blocks;
extern PGDLLIMPORT int idgen_worker_timeout;
extern PGDLLIMPORT int idgen_worker_start_timeout;
extern PGDLLIMPORT int idgen_bridge_seconds;
extern PGDLLIMPORT int idgen_worker_idle_timeout;
extern PGDLLIMPORT int idgen_server_timeout;
extern PGDLLIMPORT int idgen_step_over;
extern PGDLLIMPORT char *idgen_node_database;
extern PGDLLIMPORT char *idgen_node_server;
extern PGDLLIMPORT int idgen_node_lease;
extern PGDLLIMPORT int idgen_min_node_id;

extern void idgen_guc_init(void);
extern void idgen_override_settings(void);

#endif /* IDGEN_GUC_H */

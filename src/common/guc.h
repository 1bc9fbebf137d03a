/*
 * guc.h
 *		The settings of idgen.
 */
#ifndef IDGEN_GUC_H
#define IDGEN_GUC_H

extern PGDLLIMPORT int idgen_max_sequences;
extern PGDLLIMPORT bool idgen_auto_create;
extern PGDLLIMPORT int idgen_default_block_size;
extern PGDLLIMPORT int idgen_warn_remaining;
extern PGDLLIMPORT int idgen_node_id;
extern PGDLLIMPORT int idgen_channel;
extern PGDLLIMPORT int idgen_prefetch_threshold;
extern PGDLLIMPORT int idgen_max_prefetch_blocks;
extern PGDLLIMPORT int idgen_worker_timeout;
extern PGDLLIMPORT int idgen_worker_idle_timeout;
extern PGDLLIMPORT int idgen_server_timeout;

extern void idgen_guc_init(void);

#endif /* IDGEN_GUC_H */

/*
 * guc.c
 *		The settings of idgen, all in one place.
 */
#include "postgres.h"

#include <limits.h>

#include "miscadmin.h"
#include "utils/guc.h"

#include "guc.h"

int idgen_max_sequences = 1024;
bool idgen_auto_create = false;
int idgen_default_block_size = 20;
int idgen_warn_remaining = 10;

/*
 * Define the settings. Called once, when the library is loaded.
 */
void
idgen_guc_init(void)
{
	/*
	 * Shared memory is sized at server start, so this one exists only in a
	 * server that preloads the library: elsewhere it would have no effect,
	 * and the server refuses to define it after startup. The upper bound keeps
	 * the size computation far from overflow (about 1.5 kB per id sequence).
	 */
	if (process_shared_preload_libraries_in_progress)
		DefineCustomIntVariable("idgen.max_sequences",
		                        "Sets the number of id sequences that the shared cache holds at a time.",
		                        "More id sequences than this still work: the ones not used lately give way, and their cached ids become a gap.",
		                        &idgen_max_sequences,
		                        1024, 1, 1000000,
		                        PGC_POSTMASTER,
		                        0,
		                        NULL, NULL, NULL);

	/*
	 * A superuser's setting, because whoever may draw could otherwise add
	 * rows to id_sequences without the privilege to insert.
	 */
	DefineCustomBoolVariable("idgen.auto_create",
	                         "Creates an unknown id sequence on its first use.",
	                         "The new row starts at 1 with a block_size of idgen.default_block_size.",
	                         &idgen_auto_create,
	                         false,
	                         PGC_SUSET,
	                         0,
	                         NULL, NULL, NULL);

	DefineCustomIntVariable("idgen.default_block_size",
	                        "Sets the block_size of id sequences that are created without one.",
	                        "It is used by idgen_create() and by idgen.auto_create.",
	                        &idgen_default_block_size,
	                        20, 1, INT_MAX,
	                        PGC_USERSET,
	                        0,
	                        NULL, NULL, NULL);

	DefineCustomIntVariable("idgen.warn_remaining",
	                        "Logs a line when a refill leaves less than this percentage of an id sequence's range.",
	                        "There is one line for each percent step. Zero turns the messages off.",
	                        &idgen_warn_remaining,
	                        10, 0, 100,
	                        PGC_SUSET,
	                        0,
	                        NULL, NULL, NULL);

	MarkGUCPrefixReserved("idgen");
}

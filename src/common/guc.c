/*
 * guc.c
 *		The settings of idgen, all in one place.
 */
#include "postgres.h"

#include <limits.h>

#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "common/guc.h"
#include "common/time_zone.h"

int idgen_max_sequences = 65536;
int idgen_max_centre_marks = 8192;
bool idgen_auto_create = false;
int idgen_default_block_size = 20;
int idgen_default_refill = IDGEN_REFILL_TRANSACTION;
int idgen_warn_remaining = 10;
static int idgen_warn_days = 30; /* view idgen_health reads it */
char *idgen_period_time_zone = NULL;
pg_tz *idgen_period_zone = NULL;
int idgen_channel = 0;
int idgen_prefetch_threshold = 50;
int idgen_max_prefetch_blocks = 64;
int idgen_worker_timeout = 10000;
int idgen_worker_start_timeout = 1000;
int idgen_bridge_seconds = 0;
int idgen_worker_idle_timeout = 3000;
int idgen_server_timeout = 5000;
int idgen_step_over = 0;
char *idgen_node_database = NULL;
char *idgen_node_server = NULL;
int idgen_node_lease = 300;
int idgen_min_node_id = 1;

const struct config_enum_entry idgen_refill_modes[] = {
	{"transaction", IDGEN_REFILL_TRANSACTION, false},
	{"worker", IDGEN_REFILL_WORKER, false},
	{"auto", IDGEN_REFILL_AUTO, false},
	{NULL, 0, false},
};

/* The name of a refill mode. */
const char *
idgen_refill_mode_name(IdgenRefillMode mode)
{
	const struct config_enum_entry *entry = idgen_refill_modes;

	while (entry->val != (int) mode)
		entry++;
	return entry->name;
}

static bool
check_time_zone(char **value, void **extra, GucSource source)
{
	if (idgen_time_zone_find(*value) != NULL)
		return true;
	GUC_check_errdetail("There is no time zone \"%s\" that does without leap seconds.", *value);
	return false;
}

/* The name has been checked, so the server knows the time zone by now. */
static void
assign_time_zone(const char *value, void *extra)
{
	idgen_period_zone = idgen_time_zone_find(value);
}

/*
 * How many id sequences are cached, and remembered.
 *
 * Shared memory is sized at server start, so these exist only in a server that
 * preloads the library: elsewhere they would have no effect, and the server
 * refuses to define them after startup. The upper bounds keep the size
 * computation far from overflow (about 810 bytes for each id sequence, 110 for
 * each idle one, and 150 for each mark). Two marks are changed at a time, that
 * of an id sequence and that of its centre.
 */
static void
define_cache_settings(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	DefineCustomIntVariable("idgen.max_sequences",
	                        "Sets the number of id sequences that the shared cache has slots for.",
	                        "More id sequences than this still work: the ones not used lately give way, and what they have left is a gap.",
	                        &idgen_max_sequences,
	                        65536, 1, 1000000,
	                        PGC_POSTMASTER,
	                        0,
	                        NULL, NULL, NULL);

	DefineCustomIntVariable("idgen.max_centre_marks",
	                        "Sets the number of id sequences of other servers of which the highest id received is remembered.",
	                        "Each of these servers counts as one more. The ones not used lately are forgotten.",
	                        &idgen_max_centre_marks,
	                        8192, 2, 1000000,
	                        PGC_POSTMASTER,
	                        0,
	                        NULL, NULL, NULL);
}

/* How id sequences are made. */
static void
define_sequence_settings(void)
{
	/*
	 * A superuser's setting. Otherwise a role that may draw could add rows to
	 * id_sequences without the privilege to insert.
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

	DefineCustomEnumVariable("idgen.default_refill",
	                         "Sets the refill of id sequences that are created without one.",
	                         "It is used by idgen_create() and by idgen.auto_create.",
	                         &idgen_default_refill,
	                         IDGEN_REFILL_TRANSACTION, idgen_refill_modes,
	                         PGC_USERSET,
	                         0,
	                         NULL, NULL, NULL);
}

/* When the server log gets a line. */
static void
define_warnings(void)
{
	DefineCustomIntVariable("idgen.warn_remaining",
	                        "Logs a line when a refill leaves less than this percentage of an id sequence's range.",
	                        "There is one line for each percent step. Zero turns the messages off.",
	                        &idgen_warn_remaining,
	                        10, 0, 100,
	                        PGC_SUSET,
	                        0,
	                        NULL, NULL, NULL);

	/* A hundred years are not a forecast any more. */
	DefineCustomIntVariable("idgen.warn_days",
	                        "Has idgen_health name an id sequence that will be used up within this many days at its present rate.",
	                        "Zero has it name none.",
	                        &idgen_warn_days,
	                        30, 0, 36500,
	                        PGC_SUSET,
	                        0,
	                        NULL, NULL, NULL);
}

/* When periods begin. */
static void
define_period_settings(void)
{
	/*
	 * A superuser's setting. Otherwise a client would choose the year that its
	 * ids are counted in, and perhaps without knowing.
	 */
	DefineCustomStringVariable("idgen.period_time_zone",
	                           "Sets the time zone that decides when a period of an id sequence begins.",
	                           "It counts for id sequences whose time_zone is null.",
	                           &idgen_period_time_zone,
	                           "UTC",
	                           PGC_SUSET,
	                           0,
	                           check_time_zone, assign_time_zone, NULL);
}

/* What ids are composed of. */
static void
define_id_settings(void)
{
	/*
	 * The number of the server, not of a session. It gets ten bits of a
	 * time-ordered id. A composed id has room for 1 to 8 only.
	 */
	DefineCustomStringVariable("idgen.node_id",
	                           "Sets the number that tells this server's ids from those of other servers, 0 to 1023.",
	                           "It is part of time-ordered ids and of ids with a layout. Servers whose ids meet must have different numbers. With \"auto\", the centre gives each its own.",
	                           &idgen_node_id_setting,
	                           "0",
	                           PGC_SIGHUP,
	                           0,
	                           idgen_check_node_id, idgen_assign_node_id, NULL);

	/* It gets one decimal digit of a composed id. */
	DefineCustomIntVariable("idgen.channel",
	                        "Sets the channel in ids that this session draws with layout \"prefixed\".",
	                        "Application nodes that share a server each set their own.",
	                        &idgen_channel,
	                        0, 0, 9,
	                        PGC_USERSET,
	                        0,
	                        NULL, NULL, NULL);
}

/*
 * How the node number is leased. A process of the server does so, which has
 * connected to one database for good.
 */
static void
define_lease_settings(void)
{
	if (process_shared_preload_libraries_in_progress)
		DefineCustomStringVariable("idgen.node_database",
		                           "Sets the database that has the connection to the centre that leases node numbers.",
		                           "It counts if idgen.node_id is \"auto\".",
		                           &idgen_node_database,
		                           "postgres",
		                           PGC_POSTMASTER,
		                           0,
		                           NULL, NULL, NULL);

	DefineCustomStringVariable("idgen.node_server",
	                           "Sets the foreign server, in idgen.node_database, that leads to the centre that leases node numbers.",
	                           "It counts if idgen.node_id is \"auto\".",
	                           &idgen_node_server,
	                           "idgen_default",
	                           PGC_SIGHUP,
	                           0,
	                           NULL, NULL, NULL);

	/*
	 * The least value leaves a few hundred milliseconds for a renewal. With
	 * more than a month, nobody would notice that renewals fail.
	 */
	DefineCustomIntVariable("idgen.node_lease",
	                        "Sets for how long the centre leases a node number.",
	                        "A third of that after each renewal comes the next one. So long can the centre be away.",
	                        &idgen_node_lease,
	                        300, 1, 30 * 86400,
	                        PGC_SIGHUP,
	                        GUC_UNIT_S,
	                        NULL, NULL, NULL);

	DefineCustomIntVariable("idgen.min_node_id",
	                        "Sets the least node number that this server leases.",
	                        "Servers that draw no ids with a layout can leave 1 to 8 to others.",
	                        &idgen_min_node_id,
	                        1, 1, IDGEN_MAX_NODE,
	                        PGC_SIGHUP,
	                        0,
	                        NULL, NULL, NULL);
}

/*
 * How much the worker refills, and how long it stays. It reads these settings,
 * so a session's own value would have no effect.
 */
static void
define_worker_settings(void)
{
	DefineCustomIntVariable("idgen.prefetch_threshold",
	                        "Sets the percentage of the last allocation at which the worker refills ahead.",
	                        "Zero means that it refills only when no id is left.",
	                        &idgen_prefetch_threshold,
	                        50, 0, 100,
	                        PGC_SIGHUP,
	                        0,
	                        NULL, NULL, NULL);

	/* The upper bound, times the greatest block_size, is far from overflow. */
	DefineCustomIntVariable("idgen.max_prefetch_blocks",
	                        "Sets the maximum number of blocks that one refill ahead of need allocates.",
	                        "Refills begin with one block, and take more when blocks are used up fast.",
	                        &idgen_max_prefetch_blocks,
	                        64, 1, 1000000,
	                        PGC_SIGHUP,
	                        0,
	                        NULL, NULL, NULL);

	/*
	 * Not above a day: what is kept is lost when the server stops.
	 */
	DefineCustomIntVariable("idgen.bridge_seconds",
	                        "Sets for how long the ids last that the worker keeps for an outage of another server.",
	                        "It keeps as many as were used in that time at the rate of late. Zero keeps none for that.",
	                        &idgen_bridge_seconds,
	                        0, 0, SECS_PER_DAY,
	                        PGC_SIGHUP,
	                        GUC_UNIT_S,
	                        NULL, NULL, NULL);

	DefineCustomIntVariable("idgen.worker_idle_timeout",
	                        "Sets how long the worker of a database waits for the next request before it exits.",
	                        NULL,
	                        &idgen_worker_idle_timeout,
	                        3000, 0, INT_MAX,
	                        PGC_SIGHUP,
	                        GUC_UNIT_MS,
	                        NULL, NULL, NULL);
}

/* How long calls wait for the worker, and how long refills may take. */
static void
define_timeouts(void)
{
	DefineCustomIntVariable("idgen.worker_timeout",
	                        "Sets how long a call waits for the worker when no id is left.",
	                        "The value in the configuration file is also how long the worker tries to lock a row.",
	                        &idgen_worker_timeout,
	                        10000, 1, INT_MAX,
	                        PGC_USERSET,
	                        GUC_UNIT_MS,
	                        NULL, NULL, NULL);

	/*
	 * A worker starts within some 10 ms. The default leaves room for a busy
	 * machine, and is short enough for a call that waits in vain.
	 */
	DefineCustomIntVariable("idgen.worker_start_timeout",
	                        "Sets how long a call with refill \"auto\" waits for a worker to start before it refills itself.",
	                        "Zero means that it does not wait while a worker starts.",
	                        &idgen_worker_start_timeout,
	                        1000, 0, INT_MAX,
	                        PGC_USERSET,
	                        GUC_UNIT_MS,
	                        NULL, NULL, NULL);

	/*
	 * By default shorter than idgen.worker_timeout: a session that waits for
	 * the worker then learns what failed, and not only that it took too long.
	 */
	DefineCustomIntVariable("idgen.server_timeout",
	                        "Sets how long a refill from another server may take.",
	                        "Connecting to that server is part of it. The worker does not see what a session sets.",
	                        &idgen_server_timeout,
	                        5000, 1, INT_MAX,
	                        PGC_USERSET,
	                        GUC_UNIT_MS,
	                        NULL, NULL, NULL);
}

/* What is done about another server that has gone back. */
static void
define_centre_settings(void)
{
	/* It decides about ids of all sessions, so no session has a say in it. */
	DefineCustomIntVariable("idgen.step_over",
	                        "Sets how many ids are stepped over when another server has gone back.",
	                        "Zero means that a refill from there is an error.",
	                        &idgen_step_over,
	                        0, 0, INT_MAX,
	                        PGC_SIGHUP,
	                        0,
	                        NULL, NULL, NULL);
}

/*
 * Define the settings. Called once, when the library is loaded.
 */
void
idgen_guc_init(void)
{
	define_cache_settings();
	define_sequence_settings();
	define_warnings();
	define_period_settings();
	define_id_settings();
	define_lease_settings();
	define_worker_settings();
	define_timeouts();
	define_centre_settings();
	MarkGUCPrefixReserved("idgen");
}

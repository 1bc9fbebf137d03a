/*
 * guc.c
 *		The settings of idgen, all in one place; and what the processes that
 *		work for all sessions set.
 */
#include "postgres.h"

#include <limits.h>

#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "common/clock.h"
#include "common/guc.h"
#include "common/period.h"

int idgen_max_sequences = 65536;
int idgen_max_watermarks = 1000;
bool idgen_auto_create = false;
int idgen_default_block_size = 20;
int idgen_default_refill = IDGEN_REFILL_TRANSACTION;
int idgen_warn_remaining = 10;
static int idgen_warn_days = 30;      /* view idgen_health reads it */
static int idgen_warn_watermark = 60; /* the same */
static char *period_time_zone = NULL;
pg_tz *idgen_period_zone = NULL;
static char *node_id = NULL;
int idgen_node_id = 0;
IdgenNode idgen_node = {.number = 0, .last_time = IDGEN_MAX_ID_TIME};
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

/* A setting that is an integer. */
typedef struct IntegerSetting
{
	const char *name;
	int *value;
	int boot;
	int min;
	int max;
	GucContext context; /* PGC_POSTMASTER: only if the library is preloaded */
	int flags;
	const char *short_description;
	const char *long_description;
} IntegerSetting;

static const IntegerSetting integers[] = {
	/*
	 * How many id sequences are cached. Shared memory is sized at server start,
	 * so this exists only in a server that preloads the library: elsewhere it
	 * would have no effect, and the server refuses to define it after startup.
	 * The upper bound keeps the size computation far from overflow (328 bytes
	 * for each id sequence).
	 */
	{"idgen.max_sequences", &idgen_max_sequences, 65536, 1, 1000000, PGC_POSTMASTER, 0,
     "Sets the number of id sequences that the shared cache has slots for.",
     "More id sequences than this still work: the ones not used lately give way, and what they have left is a gap."},
	{"idgen.max_watermarks", &idgen_max_watermarks, 1000, 1, 1000000, PGC_POSTMASTER, 0,
     "Sets the number of id sequences whose watermarks can be kept at the same time.",
     "Of more than this, those that no transaction draws from just now give way."},
	{"idgen.default_block_size", &idgen_default_block_size, 20, 1, INT_MAX, PGC_USERSET, 0,
     "Sets the block_size of id sequences that are created without one.",
     "It is used by idgen_create() and by idgen.auto_create."},

	/* Who is warned when. A hundred years are not a forecast any more. */
	{"idgen.warn_remaining", &idgen_warn_remaining, 10, 0, 100, PGC_SUSET, 0,
     "Logs a line when a refill leaves less than this percentage of an id sequence's range.",
     "There is one line for each percent step. Zero turns the messages off."},
	{"idgen.warn_days", &idgen_warn_days, 30, 0, 36500, PGC_SUSET, 0,
     "Has idgen_health name an id sequence that will be used up within this many days at its present rate.",
     "Zero has it name none."},
	{"idgen.warn_watermark", &idgen_warn_watermark, 60, 0, INT_MAX, PGC_SUSET, GUC_UNIT_S,
     "Sets for how long a transaction may hold a watermark down before idgen_health says so.",
     "Zero turns that off."},

	/* what ids are composed of: one decimal digit */
	{"idgen.channel", &idgen_channel, 0, 0, 9, PGC_USERSET, 0,
     "Sets the channel in ids that this session draws with layout \"prefixed\".",
     "Application nodes that share a server each set their own."},

	/*
	 * How the node number is leased. The least value leaves a few hundred
	 * milliseconds for a renewal. With more than a month, nobody would notice
	 * that renewals fail.
	 */
	{"idgen.node_lease", &idgen_node_lease, 300, 1, 30 * 86400, PGC_SIGHUP, GUC_UNIT_S,
     "Sets for how long the centre leases a node number.",
     "A third of that after each renewal comes the next one. So long can the centre be away."},
	{"idgen.min_node_id", &idgen_min_node_id, 1, 1, IDGEN_MAX_NODE, PGC_SIGHUP, 0,
     "Sets the least node number that this server leases.",
     "Servers that draw no ids with a layout can leave 1 to 8 to others."},

	/*
	 * How much the worker refills, and how long it stays. It reads these
	 * settings, so a session's own value would have no effect. The most blocks
	 * times the greatest block_size is far from overflow. A reserve of more
	 * than a day is lost when the server stops.
	 */
	{"idgen.prefetch_threshold", &idgen_prefetch_threshold, 50, 0, 100, PGC_SIGHUP, 0,
     "Sets the percentage of the last allocation at which the worker refills ahead.",
     "Zero means that it refills only when no id is left."},
	{"idgen.max_prefetch_blocks", &idgen_max_prefetch_blocks, 64, 1, 1000000, PGC_SIGHUP, 0,
     "Sets the maximum number of blocks that one refill ahead of need allocates.",
     "Refills begin with one block, and take more when blocks are used up fast."},
	{"idgen.bridge_seconds", &idgen_bridge_seconds, 0, 0, SECS_PER_DAY, PGC_SIGHUP, GUC_UNIT_S,
     "Sets for how long the ids last that the worker keeps for an outage of another server.",
     "It keeps as many as were used in that time at the rate of late. Zero keeps none for that."},
	{"idgen.worker_idle_timeout", &idgen_worker_idle_timeout, 3000, 0, INT_MAX, PGC_SIGHUP, GUC_UNIT_MS,
     "Sets how long the worker of a database waits for the next request before it exits.",
     NULL},

	/*
	 * How long calls wait for the worker, and how long refills may take. A
	 * worker starts within some 10 ms: the default leaves room for a busy
	 * machine, and is short enough for a call that waits in vain. The time for
	 * another server is shorter than that for the worker: a session that waits
	 * for the worker then learns what failed, and not only that it took too
	 * long.
	 */
	{"idgen.worker_timeout", &idgen_worker_timeout, 10000, 1, INT_MAX, PGC_USERSET, GUC_UNIT_MS,
     "Sets how long a call waits for the worker when no id is left.",
     "The value in the configuration file is also how long the worker tries to lock a row."},
	{"idgen.worker_start_timeout", &idgen_worker_start_timeout, 1000, -1, INT_MAX, PGC_USERSET, GUC_UNIT_MS,
     "Sets how long a call with refill \"auto\" waits for a worker to start before it refills itself.",
     "Zero means that it does not wait while a worker starts, -1 that it asks none."},
	{"idgen.server_timeout", &idgen_server_timeout, 5000, 1, INT_MAX, PGC_USERSET, GUC_UNIT_MS,
     "Sets how long a refill from another server may take.",
     "Connecting to that server is part of it. The worker does not see what a session sets."},

	/* It decides about ids of all sessions, so no session has a say in it. */
	{"idgen.step_over", &idgen_step_over, 0, 0, INT_MAX, PGC_SIGHUP, 0,
     "Sets how many ids are stepped over when another server has gone back.",
     "Zero means that a refill from there is an error."},
};

const struct config_enum_entry idgen_refill_modes[] = {
	{"transaction", IDGEN_REFILL_TRANSACTION, false},
	{"worker", IDGEN_REFILL_WORKER, false},
	{"auto", IDGEN_REFILL_AUTO, false},
	{NULL, 0, false},
};

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

/* What idgen.node_id says. Returns false if it makes no sense. */
static bool
parse_node_id(const char *value, int *number)
{
	if (pg_strcasecmp(value, IDGEN_NODE_ID_AUTO) == 0)
	{
		*number = IDGEN_NODE_LEASED;
		return true;
	}
	return parse_int(value, number, 0, NULL) && *number >= 0 && *number <= IDGEN_MAX_NODE;
}

static bool
check_node_id(char **value, void **extra, GucSource source)
{
	int number;

	if (parse_node_id(*value, &number))
		return true;
	GUC_check_errdetail("It must be a number from 0 to %d, or \"%s\".", IDGEN_MAX_NODE, IDGEN_NODE_ID_AUTO);
	return false;
}

/*
 * The value has been checked. A leased number is found out when it is needed
 * next, so each reload of the configuration forgets it.
 */
static void
assign_node_id(const char *value, void *extra)
{
	(void) parse_node_id(value, &idgen_node_id);
	if (idgen_node_id == IDGEN_NODE_LEASED)
		idgen_node = (IdgenNode){.number = 0, .last_time = -1};
	else
		idgen_node = (IdgenNode){.number = idgen_node_id, .last_time = IDGEN_MAX_ID_TIME};
}

/* Define the settings. Called once, when the library is loaded. */
void
idgen_guc_init(void)
{
	for (int i = 0; i < (int) lengthof(integers); i++)
	{
		const IntegerSetting *setting = &integers[i];

		if (setting->context != PGC_POSTMASTER || process_shared_preload_libraries_in_progress)
			DefineCustomIntVariable(setting->name, setting->short_description, setting->long_description,
			                        setting->value, setting->boot, setting->min, setting->max,
			                        setting->context, setting->flags,
			                        NULL, NULL, NULL);
	}

	/*
	 * A superuser's setting. Otherwise a role that may draw could add rows to
	 * id_sequences without the privilege to insert.
	 */
	DefineCustomBoolVariable("idgen.auto_create",
	                         "Creates an unknown id sequence on its first use.",
	                         "The new row starts at 1 with a block_size of idgen.default_block_size.",
	                         &idgen_auto_create, false,
	                         PGC_SUSET, 0, NULL, NULL, NULL);

	DefineCustomEnumVariable("idgen.default_refill",
	                         "Sets the refill of id sequences that are created without one.",
	                         "It is used by idgen_create() and by idgen.auto_create.",
	                         &idgen_default_refill, IDGEN_REFILL_TRANSACTION, idgen_refill_modes,
	                         PGC_USERSET, 0, NULL, NULL, NULL);

	/*
	 * A superuser's setting. Otherwise a client would choose the year that its
	 * ids are counted in, and perhaps without knowing.
	 */
	DefineCustomStringVariable("idgen.period_time_zone",
	                           "Sets the time zone that decides when a period of an id sequence begins.",
	                           "It counts for id sequences whose time_zone is null.",
	                           &period_time_zone, "UTC",
	                           PGC_SUSET, 0, check_time_zone, assign_time_zone, NULL);

	/*
	 * The number of the server, not of a session. It gets ten bits of a
	 * time-ordered id. A composed id has room for 1 to 8 only. The setting is a
	 * text, as the server's recovery_target_timeline is: mostly a number, and a
	 * word in its place. (A setting of its own for the word was turned down:
	 * two settings could contradict each other.)
	 */
	DefineCustomStringVariable("idgen.node_id",
	                           "Sets the number that tells this server's ids from those of other servers, 0 to 1023.",
	                           "It is part of time-ordered ids and of ids with a layout. Servers whose ids meet must have different numbers. With \"auto\", the centre gives each its own.",
	                           &node_id, "0",
	                           PGC_SIGHUP, 0, check_node_id, assign_node_id, NULL);

	/* Who leases the number has connected to one database for good. */
	if (process_shared_preload_libraries_in_progress)
		DefineCustomStringVariable("idgen.node_database",
		                           "Sets the database that has the connection to the centre that leases node numbers.",
		                           "It counts if idgen.node_id is \"auto\".",
		                           &idgen_node_database, "postgres",
		                           PGC_POSTMASTER, 0, NULL, NULL, NULL);

	DefineCustomStringVariable("idgen.node_server",
	                           "Sets the foreign server, in idgen.node_database, that leads to the centre that leases node numbers.",
	                           "It counts if idgen.node_id is \"auto\".",
	                           &idgen_node_server, "idgen_default",
	                           PGC_SIGHUP, 0, NULL, NULL, NULL);

	MarkGUCPrefixReserved("idgen");
}

/*
 * Settings of the database or the role must not get into the way of a process
 * that works for all sessions. It has just connected.
 */
void
idgen_override_settings(void)
{
	static const char *const settings[][2] = {
		{"search_path", "pg_catalog, pg_temp"},
		{"default_transaction_read_only", "off"},
		{"default_transaction_isolation", "read committed"},
		{"transaction_timeout", "0"}, /* 17 has it */
	};

	for (int i = 0; i < (int) lengthof(settings); i++)
		if (GetConfigOption(settings[i][0], true, false) != NULL)
			SetConfigOption(settings[i][0], settings[i][1], PGC_SUSET, PGC_S_OVERRIDE);
}

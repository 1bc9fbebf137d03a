/*
 * stop_at_commit.c
 *		Lets a test stop a server process in the middle of a commit.
 *
 * To be preloaded before idgen. While there is a file of that name in the data
 * directory, with the process's number behind it, a commit of the process stops
 *
 *	before_commit.PID
 *		when idgen has done what comes before the commit;
 *	after_commit.PID
 *		when others see what was committed, and before idgen does what comes
 *		after it. The locks of the transaction are still held.
 */
#include "postgres.h"

#include <unistd.h>

#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"

PG_MODULE_MAGIC;

void _PG_init(void);

static void
stop_while(const char *when)
{
	char file[64];

	snprintf(file, sizeof(file), "%s.%d", when, MyProcPid);
	while (access(file, F_OK) == 0)
		pg_usleep(10000L);
}

static void
after_commit(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_COMMIT)
		stop_while("after_commit");
}

/* The server calls what was registered last first. */
static void
before_commit(XactEvent event, void *arg)
{
	static bool registered = false;

	if (!registered)
		RegisterXactCallback(after_commit, NULL);
	registered = true;
	if (event == XACT_EVENT_PRE_COMMIT)
		stop_while("before_commit");
}

void
_PG_init(void)
{
	RegisterXactCallback(before_commit, NULL);
}

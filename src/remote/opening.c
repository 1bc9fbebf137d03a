/*
 * opening.c
 *		Opening a connection: which host is tried, when, and for how long.
 *
 * The hosts are tried in rounds. Each round begins with the host that was good
 * last, whichever process has found that out, and goes on in the order of the
 * options. If no host will do, there is a pause, then the next round, until the
 * time is over. So a server that is being started, or a standby that is being
 * promoted, is reached as soon as it is there.
 *
 * When several hosts are given, libpq would try the next one only when the one
 * before has answered "no", and not when it is silent. So each is tried by
 * itself, with an equal share of the time that is left. Several addresses of
 * one name, though, are one host. In the rounds that follow, a host that was
 * silent gets a small share only: the others may be about to come up.
 *
 * A host is useless if somebody has to change something before it will do, such
 * as a password. It is tried once. When all hosts are, the opening is over.
 *
 * The pauses get longer as the outage lasts: each is a part of it. So short
 * outages are noticed fast to be over, and in long ones there are few attempts.
 * What others have noted of an outage counts as well, so an opening may begin
 * with a pause.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "remote/opening.h"
#include "remote/reach.h"
#include "shmem/other_servers.h"

/* A pause is this part of the outage so far, within limits. */
#define IDGEN_PAUSE_DIVISOR 8
#define IDGEN_PAUSE_MIN_MS  20
#define IDGEN_PAUSE_MAX_MS  1000

/* The part of the whole time that a host gets again that was silent. */
#define IDGEN_SILENT_DIVISOR 10

/* The current host, from 0. */
int
idgen_opening_host(const IdgenOpening *opening)
{
	if (opening->turn == 0)
		return opening->first_host;
	return opening->turn <= opening->first_host ? opening->turn - 1 : opening->turn;
}

/* The bit that stands for the current host. */
static uint32
host_bit(const IdgenOpening *opening)
{
	return UINT32_C(1) << idgen_opening_host(opening);
}

/* Are all hosts useless? */
bool
idgen_opening_is_useless(const IdgenOpening *opening)
{
	return opening->useless_hosts == (UINT32_C(1) << opening->options->nhosts) - 1;
}

/*
 * Has the current round had too little time? The deadline has passed, or a host
 * was silent that had answered in the rounds before, when it had more time.
 */
static bool
is_hurried(const IdgenOpening *opening)
{
	return (opening->silent_hosts & ~opening->silent_before) != 0 ||
		GetCurrentTimestamp() >= opening->deadline;
}

/*
 * Why none of the hosts would do, palloc'd. If the last round had too little
 * time, the one before says more.
 */
const char *
idgen_opening_failures(const IdgenOpening *opening)
{
	const StringInfoData *lasting = opening->useless_because;
	const StringInfoData *passing = opening->failures;

	if (opening->failures_before->len > 0 && is_hurried(opening))
		passing = opening->failures_before;

	return psprintf("%s%s%s", lasting->data, lasting->len > 0 && passing->len > 0 ? "\n" : "", passing->data);
}

static TimestampTz
pause_until(const IdgenOpening *opening, TimestampTz from)
{
	int64 ms = (from - opening->outage_since) / 1000 / IDGEN_PAUSE_DIVISOR;

	return TimestampTzPlusMilliseconds(from, Min(Max(ms, IDGEN_PAUSE_MIN_MS), IDGEN_PAUSE_MAX_MS));
}

/*
 * When to give up the current host: after connect_timeout, and such that the
 * hosts that follow have time as well.
 */
static TimestampTz
host_deadline(const IdgenOpening *opening)
{
	const IdgenConnectOptions *options = opening->options;
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz due = now + (opening->deadline - now) / (options->nhosts - opening->turn);

	if (opening->rounds > 1 && (opening->silent_hosts & host_bit(opening)) != 0)
		due = Min(due, now + (opening->deadline - opening->begun_at) / IDGEN_SILENT_DIVISOR);
	if (options->connect_timeout > 0)
		due = Min(due, now + options->connect_timeout * USECS_PER_SEC);
	return due;
}

/* All hosts have had their turn. */
static IdgenOpeningStep
end_round(IdgenOpening *opening)
{
	if (idgen_opening_is_useless(opening))
		return IDGEN_OPENING_OVER;
	opening->due = pause_until(opening, GetCurrentTimestamp());
	if (opening->due >= opening->deadline)
		return IDGEN_OPENING_OVER;
	idgen_reach_note_vain_round(opening->serverid, opening->begun_at, idgen_opening_failures(opening));
	return IDGEN_OPENING_PAUSE;
}

/* Go on with the current host, unless that is useless. */
static IdgenOpeningStep
go_on(IdgenOpening *opening)
{
	while (opening->turn < opening->options->nhosts && (opening->useless_hosts & host_bit(opening)) != 0)
		opening->turn++;
	if (opening->turn == opening->options->nhosts)
		return end_round(opening);
	opening->due = host_deadline(opening);
	return IDGEN_OPENING_TRY;
}

static IdgenOpeningStep
begin_round(IdgenOpening *opening)
{
	MemoryContext context;

	resetStringInfo(opening->failures_before);
	appendStringInfoString(opening->failures_before, opening->failures->data);
	MemoryContextReset(opening->memory);
	context = MemoryContextSwitchTo(opening->memory);
	opening->failures = makeStringInfo();
	MemoryContextSwitchTo(context);
	opening->silent_before = opening->silent_hosts;
	opening->rounds++;
	opening->turn = 0;
	opening->settings = 0;
	return go_on(opening);
}

/* The host that was good last; the first one if that is not known. */
static int
find_good_host(const IdgenOpening *opening)
{
	uint32 good = opening->options->nhosts > 1 ? idgen_good_host_find(opening->serverid) : 0;

	for (int i = 0; good != 0 && i < opening->options->nhosts; i++)
		if (opening->options->hosts[i].hash == good)
			return i;
	return 0;
}

/*
 * Begin to open a connection, which is to be there before the deadline. All
 * texts belong to the current memory context. If somebody has just tried in
 * vain, there is a pause first, which leaves most of the time.
 */
IdgenOpeningStep
idgen_opening_begin(IdgenOpening *opening, const IdgenConnectOptions *options, Oid serverid,
                    TimestampTz deadline)
{
	TimestampTz now = GetCurrentTimestamp();
	IdgenUnreachable unreachable;

	*opening = (IdgenOpening){
		.options = options,
		.serverid = serverid,
		.begun_at = now,
		.deadline = deadline,
		.outage_since = now,
		.memory = AllocSetContextCreate(CurrentMemoryContext, "idgen opening", ALLOCSET_SMALL_SIZES),
		.failures = makeStringInfo(),
		.failures_before = makeStringInfo(),
		.useless_because = makeStringInfo(),
	};
	opening->first_host = find_good_host(opening);
	if (!idgen_unreachable_find(serverid, &unreachable))
		return begin_round(opening);
	opening->outage_since = Min(unreachable.since, now);
	opening->due = Min(pause_until(opening, Min(unreachable.latest, now)),
	                   now + (deadline - now) / IDGEN_PAUSE_DIVISOR);
	return opening->due > now ? IDGEN_OPENING_PAUSE : begin_round(opening);
}

/* The current host will not do, for that reason. */
IdgenOpeningStep
idgen_opening_reject(IdgenOpening *opening, IdgenHostVerdict verdict, const char *failure)
{
	StringInfo failures = verdict == IDGEN_HOST_USELESS ? opening->useless_because : opening->failures;

	appendStringInfo(failures, "%s%s", failures->len > 0 ? "\n" : "", failure);
	if (verdict == IDGEN_HOST_USELESS)
		opening->useless_hosts |= host_bit(opening);
	else if (verdict == IDGEN_HOST_SILENT)
		opening->silent_hosts |= host_bit(opening);
	opening->turn++;
	opening->settings = 0;
	return go_on(opening);
}

/* A pause is over. */
IdgenOpeningStep
idgen_opening_resume(IdgenOpening *opening)
{
	return begin_round(opening);
}

/* The current host is good. */
void
idgen_opening_succeed(const IdgenOpening *opening)
{
	if (opening->options->nhosts > 1)
		idgen_good_host_note(opening->serverid, opening->options->hosts[idgen_opening_host(opening)].hash);
}

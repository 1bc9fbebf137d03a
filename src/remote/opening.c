/*
 * opening.c
 *		Opening a connection to another server: which host is tried, when, and
 *		for how long; and what a new session there is told.
 *
 *	CONNECTING ---> SETTLING ---> DONE
 *	  ^ |              |
 *	  | v              v
 *	PAUSED, or the next host, or FAILED
 *
 * PAUSED
 *		All hosts have been tried in vain, be it by somebody else just now. When
 *		the pause is over, it is CONNECTING to the first one again.
 * CONNECTING
 *		To the current host. When there is a link, it is SETTLING. If the host
 *		refuses, is silent for too long, or sends too much, it is CONNECTING to
 *		the next host. If there is none, it is PAUSED; or FAILED, if the time is
 *		over or no host would do later either. It has FAILED as well if the host
 *		has not asked for a password that is required.
 * SETTLING
 *		The new session is told our settings, one statement each. After the last
 *		one, the opening is DONE. If that fails, it goes on with the next host,
 *		as above.
 * DONE
 *		The link is ready for a statement. The caller may say that the host will
 *		not do after all: it goes on with the next one, as above.
 * FAILED
 *		There is an error, and nothing is open.
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

#include "common/compat.h"
#include "remote/opening.h"
#include "remote/reach.h"

/* A pause is this part of the outage so far, within limits. */
#define IDGEN_PAUSE_DIVISOR 8
#define IDGEN_PAUSE_MIN_MS  20
#define IDGEN_PAUSE_MAX_MS  1000

/* The part of the whole time that a host gets again that was silent. */
#define IDGEN_SILENT_DIVISOR 10

/* Why a host will not do. */
typedef enum Verdict
{
	HOST_NOT_NOW, /* it may do later */
	HOST_SILENT,  /* it has not answered in time */
	HOST_USELESS, /* it will not do later either */
} Verdict;

/*
 * What a new session at another server is told, if it is a PostgreSQL server:
 * two sessions that allocate at the same time wait for each other, rather than
 * that one fails and is sent again. And the server notices within a second that
 * we have gone (14 or later, not on every system). What is good already is set
 * as well: else it would follow changes of the other server's configuration
 * file. The first statement also shows whether the server knows set_config(),
 * which the statement that allocates calls.
 *
 * A pooler may send each statement to another session. So nothing that ids
 * depend on is set here: what makes a commit synchronous is in the statement
 * that allocates (centre.c). What is set here spares statements that are
 * repeated, and processes that wait for nobody.
 */
static const char *const settings[] = {
	"SELECT pg_catalog.set_config('default_transaction_isolation', 'read committed', false)",

	"SELECT pg_catalog.set_config(name, CASE WHEN setting = '0' THEN '1s' ELSE setting END, false)"
	" FROM pg_catalog.pg_settings WHERE name = 'client_connection_check_interval'",
};

/* The current host, from 0. */
static int
current_host(const IdgenOpening *opening)
{
	if (opening->turn == 0)
		return opening->first_host;
	return opening->turn <= opening->first_host ? opening->turn - 1 : opening->turn;
}

/* The bit that stands for the current host. */
static uint32
host_bit(const IdgenOpening *opening)
{
	return UINT32_C(1) << current_host(opening);
}

/* Are all hosts useless? */
static bool
are_all_useless(const IdgenOpening *opening)
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
static const char *
all_failures(const IdgenOpening *opening)
{
	const StringInfoData *lasting = opening->useless_because;
	const StringInfoData *passing = opening->failures;

	if (opening->failures_before->len > 0 && is_hurried(opening))
		passing = opening->failures_before;

	return psprintf("%s%s%s", lasting->data, lasting->len > 0 && passing->len > 0 ? "\n" : "", passing->data);
}

/* The connection cannot be opened, for that reason. */
static void
fail(IdgenOpening *opening, const char *reason, const char *hint)
{
	opening->state = IDGEN_OPENING_FAILED;
	opening->error = (IdgenRemoteError){
		.sqlerrcode = ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
		.message = psprintf("could not connect to server \"%s\"", opening->server),
		.detail = reason,
		.hint = hint,
		.lasts = are_all_useless(opening),
	};
}

/* There is a connection, but not by that user's own password. */
static void
fail_without_password(IdgenOpening *opening)
{
	opening->state = IDGEN_OPENING_FAILED;
	opening->error = (IdgenRemoteError){
		.sqlerrcode = ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED,
		.message = "password is required",
		.detail = psprintf("Server \"%s\" has not asked for it.", opening->server),
		.hint = "Change the authentication method there, or have a superuser set password_required to false in the user mapping.",
	};
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
static void
end_round(IdgenOpening *opening)
{
	opening->due = pause_until(opening, GetCurrentTimestamp());
	if (are_all_useless(opening) || opening->due >= opening->deadline)
	{
		fail(opening, all_failures(opening), NULL);
		return;
	}
	opening->state = IDGEN_OPENING_PAUSED;
	idgen_reach_note_vain_round(opening->serverid, opening->begun_at, all_failures(opening));
}

/* Go on with the current host, unless that is useless: CONNECTING. */
static void
go_on(IdgenOpening *opening)
{
	const IdgenConnectOptions *options = opening->options;

	while (opening->turn < options->nhosts && (opening->useless_hosts & host_bit(opening)) != 0)
		opening->turn++;
	if (opening->turn == options->nhosts)
	{
		end_round(opening);
		return;
	}
	opening->due = host_deadline(opening);
	opening->settings_sent = 0;
	if (idgen_link_start(opening->link, options->keywords, options->hosts[current_host(opening)].values))
		opening->state = IDGEN_OPENING_CONNECTING;
	else
		fail(opening, "There are too many open files on the local server.",
		     "Raise the server's max_files_per_process and/or \"ulimit -n\" limits.");
}

static void
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
	go_on(opening);
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
 * Begin to open a connection, which is to be there before the deadline. The
 * link is closed. All texts belong to the current memory context. If somebody
 * has just tried in vain, there is a pause first, which leaves most of the
 * time.
 */
void
idgen_opening_begin(IdgenOpening *opening, IdgenLink *link, const IdgenConnectOptions *options,
                    Oid serverid, const char *server, TimestampTz deadline)
{
	TimestampTz now = GetCurrentTimestamp();
	IdgenUnreachable unreachable;

	*opening = (IdgenOpening){
		.options = options,
		.serverid = serverid,
		.server = server,
		.link = link,
		.state = IDGEN_OPENING_PAUSED,
		.begun_at = now,
		.deadline = deadline,
		.outage_since = now,
		.due = now,
		.memory = AllocSetContextCreate(CurrentMemoryContext, "idgen opening", ALLOCSET_SMALL_SIZES),
		.failures = makeStringInfo(),
		.failures_before = makeStringInfo(),
		.useless_because = makeStringInfo(),
	};
	opening->first_host = find_good_host(opening);
	if (idgen_reach_find(serverid, &unreachable))
	{
		opening->outage_since = Min(unreachable.since, now);
		opening->due = Min(pause_until(opening, Min(unreachable.latest, now)),
		                   now + (deadline - now) / IDGEN_PAUSE_DIVISOR);
	}
	if (opening->due <= now)
		begin_round(opening);
}

/* Note why the current host will not do. */
static void
reject(IdgenOpening *opening, Verdict verdict, const char *failure)
{
	StringInfo failures = verdict == HOST_USELESS ? opening->useless_because : opening->failures;

	appendStringInfo(failures, "%s%s", failures->len > 0 ? "\n" : "", failure);
	if (verdict == HOST_USELESS)
		opening->useless_hosts |= host_bit(opening);
	else if (verdict == HOST_SILENT)
		opening->silent_hosts |= host_bit(opening);
	opening->turn++;
}

/* The current host will not do, for that reason: go on with the next one. */
static void
next_host(IdgenOpening *opening, Verdict verdict, const char *failure)
{
	reject(opening, verdict, failure);
	idgen_link_close(opening->link);
	go_on(opening);
}

/*
 * It is DONE, and of no use: the host only reads, or is about to end. Go on
 * with the next one.
 */
void
idgen_opening_reject_host(IdgenOpening *opening, const char *failure)
{
	next_host(opening, HOST_NOT_NOW, failure);
}

/* The verdict on a host that has refused with that SQLSTATE. */
static Verdict
verdict_on(int sqlerrcode)
{
	return idgen_sqlstate_passes(sqlerrcode) ? HOST_NOT_NOW : HOST_USELESS;
}

/* The current host is silent: why it will not do, palloc'd. */
static const char *
why_silent(const IdgenOpening *opening)
{
	const PGconn *conn = opening->link->conn;

	return psprintf("There was no answer from host \"%s\", port %s, in time.", PQhost(conn), PQport(conn));
}

/*
 * Is it libpq itself that refuses: what the other server has said, or what the
 * options say? The options stay the same, so they are looked at once.
 */
static bool
libpq_refuses(const IdgenOpening *opening)
{
	if (idgen_link_is_objected_to(opening->link))
		return true;
	return opening->rounds == 1 && !opening->link->valve.open && !idgen_link_accepts_options(opening->link);
}

/*
 * There is no link to the current host. In whatever language, libpq names a
 * requirement that was not met.
 */
static void
take_refusal(IdgenOpening *opening)
{
	const IdgenLink *link = opening->link;
	char *message = pstrdup(idgen_link_error(link));
	int sqlerrcode = idgen_take_sqlstate(message);
	Verdict verdict = sqlerrcode == 0 && libpq_refuses(opening) ? HOST_USELESS : verdict_on(sqlerrcode);

	if (opening->options->password_required &&
	    strstr(PQerrorMessage(link->conn), IDGEN_PASSWORD_METHODS) != NULL)
		fail_without_password(opening);
	else
		next_host(opening, verdict, message);
}

/* The current host is good: DONE. */
static void
succeed(IdgenOpening *opening)
{
	opening->state = IDGEN_OPENING_DONE;
	if (opening->options->nhosts > 1)
		idgen_good_host_note(opening->serverid, opening->options->hosts[current_host(opening)].hash);
}

/* Tell the new session the next setting: SETTLING. If there is none, DONE. */
static void
settle(IdgenOpening *opening)
{
	if (opening->settings_sent == lengthof(settings))
		succeed(opening);
	else if (idgen_link_send(opening->link, settings[opening->settings_sent++], 0, NULL) == IDGEN_LINK_FAILED)
		next_host(opening, HOST_NOT_NOW, idgen_link_error(opening->link));
	else
		opening->state = IDGEN_OPENING_SETTLING;
}

/* There is a link to the current host. */
static void
take_link(IdgenOpening *opening)
{
	if (opening->options->password_required && !PQconnectionUsedPassword(opening->link->conn))
		fail_without_password(opening);
	else
		settle(opening);
}

/*
 * Does an answer say that the server has nothing like a setting, which is then
 * done without? It may have another syntax. But a role that must not make a
 * setting is another matter.
 */
static bool
is_unknown_setting(int sqlerrcode)
{
	int category = ERRCODE_TO_CATEGORY(sqlerrcode);

	return sqlerrcode != ERRCODE_INSUFFICIENT_PRIVILEGE &&
		(category == ERRCODE_FEATURE_NOT_SUPPORTED || category == ERRCODE_DATA_EXCEPTION ||
	     category == ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION);
}

/* The server has answered to a setting. */
static void
take_setting(IdgenOpening *opening)
{
	const PGresult *result = opening->link->result;
	bool is_made = PQresultStatus(result) == PGRES_TUPLES_OK;
	int sqlerrcode = idgen_result_sqlstate(result);

	if (!is_made && !is_unknown_setting(sqlerrcode))
	{
		const char *message = idgen_result_message(result);

		next_host(opening, verdict_on(sqlerrcode), message != NULL ? message : "The connection was lost.");
		return;
	}
	if (opening->settings_sent == 1)
		opening->knows_set_config = is_made;
	settle(opening);
}

/* Go on with what is under way over the link, and do what follows from that. */
static void
advance_link(IdgenOpening *opening)
{
	IdgenLink *link = opening->link;
	bool connects = opening->state == IDGEN_OPENING_CONNECTING;
	IdgenLinkProgress progress = connects ? idgen_link_connect(link) : idgen_link_receive(link);

	idgen_warnings_report(&link->warnings, opening->server);
	if (progress == IDGEN_LINK_FAILED && connects)
		take_refusal(opening);
	else if (progress == IDGEN_LINK_FAILED)
		next_host(opening, verdict_on(idgen_result_sqlstate(link->result)), idgen_link_error(link));
	else if (idgen_link_is_flooded(link))
		next_host(opening, HOST_USELESS,
		          psprintf("Server \"%s\" has sent more than %d kB before it was ready.", opening->server, IDGEN_MAX_RECEIVED_KB));
	else if (progress == IDGEN_LINK_DONE && connects)
		take_link(opening);
	else if (progress == IDGEN_LINK_DONE)
		take_setting(opening);
	if (idgen_opening_is_at_host(opening) && GetCurrentTimestamp() >= opening->due)
		next_host(opening, HOST_SILENT, why_silent(opening));
}

/* Go on with it, a small step. */
void
idgen_opening_advance(IdgenOpening *opening)
{
	MemoryContext context = MemoryContextSwitchTo(opening->memory);

	if (idgen_opening_is_at_host(opening))
		advance_link(opening);
	else if (opening->state == IDGEN_OPENING_PAUSED && GetCurrentTimestamp() >= opening->due)
		begin_round(opening);
	MemoryContextSwitchTo(context);
}

/* There is no more time for it: FAILED. */
void
idgen_opening_give_up(IdgenOpening *opening)
{
	if (idgen_opening_is_at_host(opening))
		reject(opening, HOST_SILENT, why_silent(opening));
	fail(opening, all_failures(opening), NULL);
}

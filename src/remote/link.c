/*
 * link.c
 *		A link: libpq's connection to a host, and the valve before it.
 *
 * Here is what libpq needs to be used without blocking. A link is started,
 * then idgen_link_connect() is called until it is there. A statement is sent,
 * then idgen_link_receive() is called until all of the answer is there. Each
 * call does what can be done at once; idgen_link_awaits() says what has to
 * happen to the socket before the next one has anything to do. What that all
 * is good for, and how long it may take, is known by opening.c and
 * remote_query.c.
 *
 * What does block is what libpq does in one go: looking up a host's name, or a
 * service in LDAP, Kerberos, and the rounds of hashing that the other server
 * asks for with SCRAM.
 */
#include "postgres.h"

#include "storage/fd.h"
#include "storage/latch.h"

#include "remote/link.h"

/* libpq's socket, and the valve's */
#define FILES_PER_LINK (1 + IDGEN_VALVE_FILES)

/* How many portions of input are looked at before a link is used again. */
#define MAX_IDLE_PORTIONS 32

/* Give files back of those that this process may have open. */
static void
release_files(int count)
{
	while (count-- > 0)
		ReleaseExternalFD();
}

/*
 * Take files of those that this process may have open. Returns false unless
 * another one is left to wait with.
 */
static bool
acquire_files(int count)
{
	for (int i = 0; i <= count; i++)
	{
		if (!AcquireExternalFD())
		{
			release_files(i);
			return false;
		}
	}
	ReleaseExternalFD(); /* the one to wait with */
	return true;
}

static void
clear_result(IdgenLink *link)
{
	PQclear(link->result);
	link->result = NULL;
}

/* Close it, if there is one. */
void
idgen_link_close(IdgenLink *link)
{
	if (link->conn == NULL)
		return;
	clear_result(link);
	PQfinish(link->conn);
	link->conn = NULL;
	idgen_valve_close(&link->valve);
	release_files(FILES_PER_LINK);
}

/*
 * Begin to connect. There is no link before. Returns false if the process has
 * too many files open.
 */
bool
idgen_link_start(IdgenLink *link, const char *const *keywords, const char *const *values)
{
	Assert(link->conn == NULL);
	if (!acquire_files(FILES_PER_LINK))
		return false;
	link->conn = PQconnectStartParams(keywords, values, false);
	if (link->conn == NULL)
	{
		release_files(FILES_PER_LINK);
		ereport(ERROR,
		        (errcode(ERRCODE_FDW_OUT_OF_MEMORY),
		         errmsg("out of memory")));
	}
	(void) PQsetnonblocking(link->conn, 1);
	(void) PQsetErrorVerbosity(link->conn, PQERRORS_VERBOSE); /* see idgen_take_sqlstate() */
	PQsetNoticeReceiver(link->conn, idgen_warnings_receive, &link->warnings);
	idgen_warnings_reset(&link->warnings);
	link->valve = (IdgenValve){0};
	link->wait_for = WL_SOCKET_WRITEABLE;
	return true;
}

/* Has libpq connected, so that it may read from its socket? */
static bool
has_connected(const IdgenLink *link)
{
	switch (PQstatus(link->conn))
	{
		case CONNECTION_BAD:
		case CONNECTION_NEEDED:
		case CONNECTION_STARTED:
		case CONNECTION_MADE:
			return false;
		default:
			return true;
	}
}

/*
 * Keep the valve where it belongs. libpq connects more than once if a name has
 * several addresses, or if the other server refuses encryption. Returns false
 * if there can be no valve; then that has an error.
 */
static bool
place_valve(IdgenLink *link)
{
	IdgenValve *valve = &link->valve;
	pgsocket socket = PQsocket(link->conn);

	if (valve->open && !idgen_valve_is_in(valve, socket))
		idgen_valve_close(valve);
	if (!valve->open && has_connected(link) && !idgen_valve_open(valve, socket))
		return false;
	if (valve->open)
		idgen_valve_send(valve);
	return true;
}

/*
 * What has to happen to the network before libpq can do what it wants:
 * WL_SOCKET_*; 0 = nothing.
 */
int
idgen_link_awaits(const IdgenLink *link)
{
	const IdgenValve *valve = &link->valve;
	int wait_for = link->wait_for;

	if (PQstatus(link->conn) == CONNECTION_BAD)
		return 0;
	if (!valve->open)
		return wait_for;
	if ((wait_for & WL_SOCKET_WRITEABLE) != 0 && !valve->unsent)
		return 0;
	if ((wait_for & WL_SOCKET_READABLE) != 0 && idgen_valve_has_input(PQsocket(link->conn)))
		return 0;
	return (wait_for & WL_SOCKET_READABLE) | (valve->unsent ? WL_SOCKET_WRITEABLE : 0);
}

/*
 * The socket to which that has to happen; PGINVALID_SOCKET if there is none
 * now.
 */
pgsocket
idgen_link_socket(const IdgenLink *link)
{
	return link->valve.open ? link->valve.network : PQsocket(link->conn);
}

/* Send what the network has not taken before, if there is any. */
static void
send_rest(IdgenLink *link)
{
	if (link->valve.open && link->valve.unsent)
		idgen_valve_send(&link->valve);
}

/* May libpq go on connecting? It must not be called too early. */
static bool
may_poll(IdgenLink *link)
{
	pgsocket socket = PQsocket(link->conn);
	int events = link->wait_for | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH;

	if (PQstatus(link->conn) == CONNECTION_BAD)
		return true;
	if (!link->valve.open)
		return (WaitLatchOrSocket(NULL, events, socket, 0, 0) & link->wait_for) != 0;
	if (link->wait_for == WL_SOCKET_READABLE)
		return idgen_valve_receive(&link->valve, socket);
	return idgen_link_awaits(link) == 0;
}

/* Go on connecting. */
IdgenLinkProgress
idgen_link_connect(IdgenLink *link)
{
	PostgresPollingStatusType next;

	send_rest(link);
	if (!may_poll(link))
		return IDGEN_LINK_WAITS;
	next = PQconnectPoll(link->conn);
	link->wait_for = next == PGRES_POLLING_READING ? WL_SOCKET_READABLE : WL_SOCKET_WRITEABLE;
	if (next == PGRES_POLLING_FAILED || !place_valve(link))
		return IDGEN_LINK_FAILED;
	if (next != PGRES_POLLING_OK)
		return IDGEN_LINK_WAITS;
	(void) PQsetErrorVerbosity(link->conn, PQERRORS_DEFAULT);
	return IDGEN_LINK_DONE;
}

/*
 * Send a statement with parameters, each of which is a text of the type that
 * the statement says. One without parameters goes by the simple protocol,
 * which is known to more of what may be at the other end.
 */
IdgenLinkProgress
idgen_link_send(IdgenLink *link, const char *sql, int nparams, const char *const *params)
{
	int sent;

	clear_result(link);
	if (nparams == 0)
		sent = PQsendQuery(link->conn, sql);
	else
		sent = PQsendQueryParams(link->conn, sql, nparams, NULL, params, NULL, NULL, 0);
	if (!sent)
		return IDGEN_LINK_FAILED;
	idgen_valve_send(&link->valve);
	link->wait_for = WL_SOCKET_READABLE | WL_SOCKET_WRITEABLE;
	return IDGEN_LINK_WAITS;
}

static bool
is_error(const PGresult *result)
{
	return PQresultStatus(result) != PGRES_TUPLES_OK;
}

/* Of several results, keep the first one, but an error in any case. */
static void
keep_result(IdgenLink *link, PGresult *result)
{
	if (link->result != NULL && (is_error(link->result) || !is_error(result)))
	{
		PQclear(result);
		return;
	}
	clear_result(link);
	link->result = result;
}

/* Does it want to copy data? None of our statements does. */
static bool
is_copy(const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);

	return status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH;
}

/*
 * Take what libpq has got of an answer. If that is all, the statement has
 * committed.
 */
static IdgenLinkProgress
take_results(IdgenLink *link)
{
	PGconn *conn = link->conn;
	int unsent = PQflush(conn);
	bool failed = unsent < 0 || !PQconsumeInput(conn);
	PGresult *result;
	bool copies;

	link->wait_for = WL_SOCKET_READABLE | (unsent > 0 ? WL_SOCKET_WRITEABLE : 0);
	while (!PQisBusy(conn))
	{
		result = PQgetResult(conn);
		if (result == NULL)
			return IDGEN_LINK_DONE;
		copies = is_copy(result);
		keep_result(link, result);
		if (copies)
			return IDGEN_LINK_FAILED;
	}
	return failed ? IDGEN_LINK_FAILED : IDGEN_LINK_WAITS;
}

/* Go on receiving the answer to the statement. */
IdgenLinkProgress
idgen_link_receive(IdgenLink *link)
{
	IdgenLinkProgress progress;

	send_rest(link);
	if (!idgen_valve_receive(&link->valve, PQsocket(link->conn)) && idgen_link_awaits(link) != 0)
		return IDGEN_LINK_WAITS;
	progress = take_results(link);
	idgen_valve_send(&link->valve);
	if (progress == IDGEN_LINK_WAITS)
		return progress;
	link->wait_for = 0;
	if (PQstatus(link->conn) != CONNECTION_OK || PQtransactionStatus(link->conn) != PQTRANS_IDLE)
		return IDGEN_LINK_FAILED;
	return progress;
}

/*
 * Is a link there that was not used for a while, as far as can be seen from
 * here? What the other server has said meanwhile is read, up to a limit: it may
 * be that it has ended the connection.
 */
bool
idgen_link_is_alive(IdgenLink *link)
{
	for (int portions = 0; portions < MAX_IDLE_PORTIONS; portions++)
	{
		if (!idgen_valve_receive(&link->valve, PQsocket(link->conn)))
			break;
		if (!PQconsumeInput(link->conn))
			return false;
		(void) PQisBusy(link->conn);
	}
	return PQstatus(link->conn) == CONNECTION_OK;
}

/* Has more come than can be meant for what is under way? */
bool
idgen_link_is_flooded(const IdgenLink *link)
{
	return link->valve.open && link->valve.received > IDGEN_MAX_RECEIVED_KB * INT64CONST(1024);
}

/* The result of the statement, to be cleared by the caller. */
PGresult *
idgen_link_take_result(IdgenLink *link)
{
	PGresult *result = link->result;

	link->result = NULL;
	return result;
}

/*
 * A link could not be had, and the other server has not said why. Does libpq
 * object to that server, which has gone on talking: to its encryption, its
 * certificate, or how it asks for a password? Once libpq has been let in, it
 * may still object that the server only reads, which does not count.
 */
bool
idgen_link_is_objected_to(const IdgenLink *link)
{
	return link->valve.open && !link->valve.ended && PQparameterStatus(link->conn, "server_version") == NULL;
}

/*
 * A link could not be had, and libpq has not reached that server. Has it
 * accepted the values of its parameters? It looks at most of them before it
 * connects, and only PQpingParams() tells whether that is what has failed. Here
 * it gets an address that is none, so it tries to reach nobody.
 *
 * What a service says is among the parameters that the link has, so it is not
 * asked for again: it may be in LDAP, which may take its time. Where an
 * environment variable names a service, libpq would always ask, so nobody can
 * tell.
 */
bool
idgen_link_accepts_options(const IdgenLink *link)
{
	PQconninfoOption *options = PQconninfo(link->conn);
	const char **keywords;
	const char **values;
	int n = 0;
	bool accepts;

	if (PQuser(link->conn) == NULL)
		return false; /* there is no such service */
	if (options == NULL || getenv("PGSERVICE") != NULL)
		return true;
	while (options[n].keyword != NULL)
		n++;
	keywords = palloc0((n + 1) * sizeof(char *));
	values = palloc0((n + 1) * sizeof(char *));
	n = 0;
	for (const PQconninfoOption *option = options; option->keyword != NULL; option++)
	{
		if (strcmp(option->keyword, "service") == 0)
			continue;
		keywords[n] = option->keyword;
		values[n++] = strcmp(option->keyword, "hostaddr") == 0 ? "none" : option->val;
	}
	accepts = PQpingParams(keywords, values, false) != PQPING_NO_ATTEMPT;
	PQconninfoFree(options);
	return accepts;
}

/* What libpq, or the network, says about the last failure, palloc'd. */

static const char *
libpq_error(const IdgenLink *link)
{
	errno = link->valve.error;
	if (errno != 0 && !link->valve.open)
		return psprintf("Could not make a pair of sockets: %m.");
	if (errno != 0)
		return psprintf("could not receive data from server: %m");
	return idgen_remote_text(PQerrorMessage(link->conn));
}

/* Why a link has failed, palloc'd: what the other server says comes first. */
const char *
idgen_link_error(const IdgenLink *link)
{
	const char *message = idgen_result_message(link->result);

	if (message != NULL && PQresultErrorField(link->result, PG_DIAG_SQLSTATE) != NULL)
		return message;
	return link->valve.error != 0 || message == NULL ? libpq_error(link) : message;
}

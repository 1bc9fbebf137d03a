/*
 * valve.c
 *		A valve between libpq and the network.
 *
 * libpq goes on reading as long as its socket has something for it. One call
 * takes in a whole message, which may have 2 GB, and whatever TLS has to say
 * besides data. Only then does it return. So the program at the other end
 * could keep a process busy and fill its memory, against all timeouts, cancel
 * and terminate.
 *
 * So libpq does not get at the network. As soon as it has connected, and
 * before it reads, its socket becomes one end of a pair of sockets. The
 * connection is kept here. What comes is handed over a portion at a time, and
 * counted. libpq starves after each portion, and returns. What libpq writes
 * goes the other way.
 *
 * A limit on what libpq reads would be simpler, but it has none. To look how
 * much waits in the socket before each call would not do, since more arrives
 * during the call.
 *
 * Nothing here waits or raises an error.
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "port.h"

#include "remote/valve.h"

/* Is this just a matter of time? */
static bool
is_temporary(int error)
{
	return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

/*
 * Make a pair of sockets: one end for us, and one in place of libpq's socket.
 * Returns false, with errno, if that fails.
 */
static bool
replace_socket(pgsocket libpq_socket, pgsocket *inside, ino_t *outside)
{
	int pair[2];
	struct stat end;
	bool done;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return false;
	done = pg_set_noblock(pair[0]) && pg_set_noblock(pair[1]) &&
		fcntl(pair[0], F_SETFD, FD_CLOEXEC) == 0 &&
		dup2(pair[1], libpq_socket) >= 0 && fcntl(libpq_socket, F_SETFD, FD_CLOEXEC) == 0 &&
		fstat(libpq_socket, &end) == 0;
	close(pair[1]);
	if (!done)
	{
		close(pair[0]);
		return false;
	}
	*inside = pair[0];
	*outside = end.st_ino;
	return true;
}

/*
 * Put a valve between libpq and the socket that it has connected. Returns
 * false if there are no files left, or no memory in the kernel: then
 * valve->error says which.
 */
bool
idgen_valve_open(IdgenValve *valve, pgsocket libpq_socket)
{
	*valve = (IdgenValve){.network = fcntl(libpq_socket, F_DUPFD_CLOEXEC, 0)};
	if (valve->network < 0)
	{
		valve->error = errno;
		return false;
	}
	if (!replace_socket(libpq_socket, &valve->inside, &valve->outside))
	{
		valve->error = errno;
		close(valve->network);
		return false;
	}
	valve->open = true;
	return true;
}

/*
 * Is this the valve's end for libpq? If not, libpq has begun another
 * connection.
 */
bool
idgen_valve_is_in(const IdgenValve *valve, pgsocket libpq_socket)
{
	struct stat socket;

	return fstat(libpq_socket, &socket) == 0 && socket.st_ino == valve->outside;
}

/* Send what libpq has written, as far as the network takes it. */
void
idgen_valve_send(IdgenValve *valve)
{
	char bytes[IDGEN_VALVE_PORTION];
	ssize_t length;
	ssize_t sent;

	while ((length = recv(valve->inside, bytes, sizeof(bytes), MSG_PEEK)) > 0)
	{
		sent = send(valve->network, bytes, length, 0);
		valve->unsent = sent < 0 && is_temporary(errno);
		if (valve->unsent)
			return;

		/*
		 * If the other end takes nothing any more, it may have sent a reason,
		 * which is to be read. So that is no error.
		 */
		(void) recv(valve->inside, bytes, sent < 0 ? length : sent, 0);
	}
}

/*
 * Is there something for libpq to read? That may be the end of the connection.
 */
bool
idgen_valve_has_input(pgsocket libpq_socket)
{
	char byte;

	return recv(libpq_socket, &byte, 1, MSG_PEEK) >= 0;
}

/*
 * Hand a portion of what has come over to libpq, once that has read the one
 * before. Returns true if there is something to read.
 */
bool
idgen_valve_receive(IdgenValve *valve, pgsocket libpq_socket)
{
	char bytes[IDGEN_VALVE_PORTION];
	ssize_t length;

	if (idgen_valve_has_input(libpq_socket))
		return true;
	length = recv(valve->network, bytes, sizeof(bytes), 0);
	if (length < 0 && is_temporary(errno))
		return false;
	if (length < 0)
		valve->error = errno;
	valve->ended = length <= 0;
	if (length > 0)
	{
		valve->received += length;
		valve->total += length;
	}

	/* A portion has room in a pair that is empty. */
	if (length <= 0 || send(valve->inside, bytes, length, 0) != length)
		(void) shutdown(valve->inside, SHUT_WR);
	return true;
}

/*
 * Remove the valve, if there is one, when libpq has closed its end. What libpq
 * has written is sent.
 */
void
idgen_valve_close(IdgenValve *valve)
{
	if (!valve->open)
		return;
	idgen_valve_send(valve);
	close(valve->inside);
	close(valve->network);
	*valve = (IdgenValve){0};
}

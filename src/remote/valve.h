/*
 * valve.h
 *		A valve between libpq and the network.
 */
#ifndef IDGEN_VALVE_H
#define IDGEN_VALVE_H

#include <sys/types.h>

#include "port.h"

/* How many bytes pass at a time, at most. */
#define IDGEN_VALVE_PORTION 8192

/* How many files a valve has open. */
#define IDGEN_VALVE_FILES 2

typedef struct IdgenValve
{
	bool open; /* Is there a valve? The rest is void if not, but for error. */

	/*
	 * The connection to the other server; our end of the pair of sockets; and
	 * the other end of that, which libpq has.
	 */
	pgsocket network;
	pgsocket inside;
	ino_t outside;

	int64 received; /* how many bytes have come since that was set to 0 */
	int64 total;    /* how many have come since the valve was opened */
	bool unsent;    /* does something of libpq's wait for the network? */
	bool ended;     /* will nothing more come? */
	int error;      /* why the valve could not be opened, or what went wrong in
	                 * the network, as errno; 0 = nothing */
} IdgenValve;

extern bool idgen_valve_open(IdgenValve *valve, pgsocket libpq_socket);
extern bool idgen_valve_is_in(const IdgenValve *valve, pgsocket libpq_socket);
extern void idgen_valve_send(IdgenValve *valve);
extern bool idgen_valve_receive(IdgenValve *valve, pgsocket libpq_socket);
extern bool idgen_valve_has_input(pgsocket libpq_socket);
extern void idgen_valve_close(IdgenValve *valve);

#endif /* IDGEN_VALVE_H */

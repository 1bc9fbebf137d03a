/*
 * link.h
 *		A link: libpq's connection to a host, and the valve before it.
 */
#ifndef IDGEN_LINK_H
#define IDGEN_LINK_H

#include "libpq-fe.h"

#include "remote/remote_messages.h"
#include "remote/valve.h"

/*
 * How much may come for the opening of a connection, or for a statement, in kB.
 * Our statements are answered with some hundred bytes. An opening may take some
 * thousand of certificates. The longest message in an error or two is meant to
 * pass as well.
 */
#define IDGEN_MAX_RECEIVED_KB 128

typedef struct IdgenLink
{
	PGconn *conn;     /* NULL if there is no link: then the rest is void */
	IdgenValve valve; /* between libpq and the network */
	int wait_for;     /* what libpq wants of its socket first: WL_SOCKET_* */
	PGresult *result; /* of the statement: the first error, or the rows */
	IdgenWarnings warnings;
} IdgenLink;

/* What has become of what was begun. */
typedef enum IdgenLinkProgress
{
	IDGEN_LINK_WAITS,  /* it goes on when the network allows */
	IDGEN_LINK_DONE,   /* there is a link, or the whole of an answer */
	IDGEN_LINK_FAILED, /* the link cannot be used any more */
} IdgenLinkProgress;

extern bool idgen_link_start(IdgenLink *link, const char *const *keywords, const char *const *values);
extern IdgenLinkProgress idgen_link_connect(IdgenLink *link);
extern IdgenLinkProgress idgen_link_send(IdgenLink *link, const char *sql, int nparams,
                                         const char *const *params);
extern IdgenLinkProgress idgen_link_receive(IdgenLink *link);
extern PGresult *idgen_link_take_result(IdgenLink *link);
extern bool idgen_link_is_alive(IdgenLink *link);
extern bool idgen_link_is_flooded(const IdgenLink *link);
extern bool idgen_link_is_objected_to(const IdgenLink *link);
extern bool idgen_link_accepts_options(const IdgenLink *link);
extern const char *idgen_link_error(const IdgenLink *link);
extern void idgen_link_close(IdgenLink *link);

extern int idgen_link_awaits(const IdgenLink *link);
extern pgsocket idgen_link_socket(const IdgenLink *link);

#endif /* IDGEN_LINK_H */

/*
 * renewal.h
 *		Leasing the node number, and renewing the lease.
 */
#ifndef IDGEN_RENEWAL_H
#define IDGEN_RENEWAL_H

extern Oid idgen_renewal_server(void);
extern long idgen_renewal_turn(bool now);
extern void idgen_renewal_failed(const ErrorData *error);

#endif /* IDGEN_RENEWAL_H */

/*
 * renewal.h
 *		One try to lease the node number, or to renew the lease.
 */
#ifndef IDGEN_RENEWAL_H
#define IDGEN_RENEWAL_H

#include "datatype/timestamp.h"

extern void idgen_renewal_use_left(void);
extern void idgen_renewal_try(void);

#endif /* IDGEN_RENEWAL_H */

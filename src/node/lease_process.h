/*
 * lease_process.h
 *		Finding the process that leases the node number, and starting it.
 */
#ifndef IDGEN_LEASE_PROCESS_H
#define IDGEN_LEASE_PROCESS_H

/* What became of waking the process. */
typedef enum IdgenLeaseWake
{
	IDGEN_LEASE_WOKEN,    /* it is there, or is about to be */
	IDGEN_LEASE_NO_PLACE, /* the server has no place for another process */
} IdgenLeaseWake;

extern void idgen_lease_process_request_shmem(void);
extern void idgen_lease_process_startup_shmem(void);
extern void idgen_lease_process_register(void);
extern IdgenLeaseWake idgen_lease_process_wake(void);
extern bool idgen_lease_process_enrol(void);
extern void idgen_lease_process_leave(void);
extern bool idgen_lease_process_is_asked(void);

#endif /* IDGEN_LEASE_PROCESS_H */

/*
 * refill_loop.h
 *		The worker's refill loop: does what sessions have asked for.
 */
#ifndef IDGEN_REFILL_LOOP_H
#define IDGEN_REFILL_LOOP_H

extern bool idgen_refill_loop_turn(void);
extern long idgen_refill_loop_wait(void);
extern void idgen_refill_loop_abandon(const ErrorData *error);

#endif /* IDGEN_REFILL_LOOP_H */

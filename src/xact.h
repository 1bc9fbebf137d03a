/*
 * xact.h
 *		What happens when a transaction or savepoint ends.
 */
#ifndef IDGEN_XACT_H
#define IDGEN_XACT_H

extern void idgen_xact_init(void);

#endif /* IDGEN_XACT_H */

/*
 * utility.h
 *		Noticing utility commands.
 */
#ifndef IDGEN_UTILITY_H
#define IDGEN_UTILITY_H

extern void idgen_utility_init(void);
extern bool idgen_in_copy_from(void);
extern void idgen_note_truncated(Oid relid);

#endif /* IDGEN_UTILITY_H */

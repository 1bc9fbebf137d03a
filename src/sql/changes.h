/*
 * changes.h
 *		Noticing what others do to id_sequences.
 */
#ifndef IDGEN_CHANGES_H
#define IDGEN_CHANGES_H

extern void idgen_changes_init(void);

#endif /* IDGEN_CHANGES_H */

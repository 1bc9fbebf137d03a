/*
 * changes.h
 *		Noticing what others do to id_sequences.
 */
#ifndef IDGEN_CHANGES_H
#define IDGEN_CHANGES_H

extern void idgen_changes_init(void);
extern void idgen_changed_by_name(Oid relid, const char *name, int namelen,
                                  bool drop);

#endif /* IDGEN_CHANGES_H */

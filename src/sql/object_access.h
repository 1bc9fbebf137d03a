/*
 * object_access.h
 *		Noticing what is done to databases, the extension and foreign servers.
 */
#ifndef IDGEN_OBJECT_ACCESS_H
#define IDGEN_OBJECT_ACCESS_H

extern void idgen_object_access_init(void);

#endif /* IDGEN_OBJECT_ACCESS_H */

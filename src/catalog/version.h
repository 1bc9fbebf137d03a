/*
 * version.h
 *		Which version of the extension the database has, and which the library
 *		is made for.
 */
#ifndef IDGEN_VERSION_H
#define IDGEN_VERSION_H

#include "common/compat.h"

extern bool idgen_version_fits(void);
extern void idgen_version_check(void);
extern Oid idgen_table_of_extension(void);

#endif /* IDGEN_VERSION_H */

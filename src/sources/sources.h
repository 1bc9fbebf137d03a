/*
 * sources.h
 *		All sources there are; idgen.c registers them.
 */
#ifndef IDGEN_SOURCES_H
#define IDGEN_SOURCES_H

#include "catalog/source.h"

extern const IdgenSource idgen_source_table;
extern const IdgenSource idgen_source_sequence;
extern const IdgenSource idgen_source_function;
extern const IdgenSource idgen_source_server;

#endif /* IDGEN_SOURCES_H */

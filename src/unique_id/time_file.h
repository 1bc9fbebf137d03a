/*
 * time_file.h
 *		The file that says up to which time time-ordered ids may have been
 *		issued.
 */
#ifndef IDGEN_TIME_FILE_H
#define IDGEN_TIME_FILE_H

#include "datatype/timestamp.h"

extern TimestampTz idgen_time_file_read(bool *exists);
extern bool idgen_time_file_write(TimestampTz limit, int elevel);

#endif /* IDGEN_TIME_FILE_H */

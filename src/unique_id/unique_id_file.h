/*
 * unique_id_file.h
 *		How far time-ordered ids may have gone, on disk.
 */
#ifndef IDGEN_UNIQUE_ID_FILE_H
#define IDGEN_UNIQUE_ID_FILE_H

#include "datatype/timestamp.h"

extern TimestampTz idgen_unique_id_file_floor(void);
extern bool idgen_unique_id_file_write(TimestampTz limit, int elevel);

#endif /* IDGEN_UNIQUE_ID_FILE_H */

/*
 * restart_file.h
 *		The cache while the server is stopped.
 */
#ifndef IDGEN_RESTART_FILE_H
#define IDGEN_RESTART_FILE_H

extern void idgen_restart_file_read(void);
extern void idgen_restart_file_write(int code, Datum arg);

#endif /* IDGEN_RESTART_FILE_H */

/*
 * secret.h
 *		Table idgen_secrets, and the keys of scrambled ids.
 */
#ifndef IDGEN_SECRET_H
#define IDGEN_SECRET_H

#include "executor/tuptable.h"

/* A salt: the fingerprint of a secret, and random bytes. */
#define IDGEN_FINGERPRINT_BYTES 8
#define IDGEN_SALT_BYTES        (IDGEN_FINGERPRINT_BYTES + 16)

extern bool idgen_row_needs_salt(TupleTableSlot *row);
extern void idgen_give_salt(Oid id_sequences, TupleTableSlot *row);
extern bool idgen_may_read_secrets(Oid id_sequences);
extern bool idgen_key_of_row(Oid id_sequences, TupleTableSlot *row, uint8 *key);

#endif /* IDGEN_SECRET_H */

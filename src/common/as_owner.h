/*
 * as_owner.h
 *		Acting as another role, the owner of what runs.
 */
#ifndef IDGEN_AS_OWNER_H
#define IDGEN_AS_OWNER_H

/* What idgen_act_as() changes, as it was before. */
typedef struct IdgenIdentity
{
	Oid userid;
	int sec_context;
	int guc_level;
} IdgenIdentity;

extern Oid idgen_owner_of(Oid relid);
extern bool idgen_owner_of_function(Oid funcid, Oid *owner, bool *security_definer);
extern bool idgen_owner_is_uncommitted(Oid relid);
extern void idgen_act_as(Oid owner, IdgenIdentity *before);
extern void idgen_act_as_before(const IdgenIdentity *before);

#endif /* IDGEN_AS_OWNER_H */

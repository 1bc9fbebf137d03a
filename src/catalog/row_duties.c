/*
 * row_duties.c
 *		What an update of a row of id_sequences entails besides.
 *
 * Most tables have no triggers or constraints that a refill has to do with.
 * What a table has is found out once and remembered until the table changes, so
 * that a refill does not pay for it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "optimizer/optimizer.h"
#include "utils/inval.h"
#include "utils/syscache.h"

#include "catalog/row.h"
#include "catalog/row_constraints.h"
#include "catalog/row_duties.h"
#include "catalog/row_triggers.h"

/* Of the table with that OID, which is invalid if nothing is known. */
static Oid known_relid = InvalidOid;
static uint32 known_duties;

/* Can a refill change that column? */
static bool
refill_sets(AttrNumber attnum)
{
	return attnum == IDGEN_ATT_NEXT_BLOCK_START || attnum == IDGEN_ATT_EXHAUSTED ||
		attnum == IDGEN_ATT_REFILLED_AT;
}

/* Is a trigger for UPDATE only there for columns that no refill changes? */
static bool
is_of_other_columns(const Trigger *trigger)
{
	for (int i = 0; i < trigger->tgnattr; i++)
		if (refill_sets(trigger->tgattr[i]))
			return false;
	return trigger->tgnattr > 0;
}

/*
 * Does a trigger only see to a foreign key of another table, one that refers to
 * columns which no refill changes, as the name is? (That of a foreign key of
 * this table may have to check a row which is new, so it is none of these.)
 */
static bool
is_of_reference_to_others(const Trigger *trigger)
{
	AttrNumber own[INDEX_MAX_KEYS];
	AttrNumber referred_to[INDEX_MAX_KEYS];
	HeapTuple constraint;
	int n;

	if (RI_FKey_trigger_type(trigger->tgfoid) != RI_TRIGGER_PK)
		return false;
	constraint = SearchSysCache1(CONSTROID, ObjectIdGetDatum(trigger->tgconstraint));
	if (!HeapTupleIsValid(constraint))
		return false;
	DeconstructFkConstraintRow(constraint, &n, own, referred_to, NULL, NULL, NULL, NULL, NULL);
	ReleaseSysCache(constraint);
	for (int i = 0; i < n; i++)
		if (refill_sets(referred_to[i]))
			return false;
	return true;
}

/* Can a refill fire a trigger? Not idgen's own: those are for SQL. */
static bool
refill_fires(const Trigger *trigger)
{
	return TRIGGER_FOR_UPDATE(trigger->tgtype) && trigger->tgenabled != TRIGGER_DISABLED &&
		!is_of_other_columns(trigger) && !is_of_reference_to_others(trigger) &&
		!idgen_trigger_is_own(trigger);
}

static uint32
duties_of_triggers(Relation rel)
{
	/*
	 * To find out what a trigger is for can take an invalidation, which
	 * rebuilds what the relation has.
	 */
	TriggerDesc *desc = CopyTriggerDesc(rel->trigdesc);
	uint32 duties = 0;

	for (int i = 0; desc != NULL && i < desc->numtriggers; i++)
	{
		Trigger *trigger = &desc->triggers[i];

		if (!refill_fires(trigger))
			continue;
		duties |= IDGEN_DUTY_TRIGGERS;
		if (TRIGGER_FOR_BEFORE(trigger->tgtype) && TRIGGER_FOR_ROW(trigger->tgtype))
			duties |= IDGEN_DUTY_BEFORE_ROW;
	}
	FreeTriggerDesc(desc);
	return duties;
}

/* Does an expression that looks at these columns look at that one? */
static bool
looks_at(const Bitmapset *attrs, AttrNumber attnum)
{
	return bms_is_member(attnum - FirstLowInvalidHeapAttributeNumber, attrs) ||
		bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, attrs);
}

static uint32
duties_of_constraints(Relation rel)
{
	TupleConstr *constr = RelationGetDescr(rel)->constr;
	Bitmapset *attrs = NULL;
	uint32 duties = 0;

	for (int i = 0; constr != NULL && i < constr->num_check; i++)
		pull_varattnos(stringToNode(constr->check[i].ccbin), 1, &attrs);
	if (looks_at(attrs, IDGEN_ATT_NEXT_BLOCK_START) || looks_at(attrs, IDGEN_ATT_REFILLED_AT))
		duties |= IDGEN_DUTY_CHECK_START;
	if (looks_at(attrs, IDGEN_ATT_EXHAUSTED))
		duties |= IDGEN_DUTY_CHECK_EXHAUSTED;
	return duties;
}

/*
 * What an update of a row entails: IDGEN_DUTY_*, 0 for nothing. Caller has
 * locked the table.
 */
uint32
idgen_row_duties(Relation rel)
{
	if (known_relid != RelationGetRelid(rel))
	{
		uint32 duties = duties_of_triggers(rel) | duties_of_constraints(rel);

		/* None of these took an invalidation for this table: it is locked. */
		known_duties = duties;
		known_relid = RelationGetRelid(rel);
	}
	return known_duties;
}

static void
relation_changed(Datum arg, Oid relid)
{
	if (relid == known_relid || !OidIsValid(relid))
		known_relid = InvalidOid;
	idgen_row_constraints_forget(relid);
	idgen_triggers_forget();
}

/* Ask the server to tell us about changes. Called once per process. */
void
idgen_row_duties_init(void)
{
	CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
}

/*
 * adoptable.c
 *		Would idgen_adopt() accept a column?
 *
 * That is, if its owner asked now. What idgen_adopt() finds out only by reading
 * the table, or when it writes, is not known here.
 */
#include "postgres.h"

#include "catalog/pg_attrdef.h"
#include "catalog/pg_class.h"
#include "utils/lsyscache.h"

#include "catalog/native_look.h"
#include "common/compat.h"
#include "sql/adoptable.h"
#include "sql/column_sequences.h"
#include "sql/dependants.h"

/* Does the sequence ascend, and leave ids up to the end of the type? */
static bool
has_ids_left(Oid sequence, int64 type_max)
{
	IdgenNativeSequence says;
	IdgenNativeState state;

	if (!idgen_native_look(sequence, &idgen_no_pool, &says))
		return true;
	if (says.increment < 0)
		return false;
	if (!idgen_native_look_at_state(sequence, &state))
		return true;
	return state.last_value <= (state.is_called ? type_max - says.increment : type_max);
}

/* Can all tables go along that have the column? */
static bool
can_be_moved(const IdgenSurvey *survey, const IdgenColumn *column)
{
	ListCell *cell;

	foreach(cell, column->members)
	{
		Oid member = lfirst_oid(cell);
		AttrNumber attnum = get_attnum(member, column->name);

		if (idgen_member_obstacle(member) != IDGEN_OBSTACLE_NONE ||
		    idgen_survey_is_adopted(survey, idgen_owning_column(member, attnum)))
			return false;
	}
	return true;
}

bool
idgen_column_is_adoptable(const IdgenSurvey *survey, const IdgenSurveyed *surveyed)
{
	Oid relid = surveyed->column.relid;
	Form_pg_attribute att = idgen_look_up_column(relid, surveyed->column.attnum);
	IdgenColumn column = {.table_oid = relid, .name = surveyed->column.name};
	IdgenColumnSequences sequences;
	ListCell *cell;

	if (att == NULL || relid == survey->id_sequences || idgen_table_obstacle(relid) != IDGEN_OBSTACLE_NONE ||
	    idgen_attribute_obstacle(att) != IDGEN_OBSTACLE_NONE)
		return false;
	column.type_max = idgen_greatest_value(getBaseType(att->atttypid));
	column.members = idgen_heirs_of(relid);
	if (!can_be_moved(survey, &column))
		return false;
	idgen_column_find_sequences(&column, &sequences);
	foreach(cell, sequences.owned)
	{
		if (!has_ids_left(lfirst_oid(cell), column.type_max) ||
		    (att->attidentity && idgen_sequence_user(lfirst_oid(cell), &column) != NULL))
			return false;
	}
	foreach(cell, sequences.used)
	{
		if (!has_ids_left(lfirst_oid(cell), column.type_max))
			return false;
	}
	return true;
}

/*
 * definition.c
 *		What a row of id_sequences says.
 */
#include "postgres.h"

#include "access/table.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"

#include "catalog/definition.h"
#include "catalog/row.h"
#include "catalog/table.h"
#include "common/period.h"

static void
not_valid(const char *column, const char *value, const char *valid)
{
	ereport(ERROR,
	        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
	         errmsg("invalid %s \"%s\"", column, value),
	         errhint("Valid values are: %s.", valid)));
}

/* Raises 0A000 for a value that goes with other sources only. */
static void
not_with_source(const char *column, const char *value, const IdgenSource *source, const char *detail, const char *hint)
{
	ereport(ERROR,
	        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
	         errmsg("%s \"%s\" is not supported with source \"%s\"", column, value, source->name),
	         detail != NULL ? errdetail("%s", detail) : 0,
	         errhint("%s", hint)));
}

/*
 * Sources
 *
 * Each source uses much of what lies below it, while its name is needed at the
 * bottom already, where a row is read. So they are listed here, and defined
 * above.
 */

static const IdgenSource *const sources[] = {
	&idgen_source_table,
	&idgen_source_sequence,
	&idgen_source_function,
	&idgen_source_server,
};

/* The source of that name, NULL if there is none. */
const IdgenSource *
idgen_source_find(const char *name)
{
	for (int i = 0; i < (int) lengthof(sources); i++)
		if (strcmp(sources[i]->name, name) == 0)
			return sources[i];
	return NULL;
}

/* The source that a row names; NULL if it is unknown. Raises 22004. */
const IdgenSource *
idgen_source_of_row(TupleTableSlot *row)
{
	return idgen_source_find(TextDatumGetCString(idgen_row_attribute(row, IDGEN_ATT_SOURCE)));
}

/*
 * The source of that name. Raises 22023 for one that is unknown.
 */
const IdgenSource *
idgen_source_get(const char *name)
{
	const IdgenSource *source = idgen_source_find(name);

	if (source == NULL)
		not_valid("source", name, "table, sequence, function, server");
	return source;
}

/*
 * The refill mode of that name. Raises 22023 for one that is unknown, and 0A000
 * for one that the source does not have.
 */
IdgenRefillMode
idgen_check_refill(const char *refill, const IdgenSource *source)
{
	const struct config_enum_entry *entry = idgen_refill_modes;

	while (entry->name != NULL && strcmp(refill, entry->name) != 0)
		entry++;
	if (entry->name == NULL)
		not_valid("refill", refill, "transaction, worker, auto");
	if (entry->val == IDGEN_REFILL_WORKER && source->runs_code)
		not_with_source("refill", refill, source, NULL, "Use refill \"transaction\".");
	return (IdgenRefillMode) entry->val;
}

/*
 * What a row of that source gets as refill if nobody says: the value of
 * idgen.default_refill, unless the source does not have that.
 */
const char *
idgen_refill_by_default(const IdgenSource *source)
{
	bool possible = idgen_default_refill != IDGEN_REFILL_WORKER || !source->runs_code;

	return possible ? GetConfigOption("idgen.default_refill", false, false) : "transaction";
}

/* Are the ids gapless (rule T2)? */
bool
idgen_definition_is_gapless(const IdgenDefinition *def)
{
	return def->source == &idgen_source_table && def->block_size == 1 && def->refill == IDGEN_REFILL_TRANSACTION;
}

/*
 * Set the refill mode that holds for a row, from what the row says. Auto stands
 * for transaction where a worker must not refill: for a source that runs code
 * of others, and for gapless ids. Transaction stands for auto where one process
 * should ask for all: for another server.
 */
static void
set_refill(IdgenDefinition *def, IdgenRefillMode refill)
{
	if (refill == IDGEN_REFILL_TRANSACTION && def->source->is_remote)
		refill = IDGEN_REFILL_AUTO;
	def->refill = IDGEN_REFILL_TRANSACTION;
	if (refill != IDGEN_REFILL_AUTO || !(def->source->runs_code || idgen_definition_is_gapless(def)))
		def->refill = refill;
}

/* The layout of that name. Raises 22023 for one that is unknown. */
const IdgenLayout *
idgen_check_layout(const char *layout)
{
	const IdgenLayout *found = idgen_layouts;

	while (found->name != NULL && strcmp(found->name, layout) != 0)
		found++;
	if (found->name == NULL)
		not_valid("layout", layout, "plain, prefixed, session, prefixed_reversed, session_reversed, scrambled");
	return found;
}

/*
 * The pooling of that name. Raises 22023 for one that is unknown, and 0A000 for
 * one that the source does not have: a row of source "table" says itself where
 * a block begins.
 */
static IdgenPooling
check_pooling(const char *pooling, const IdgenSource *source)
{
	IdgenPooling found;

	if (!idgen_pooling_find(pooling, &found))
		not_valid("pooling", pooling, "pooled_lo, pooled, hilo");
	if (found != IDGEN_POOLING_POOLED_LO && !source->has_object)
		not_with_source("pooling", pooling, source, "It says what the values of a native sequence stand for.",
		                "Use pooling \"pooled_lo\".");
	return found;
}

/*
 * The period of that name. Raises 22023 for one that is unknown, and 0A000 if
 * the source cannot start anew: a native sequence counts on over all periods.
 */
static IdgenPeriod
check_period(const char *period, const IdgenSource *source)
{
	IdgenPeriod found = idgen_period_find(period);

	if (found == IDGEN_PERIOD_NONE)
		not_valid("period", period, "year, month, day");
	if (source->has_object)
		not_with_source("period", period, source, "A native sequence does not start anew in each period.",
		                "Use source \"table\".");
	return found;
}

/* The time zone of that name. Raises 22023 for one that is unknown. */
static pg_tz *
check_time_zone(const char *time_zone)
{
	pg_tz *found = idgen_time_zone_find(time_zone);

	if (found == NULL)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("time zone \"%s\" not recognized", time_zone),
		         errhint("View pg_timezone_names shows those that there are.")));
	return found;
}

/* What is added to sequence values, palloc'd; NULL if that is zero. */
static Numeric
read_big_base(TupleTableSlot *slot)
{
	Datum big_base = idgen_row_attribute(slot, IDGEN_ATT_BIG_BASE);
	Datum zero = NumericGetDatum(int64_to_numeric(0));

	return DatumGetBool(DirectFunctionCall2(numeric_ne, big_base, zero)) ? DatumGetNumericCopy(big_base) : NULL;
}

/*
 * Do locks go early? Raises 22023 if the ids are not gapless: those that are
 * cached must be on disk before anybody can draw them.
 */
static bool
read_early_release(TupleTableSlot *slot, const char *name, const IdgenDefinition *def)
{
	bool early = DatumGetBool(idgen_row_attribute(slot, IDGEN_ATT_EARLY_RELEASE));

	if (early && !idgen_definition_is_gapless(def))
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("early_release of id sequence \"%s\" needs gapless ids", name),
		         errhint("Set source to \"table\", block_size to 1, and refill to \"transaction\" or \"auto\".")));
	return early;
}

/*
 * Is a watermark kept? Raises 0A000 if it could not be told: another server, or
 * a function, does not say what others have allocated; and composed ids do not
 * ascend.
 */
static bool
read_watermark(TupleTableSlot *slot, const char *name, const IdgenDefinition *def)
{
	bool watermark = DatumGetBool(idgen_row_attribute(slot, IDGEN_ATT_WATERMARK));

	if (watermark && (def->layout != &idgen_layout_plain || (def->source != &idgen_source_table && def->source != &idgen_source_sequence)))
		ereport(ERROR,
		        (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		         errmsg("id sequence \"%s\" cannot have a watermark", name),
		         errhint("Set source to \"table\" or \"sequence\", and layout to \"plain\".")));
	return watermark;
}

/*
 * Read a row. Its constraints and triggers have checked all this, unless the
 * table's owner switched them off: hence the errors of 22004 and 22023; and
 * what the source says of a source_name (null if there is none) that can never
 * be right.
 */
void
idgen_definition_from_row(TupleTableSlot *slot, const char *name,
                          IdgenDefinition *def)
{
	Datum start;
	Datum owner;
	const char *period;
	const char *zone;
	bool isnull;

	def->next_block_start = idgen_row_int64(slot, IDGEN_ATT_NEXT_BLOCK_START);
	def->block_size = DatumGetInt32(idgen_row_attribute(slot, IDGEN_ATT_BLOCK_SIZE));
	def->exhausted = idgen_row_is_exhausted(slot);
	def->max_value = idgen_row_int64(slot, IDGEN_ATT_MAX_VALUE);
	start = slot_getattr(slot, IDGEN_ATT_START_VALUE, &isnull);
	def->start_value = isnull ? def->next_block_start : DatumGetInt64(start);

	if (def->block_size <= 0)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("block_size of id sequence \"%s\" must be greater than zero", name)));
	def->source_name = idgen_row_string(slot, IDGEN_ATT_SOURCE_NAME);
	def->source = idgen_source_get(TextDatumGetCString(idgen_row_attribute(slot, IDGEN_ATT_SOURCE)));
	if (def->source->check_name)
		(void) def->source->check_name(NULL, def->source_name);
	set_refill(def, idgen_check_refill(TextDatumGetCString(idgen_row_attribute(slot, IDGEN_ATT_REFILL)), def->source));
	def->early_release = read_early_release(slot, name, def);
	def->layout = idgen_check_layout(TextDatumGetCString(idgen_row_attribute(slot, IDGEN_ATT_LAYOUT)));
	def->watermark = read_watermark(slot, name, def);
	def->pooling = check_pooling(TextDatumGetCString(idgen_row_attribute(slot, IDGEN_ATT_POOLING)), def->source);
	def->big_base = read_big_base(slot);
	period = idgen_row_string(slot, IDGEN_ATT_PERIOD);
	def->period = period != NULL ? check_period(period, def->source) : IDGEN_PERIOD_NONE;
	zone = idgen_row_string(slot, IDGEN_ATT_TIME_ZONE);
	def->zone = zone != NULL ? check_time_zone(zone) : NULL;
	def->format = idgen_row_string(slot, IDGEN_ATT_FORMAT);
	owner = slot_getattr(slot, IDGEN_ATT_OWNED_BY, &isnull);
	def->stored_in = isnull || def->layout != &idgen_layout_plain ? IDGEN_NO_COLUMN : DatumGetInt64(owner);
}

/* Has the row no id left? */
bool
idgen_definition_is_exhausted(const IdgenDefinition *def)
{
	return def->exhausted || def->next_block_start > def->max_value;
}

/*
 * Are there no ids from next_block_start on? If there are, but the row is
 * exhausted, then somebody has raised max_value, or has exhausted it by hand.
 * At the end of the type, next_block_start cannot go beyond max_value.
 */
bool
idgen_is_at_end(int64 next_block_start, int64 max_value)
{
	return next_block_start > max_value || next_block_start == PG_INT64_MAX;
}

/*
 * What no block holds yet of the range from start_value to max_value, or to the
 * end of the owning column.
 */
IdgenRangeLeft
idgen_definition_left(const IdgenDefinition *def)
{
	int64 first = Min(def->start_value, def->next_block_start);

	if (def->exhausted)
		return (IdgenRangeLeft){.percent = 0, .ids = 0};
	return idgen_range_left(first, def->next_block_start, def->max_value, def->stored_in);
}

/*
 * What to do about an end that the row has reached. If its column is full, that
 * comes first.
 */
static const char *
hint_at_end(Oid relid, const IdgenDefinition *def)
{
	const char *widening = idgen_owning_column_widening(def->stored_in, def->max_value);

	if (def->layout->scrambled)
		return "Use another id sequence.";
	if (widening != NULL)
		return psprintf("Widen its column with %s, raise max_value, and set exhausted to 0.", widening);
	if (def->max_value < PG_INT64_MAX)
		return "Raise max_value and set exhausted to 0.";
	return psprintf("Use another id sequence, or start again at a lower id with %s().",
	                idgen_function_name(relid, "idgen_restart"));
}

/* Raises 2200H: the row of that id_sequences has no id left. */
void
idgen_exhausted(Oid relid, const char *name, const IdgenDefinition *def)
{
	if (!idgen_is_at_end(def->next_block_start, def->max_value))
		ereport(ERROR,
		        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
		         errmsg("id sequence \"%s\" is exhausted", name),
		         errdetail("Its max_value is %lld, but its column \"exhausted\" is 1.", (long long) def->max_value),
		         errhint("Set exhausted to 0.")));
	ereport(ERROR,
	        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
	         errmsg("id sequence \"%s\" is exhausted", name),
	         errdetail("Its last id is %lld.", (long long) def->max_value),
	         errhint("%s", hint_at_end(relid, def))));
}

/* Raises 2200H: there are ids left, but not that many consecutive ones. */
void
idgen_too_few(const char *name, int64 count, int64 last)
{
	ereport(ERROR,
	        (errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
	         errmsg("id sequence \"%s\" does not have %lld consecutive ids left", name, (long long) count),
	         errdetail("Its last id is %lld.", (long long) last)));
}

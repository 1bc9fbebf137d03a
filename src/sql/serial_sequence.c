/*
 * serial_sequence.c
 *		The native sequence of a serial column.
 *
 * The server makes one for a column of type serial, and calls it
 * table_column_seq. idgen_release() makes such a sequence again. Programs know
 * it by that name, and so may go on using one that idgen_adopt() has left.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "commands/defrem.h"
#include "nodes/parsenodes.h"
#include "parser/parser.h"
#include "tcop/dest.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/table.h"
#include "common/as_owner.h"
#include "sql/serial_sequence.h"

/* Run a utility command that is parsed already. */
static void
run_parsed(Node *statement, const char *command)
{
	PlannedStmt *planned = makeNode(PlannedStmt);

	planned->commandType = CMD_UTILITY;
	planned->utilityStmt = statement;
	ProcessUtility(planned, command, false, PROCESS_UTILITY_QUERY, NULL, NULL, None_Receiver, NULL);
	CommandCounterIncrement();
}

/*
 * Make a sequence that belongs to the column and begins with "start", and
 * return its OID. Its name and its type are those that the server gives it, and
 * it belongs to the owner of the table, whoever calls this: there is no SQL
 * that says so. The caller has locked the table.
 */
Oid
idgen_make_serial_sequence(const IdgenColumn *column, int64 start)
{
	Oid schema = get_rel_namespace(column->table_oid);
	char *name = ChooseRelationName(get_rel_name(column->table_oid), column->name, "seq", schema, false);
	bool logged = get_rel_persistence(column->table_oid) == RELPERSISTENCE_PERMANENT;
	char *command = psprintf("CREATE %sSEQUENCE %s AS %s START WITH %lld MINVALUE %lld OWNED BY %s.%s",
	                         logged ? "" : "UNLOGGED ",
	                         quote_qualified_identifier(get_namespace_name(schema), name),
	                         format_type_be(column->type), (long long) start, (long long) Min(start, 1),
	                         idgen_table_name(column->table_oid), quote_identifier(column->name));
	RawStmt *parsed = linitial_node(RawStmt, raw_parser(command, RAW_PARSE_DEFAULT));
	CreateSeqStmt *statement = castNode(CreateSeqStmt, parsed->stmt);

	statement->ownerId = idgen_owner_of(column->table_oid);
	run_parsed((Node *) statement, command);
	return get_relname_relid(name, schema);
}

/* Does a sequence belong to a column? */
static bool
is_owned(Oid sequence)
{
	Oid table;
	int32 column;

	return sequenceIsOwned(sequence, DEPENDENCY_AUTO, &table, &column) ||
		sequenceIsOwned(sequence, DEPENDENCY_INTERNAL, &table, &column);
}

/*
 * The sequences that are named as a serial sequence of the column would be, in
 * any of its tables, and that programs may take for it: the column has drawn
 * from them, or they belong to no column. "sequences" says what it has drawn
 * from; those that have been dropped since do not count.
 */
List *
idgen_find_serial_sequences(const IdgenColumn *column, const IdgenColumnSequences *sequences)
{
	List *found = NIL;
	ListCell *cell;

	foreach(cell, column->members)
	{
		Oid member = lfirst_oid(cell);
		char *name = makeObjectName(get_rel_name(member), column->name, "seq");
		Oid sequence = get_relname_relid(name, get_rel_namespace(member));

		if (get_rel_relkind(sequence) == RELKIND_SEQUENCE &&
		    (list_member_oid(sequences->used, sequence) || !is_owned(sequence)))
			found = lappend_oid(found, sequence);
	}
	return found;
}

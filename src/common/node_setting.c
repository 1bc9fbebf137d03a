/*
 * node_setting.c
 *		The setting idgen.node_id: a number, or that the centre gives one.
 *
 * The setting is a text, as the server's recovery_target_timeline is: mostly a
 * number, and a word in its place. (A setting of its own for the word was
 * turned down: two settings could contradict each other.)
 */
#include "postgres.h"

#include "common/id_time.h"
#include "common/node_setting.h"

char *idgen_node_id_setting = NULL;
int idgen_node_id = 0;
IdgenNode idgen_node = {.number = 0, .last_time = IDGEN_MAX_ID_TIME};

/* What the setting says. Returns false if it makes no sense. */
static bool
parse(const char *value, int *number)
{
	if (pg_strcasecmp(value, IDGEN_NODE_ID_AUTO) == 0)
	{
		*number = IDGEN_NODE_LEASED;
		return true;
	}
	return parse_int(value, number, 0, NULL) && *number >= 0 && *number <= IDGEN_MAX_NODE;
}

bool
idgen_check_node_id(char **value, void **extra, GucSource source)
{
	int number;

	if (parse(*value, &number))
		return true;
	GUC_check_errdetail("It must be a number from 0 to %d, or \"%s\".", IDGEN_MAX_NODE, IDGEN_NODE_ID_AUTO);
	return false;
}

/*
 * The value has been checked. A leased number is found out when it is needed
 * next, so each reload of the configuration forgets it.
 */
void
idgen_assign_node_id(const char *value, void *extra)
{
	(void) parse(value, &idgen_node_id);
	if (idgen_node_id == IDGEN_NODE_LEASED)
		idgen_node = (IdgenNode){.number = 0, .last_time = -1};
	else
		idgen_node = (IdgenNode){.number = idgen_node_id, .last_time = IDGEN_MAX_ID_TIME};
}

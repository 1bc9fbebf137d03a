/*
 * hosts.c
 *		Lists of hosts, as options of libpq have them.
 *
 * The items are separated by commas, and each of them may be empty. No list
 * (NULL) is one empty item.
 */
#include "postgres.h"

#include "libpq/pqcomm.h"

#include "remote/hosts.h"

/*
 * The most hosts a list may have. Each of them takes its time if it is silent.
 */
#define MAX_HOSTS 16

/* The number of items. */
int
idgen_hosts_count(const char *list)
{
	int items = 1;

	for (; list != NULL && *list != '\0'; list++)
		if (*list == ',')
			items++;
	return items;
}

/* The nth item, from 0, palloc'd. Caller knows that there is one. */
const char *
idgen_hosts_nth(const char *list, int n)
{
	for (; n > 0; n--)
		list = strchr(list, ',') + 1;
	return pnstrdup(list, strcspn(list, ","));
}

/* Raises 22023 if there are too many. */
void
idgen_hosts_check(const char *list)
{
	if (idgen_hosts_count(list) > MAX_HOSTS)
		ereport(ERROR,
		        (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		         errmsg("too many hosts for a server"),
		         errdetail("It has %d hosts; %d are allowed.", idgen_hosts_count(list), MAX_HOSTS)));
}

/*
 * Are all of them reached by the network? An empty item is not: what libpq
 * takes then may be a Unix-domain socket.
 */
bool
idgen_hosts_are_by_network(const char *list)
{
	const char *item = list;

	while (item != NULL && *item != '\0' && *item != ',' && !is_unixsock_path(item))
	{
		item += strcspn(item, ",");
		if (*item == '\0')
			return true;
		item++;
	}
	return false;
}

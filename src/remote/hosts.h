/*
 * hosts.h
 *		Lists of hosts, as options of libpq have them.
 */
#ifndef IDGEN_HOSTS_H
#define IDGEN_HOSTS_H

extern int idgen_hosts_count(const char *list);
extern const char *idgen_hosts_nth(const char *list, int n);
extern void idgen_hosts_check(const char *list);
extern bool idgen_hosts_are_by_network(const char *list);

#endif /* IDGEN_HOSTS_H */

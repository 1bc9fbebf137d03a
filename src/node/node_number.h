/*
 * node_number.h
 *		The leased node number, for processes that give it to ids.
 */
#ifndef IDGEN_NODE_NUMBER_H
#define IDGEN_NODE_NUMBER_H

extern int idgen_node_leased(void);
extern void idgen_node_reach(int64 time);

#endif /* IDGEN_NODE_NUMBER_H */

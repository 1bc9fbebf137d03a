/*
 * memcheck.h
 *		Tells AddressSanitizer what the server tells valgrind about its memory.
 *
 * The server's memory contexts say to valgrind which bytes of their blocks are
 * in use. A server that is built with this file in front of valgrind's own says
 * the same to AddressSanitizer, if a process was started with it. The server's
 * own code is not instrumented, so only idgen and library functions as memcpy
 * are caught.
 *
 * Bytes of which only the beginning of a unit of 8 is in use are told apart
 * too; and what valgrind calls undefined counts as in use here.
 */
#ifndef IDGEN_MEMCHECK_H
#define IDGEN_MEMCHECK_H

#include <stddef.h>

#include_next <valgrind/memcheck.h>

/* null in a process without AddressSanitizer */
extern void __asan_poison_memory_region(const volatile void *addr, size_t size) __attribute__((weak));
extern void __asan_unpoison_memory_region(const volatile void *addr, size_t size) __attribute__((weak));

static inline int
idgen_forbid(const volatile void *addr, size_t size)
{
	if (__asan_poison_memory_region)
		__asan_poison_memory_region(addr, size);
	return VALGRIND_MAKE_MEM_NOACCESS(addr, size);
}

static inline int
idgen_permit(const volatile void *addr, size_t size)
{
	if (__asan_unpoison_memory_region)
		__asan_unpoison_memory_region(addr, size);
	return 0;
}

static inline int
idgen_permit_undefined(const volatile void *addr, size_t size)
{
	idgen_permit(addr, size);
	return VALGRIND_MAKE_MEM_UNDEFINED(addr, size);
}

static inline int
idgen_permit_defined(const volatile void *addr, size_t size)
{
	idgen_permit(addr, size);
	return VALGRIND_MAKE_MEM_DEFINED(addr, size);
}

static inline void
idgen_permit_alloc(const void *pool, const void *addr, size_t size)
{
	idgen_permit(addr, size);
	VALGRIND_MEMPOOL_ALLOC(pool, addr, size);
}

static inline void
idgen_permit_change(const void *pool, const void *old, const void *addr, size_t size)
{
	idgen_permit(addr, size);
	VALGRIND_MEMPOOL_CHANGE(pool, old, addr, size);
}

#undef VALGRIND_MAKE_MEM_NOACCESS
#undef VALGRIND_MAKE_MEM_UNDEFINED
#undef VALGRIND_MAKE_MEM_DEFINED
#undef VALGRIND_MEMPOOL_ALLOC
#undef VALGRIND_MEMPOOL_CHANGE
#define VALGRIND_MAKE_MEM_NOACCESS(addr, size) idgen_forbid(addr, size)
#define VALGRIND_MAKE_MEM_UNDEFINED(addr, size) idgen_permit_undefined(addr, size)
#define VALGRIND_MAKE_MEM_DEFINED(addr, size) idgen_permit_defined(addr, size)
#define VALGRIND_MEMPOOL_ALLOC(pool, addr, size) idgen_permit_alloc(pool, addr, size)
#define VALGRIND_MEMPOOL_CHANGE(pool, old, addr, size) idgen_permit_change(pool, old, addr, size)

#endif

/*
 * hanging_disk.c
 *		Lets a disk of a test hang: a library to be preloaded by the dynamic
 *		linker.
 *
 * As long as the file HANGING_DISK_SWITCH exists, fsync() and fdatasync() do
 * not come back.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void
hang(void)
{
	const char *name = getenv("HANGING_DISK_SWITCH");
	int saved_errno = errno;

	while (name != NULL && access(name, F_OK) == 0)
		usleep(10000);
	errno = saved_errno;
}

#define ORIGINAL(function) ((__typeof__(function) *) dlsym(RTLD_NEXT, #function))

int
fsync(int fd)
{
	hang();
	return ORIGINAL(fsync)(fd);
}

int
fdatasync(int fd)
{
	hang();
	return ORIGINAL(fdatasync)(fd);
}

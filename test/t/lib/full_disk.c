/*
 * full_disk.c
 *		Lets a test fill up a disk: a library to be preloaded by the dynamic
 *		linker.
 *
 * As long as the file FULL_DISK_SWITCH exists, no file whose path contains what
 * is in that file can be made longer: ENOSPC. What is there already can be
 * written again, as on a real disk that is full.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * Is there no room for the file to become that long? Leaves errno as it is
 * unless so.
 */
static bool
is_full(int fd, off_t length)
{
	int saved_errno = errno;
	const char *name = getenv("FULL_DISK_SWITCH");
	FILE *file = name != NULL ? fopen(name, "r") : NULL;
	char part[1024] = "";
	char link[64];
	char path[4096] = "";
	struct stat st;
	bool full;

	if (file == NULL)
	{
		errno = saved_errno;
		return false;
	}
	full = fgets(part, sizeof(part), file) != NULL;
	fclose(file);
	part[strcspn(part, "\n")] = '\0';
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	full = full && readlink(link, path, sizeof(path) - 1) > 0 && strstr(path, part) != NULL &&
		fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && length > st.st_size;
	errno = full ? ENOSPC : saved_errno;
	return full;
}

static off_t
total(const struct iovec *iov, int iovcnt)
{
	off_t size = 0;

	for (int i = 0; i < iovcnt; i++)
		size += iov[i].iov_len;
	return size;
}

#define ORIGINAL(function) ((__typeof__(function) *) dlsym(RTLD_NEXT, #function))

ssize_t
write(int fd, const void *buffer, size_t size)
{
	return is_full(fd, lseek(fd, 0, SEEK_CUR) + (off_t) size) ? -1 : ORIGINAL(write)(fd, buffer, size);
}

ssize_t
pwrite(int fd, const void *buffer, size_t size, off_t offset)
{
	return is_full(fd, offset + (off_t) size) ? -1 : ORIGINAL(pwrite)(fd, buffer, size, offset);
}

ssize_t
pwritev(int fd, const struct iovec *iov, int iovcnt, off_t offset)
{
	return is_full(fd, offset + total(iov, iovcnt)) ? -1 : ORIGINAL(pwritev)(fd, iov, iovcnt, offset);
}

int
posix_fallocate(int fd, off_t offset, off_t length)
{
	return is_full(fd, offset + length) ? ENOSPC : ORIGINAL(posix_fallocate)(fd, offset, length);
}

/* The same, as programs call them that are compiled for large files. */
ssize_t
pwrite64(int fd, const void *buffer, size_t size, off64_t offset)
{
	return pwrite(fd, buffer, size, offset);
}

ssize_t
pwritev64(int fd, const struct iovec *iov, int iovcnt, off64_t offset)
{
	return pwritev(fd, iov, iovcnt, offset);
}

int
posix_fallocate64(int fd, off64_t offset, off64_t length)
{
	return posix_fallocate(fd, offset, length);
}

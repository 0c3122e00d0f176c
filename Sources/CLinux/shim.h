#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

// The C library shows sync_file_range to _GNU_SOURCE alone, which Swift does not define.

// Writes what is changed in this part of a file, and waits for it: SYNC_FILE_RANGE_WRITE_AND_WAIT. The disk may still have it in
// its cache, and what the file system has to note of it is not safe. Returns 0, or -1 and errno.
static inline int parley_write_back(int descriptor, int64_t offset, int64_t count) {
    return (int)syscall(SYS_sync_file_range, descriptor, offset, count, 7u);
}

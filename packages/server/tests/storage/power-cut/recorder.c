/*
 * Records the file operations of a process below a directory. The library is loaded before libc (LD_PRELOAD). It forwards
 * every call and appends a record to a log. A lock makes the order of the records the order of the operations. disk.ts
 * simulates a power cut at any position of the log.
 *
 *   POWER_CUT_DIRECTORY  absolute path of the directory to record
 *   POWER_CUT_LOG        path of the log, outside that directory
 *   POWER_CUT_AT         length of the log in bytes at which the process sends itself SIGKILL, after writing the record
 *
 * Format of a record: kind (1 byte), flags (1), length of the path (2), length of the data (4), inode (8), offset (8),
 * path, data. Numbers are in native byte order.
 *
 * Failed calls are not recorded. Memory-mapped writes cannot be recorded: SQLite maps only its `-shm` file, which it
 * recreates after a crash.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN = 1, WRITE, TRUNCATE, SYNC, RENAME, LINK, UNLINK, MAKE_DIRECTORY };
enum { CREATED = 1 };
#define MAX_FILES 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *directory;
static size_t directory_length;
static int log_file = -1;
static off_t log_length, log_limit;
/* The inode of each recorded file descriptor, or 0. */
static uint64_t inodes[MAX_FILES];

#define REAL(name, type, parameters) \
  static type(*real_##name) parameters; \
  if (!real_##name) real_##name = (type(*) parameters)dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("POWER_CUT_LOG");
  directory = getenv("POWER_CUT_DIRECTORY");
  if (!path || !directory) return;
  directory_length = strlen(directory);
  REAL(open, int, (const char *, int, ...));
  log_file = real_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log_file < 0) { perror("POWER_CUT_LOG"); abort(); }
  log_length = lseek(log_file, 0, SEEK_END);
  const char *limit = getenv("POWER_CUT_AT");
  log_limit = limit ? atoll(limit) : 0;
}

static void append(uint8_t kind, uint8_t flags, uint64_t inode, uint64_t offset, const char *path,
                   size_t path_length, const void *data, size_t length) {
  uint8_t head[24];
  uint16_t short_length = (uint16_t)path_length;
  uint32_t data_length = (uint32_t)length;
  head[0] = kind;
  head[1] = flags;
  memcpy(head + 2, &short_length, 2);
  memcpy(head + 4, &data_length, 4);
  memcpy(head + 8, &inode, 8);
  memcpy(head + 16, &offset, 8);
  struct iovec parts[3] = {{head, sizeof head}, {(void *)path, path_length}, {(void *)data, length}};
  REAL(writev, ssize_t, (int, const struct iovec *, int));
  ssize_t total = (ssize_t)(sizeof head + path_length + length);
  if (real_writev(log_file, parts, 3) != total) {
    perror("the log of the recorder");
    abort();
  }
  log_length += total;
  /* This thread holds the lock, so no other thread can perform another operation. */
  if (log_limit && log_length >= log_limit) raise(SIGKILL);
}

static uint64_t inode_of(int fd) { return fd >= 0 && fd < MAX_FILES ? inodes[fd] : 0; }

/* Reports whether an absolute path is below the recorded directory. The service uses no relative paths. */
static int is_recorded(const char *path) {
  return log_file >= 0 && path && strncmp(path, directory, directory_length) == 0 &&
         (path[directory_length] == '/' || path[directory_length] == 0);
}

static void opened(int fd, const char *path, int was_there, int flags) {
  struct stat found;
  if (fd < 0 || fd >= MAX_FILES || fstat(fd, &found) != 0) return;
  inodes[fd] = found.st_ino;
  append(OPEN, was_there ? 0 : CREATED, found.st_ino, 0, path, strlen(path), NULL, 0);
  if (was_there && (flags & O_TRUNC)) append(TRUNCATE, 0, found.st_ino, 0, NULL, 0, NULL, 0);
}

#define OPEN_LIKE(name, before, ...) \
  mode_t mode = 0; \
  if (flags & (O_CREAT | __O_TMPFILE)) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  } \
  if (!is_recorded(path)) return real_##name(__VA_ARGS__); \
  pthread_mutex_lock(&lock); \
  int was_there = access(path, F_OK) == 0; \
  int fd = real_##name(__VA_ARGS__); \
  int error = errno; \
  opened(fd, path, was_there, flags); \
  pthread_mutex_unlock(&lock); \
  errno = error; \
  return fd

int open(const char *path, int flags, ...) {
  REAL(open, int, (const char *, int, ...));
  OPEN_LIKE(open, , path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  REAL(open64, int, (const char *, int, ...));
  OPEN_LIKE(open64, , path, flags, mode);
}
int openat(int at, const char *path, int flags, ...) {
  REAL(openat, int, (int, const char *, int, ...));
  OPEN_LIKE(openat, , at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
  REAL(openat64, int, (int, const char *, int, ...));
  OPEN_LIKE(openat64, , at, path, flags, mode);
}

int close(int fd) {
  REAL(close, int, (int));
  if (inode_of(fd) == 0) return real_close(fd);
  pthread_mutex_lock(&lock);
  inodes[fd] = 0;
  int result = real_close(fd);
  int error = errno;
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

/* `record` uses the variables `inode` and `result`. */
#define RECORDED(call, record) \
  uint64_t inode = inode_of(fd); \
  if (inode == 0) return call; \
  pthread_mutex_lock(&lock); \
  __typeof__(call) result = call; \
  int error = errno; \
  if (result >= 0) record; \
  pthread_mutex_unlock(&lock); \
  errno = error; \
  return result

/* Returns the offset of a write that advanced the file position. */
static uint64_t offset_before(int fd, ssize_t length) {
  return (uint64_t)(lseek(fd, 0, SEEK_CUR) - length);
}

static void wrote(uint64_t inode, uint64_t offset, const struct iovec *parts, int count, size_t length) {
  for (int part = 0; part < count && length > 0; part++) {
    size_t some = parts[part].iov_len < length ? parts[part].iov_len : length;
    append(WRITE, 0, inode, offset, NULL, 0, parts[part].iov_base, some);
    offset += some;
    length -= some;
  }
}

ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(write, ssize_t, (int, const void *, size_t));
  RECORDED(real_write(fd, bytes, length),
           append(WRITE, 0, inode, offset_before(fd, result), NULL, 0, bytes, (size_t)result));
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  REAL(pwrite, ssize_t, (int, const void *, size_t, off_t));
  RECORDED(real_pwrite(fd, bytes, length, offset),
           append(WRITE, 0, inode, (uint64_t)offset, NULL, 0, bytes, (size_t)result));
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  REAL(pwrite64, ssize_t, (int, const void *, size_t, off64_t));
  RECORDED(real_pwrite64(fd, bytes, length, offset),
           append(WRITE, 0, inode, (uint64_t)offset, NULL, 0, bytes, (size_t)result));
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  REAL(writev, ssize_t, (int, const struct iovec *, int));
  RECORDED(real_writev(fd, parts, count),
           wrote(inode, offset_before(fd, result), parts, count, (size_t)result));
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  REAL(pwritev, ssize_t, (int, const struct iovec *, int, off_t));
  RECORDED(real_pwritev(fd, parts, count, offset),
           wrote(inode, (uint64_t)offset, parts, count, (size_t)result));
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  REAL(pwritev64, ssize_t, (int, const struct iovec *, int, off64_t));
  RECORDED(real_pwritev64(fd, parts, count, offset),
           wrote(inode, (uint64_t)offset, parts, count, (size_t)result));
}
int ftruncate(int fd, off_t length) {
  REAL(ftruncate, int, (int, off_t));
  RECORDED(real_ftruncate(fd, length), append(TRUNCATE, 0, inode, (uint64_t)length, NULL, 0, NULL, 0));
}
int ftruncate64(int fd, off64_t length) {
  REAL(ftruncate64, int, (int, off64_t));
  RECORDED(real_ftruncate64(fd, length), append(TRUNCATE, 0, inode, (uint64_t)length, NULL, 0, NULL, 0));
}
int fsync(int fd) {
  REAL(fsync, int, (int));
  RECORDED(real_fsync(fd), append(SYNC, 0, inode, 0, NULL, 0, NULL, 0));
}
int fdatasync(int fd) {
  REAL(fdatasync, int, (int));
  RECORDED(real_fdatasync(fd), append(SYNC, 0, inode, 0, NULL, 0, NULL, 0));
}

/* Like RECORDED, for calls with a path instead of a file descriptor. `record` uses the variable `result`. */
#define NAMED(path, call, record) \
  if (!is_recorded(path)) return call; \
  pthread_mutex_lock(&lock); \
  int result = call; \
  int error = errno; \
  if (result == 0) record; \
  pthread_mutex_unlock(&lock); \
  errno = error; \
  return result

static void append_two(uint8_t kind, const char *from, const char *to) {
  append(kind, 0, 0, 0, from, strlen(from), to, strlen(to));
}

int rename(const char *from, const char *to) {
  REAL(rename, int, (const char *, const char *));
  NAMED(from, real_rename(from, to), append_two(RENAME, from, to));
}
int link(const char *from, const char *to) {
  REAL(link, int, (const char *, const char *));
  NAMED(from, real_link(from, to), append_two(LINK, from, to));
}
int unlink(const char *path) {
  REAL(unlink, int, (const char *));
  NAMED(path, real_unlink(path), append(UNLINK, 0, 0, 0, path, strlen(path), NULL, 0));
}
int unlinkat(int at, const char *path, int flags) {
  REAL(unlinkat, int, (int, const char *, int));
  NAMED(path, real_unlinkat(at, path, flags), append(UNLINK, 0, 0, 0, path, strlen(path), NULL, 0));
}
int remove(const char *path) {
  REAL(remove, int, (const char *));
  NAMED(path, real_remove(path), append(UNLINK, 0, 0, 0, path, strlen(path), NULL, 0));
}
int mkdir(const char *path, mode_t mode) {
  REAL(mkdir, int, (const char *, mode_t));
  NAMED(path, real_mkdir(path, mode), append(MAKE_DIRECTORY, 0, 0, 0, path, strlen(path), NULL, 0));
}

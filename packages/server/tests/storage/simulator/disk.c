// A SQLite VFS named "simulated" whose files exist only in memory, with the SQL function `disk(command, …)` that controls it.
//
// A file has two contents: the one that the process sees (the page cache), and the one that survives a power cut. Writes since the
// last sync are pending. A power cut keeps a random subset of the pending sectors. Every write, truncation, sync, creation and
// deletion is a step. A fault happens at a chosen step.
#include <sqlite3ext.h>
#include <stdlib.h>
#include <string.h>
SQLITE_EXTENSION_INIT1

#define SECTOR 512
#define MAX_FAULTS 8
#define SHM_LOCKS 8

typedef sqlite3_int64 i64;
typedef unsigned char u8;

typedef struct Content { u8 *bytes; i64 length, capacity; } Content;

/** A run of sectors with the bytes that a write gave to the page cache, or a truncation (`bytes` is null). */
typedef struct Change { i64 offset, length; u8 *bytes; struct Change *next; } Change;

typedef struct Inode {
  Content current, durable;
  Change *first, *last;
  u8 *shm[64];
  int shmRegions, shmSize;
  int shared[SHM_LOCKS];
  void *exclusive[SHM_LOCKS];
  int readers;
  void *reserved, *pending, *sole;
  int isTemporary;
  struct Inode *next;
} Inode;

/** A name with the file that the process sees, and the file that a power cut leaves under this name. */
typedef struct Entry { char *name; Inode *current, *durable; struct Entry *next; } Entry;

typedef struct File {
  sqlite3_file base;
  Inode *inode;
  Entry *entry;
  int generation, level, syncsName, isReadOnly;
  unsigned sharedMask, exclusiveMask;
} File;

enum Kind { KILL = 1, SYNC_FAILS, WRITE_FAILS, FULL, SYNC_DROPS };
typedef struct Fault { int kind; i64 at, until; } Fault;

static struct {
  Entry *entries;
  Inode *inodes;
  Content template;
  Fault faults[MAX_FAULTS];
  int faultCount, generation, isDead;
  i64 steps, failures, drops, now;
  unsigned long long random;
} disk;

static unsigned long long nextRandom(void) {
  unsigned long long z = (disk.random += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

static int survives(int percent) { return (int)(nextRandom() % 100) < percent; }

static void resize(Content *content, i64 length) {
  if (length > content->capacity) {
    content->capacity = length * 2;
    content->bytes = realloc(content->bytes, content->capacity);
  }
  if (length > content->length) memset(content->bytes + content->length, 0, length - content->length);
  content->length = length;
}

static void put(Content *content, i64 offset, const u8 *bytes, i64 length) {
  if (offset + length > content->length) resize(content, offset + length);
  memcpy(content->bytes + offset, bytes, length);
}

static void copyContent(Content *to, const Content *from) {
  to->length = 0;
  resize(to, from->length);
  if (from->length > 0) memcpy(to->bytes, from->bytes, from->length);
}

static void addChange(Inode *inode, i64 offset, i64 length, const u8 *bytes) {
  Change *change = malloc(sizeof *change);
  *change = (Change){ offset, length, NULL, NULL };
  if (bytes != NULL) {
    change->bytes = malloc(length);
    memcpy(change->bytes, bytes, length);
  }
  if (inode->last != NULL) inode->last->next = change;
  else inode->first = change;
  inode->last = change;
}

/** Moves the pending changes to the durable content. Each sector and each truncation survives with a probability. */
static void settle(Inode *inode, int percent) {
  while (inode->first != NULL) {
    Change *change = inode->first;
    inode->first = change->next;
    if (change->bytes == NULL) {
      if (survives(percent)) resize(&inode->durable, change->length);
    } else if (percent == 100) {
      put(&inode->durable, change->offset, change->bytes, change->length);
    } else for (i64 at = 0; at < change->length; at += SECTOR) {
      i64 length = change->length - at < SECTOR ? change->length - at : SECTOR;
      if (survives(percent)) put(&inode->durable, change->offset + at, change->bytes + at, length);
    }
    free(change->bytes);
    free(change);
  }
  inode->last = NULL;
}

static Inode *newInode(void) {
  Inode *inode = calloc(1, sizeof *inode);
  inode->next = disk.inodes;
  disk.inodes = inode;
  return inode;
}

static Entry *entryOf(const char *name, int create) {
  for (Entry *entry = disk.entries; entry != NULL; entry = entry->next)
    if (strcmp(entry->name, name) == 0) return entry;
  if (!create) return NULL;
  Entry *entry = calloc(1, sizeof *entry);
  entry->name = strdup(name);
  entry->next = disk.entries;
  disk.entries = entry;
  return entry;
}

static const Fault *faultAt(int kind) {
  for (int index = 0; index < disk.faultCount; index += 1) {
    const Fault *fault = &disk.faults[index];
    if (fault->kind == kind && disk.steps >= fault->at && disk.steps <= fault->until) return fault;
  }
  return NULL;
}

/** Counts a step. Returns 1 if the process is killed at this step. */
static int killedAtStep(void) {
  disk.steps += 1;
  if (faultAt(KILL) != NULL) disk.isDead = 1;
  return disk.isDead;
}

static int isStale(const File *file) { return disk.isDead || file->generation != disk.generation; }

static int closeFile(sqlite3_file *base) {
  File *file = (File *)base;
  if (file->generation != disk.generation || file->inode == NULL) return SQLITE_OK;
  base->pMethods->xUnlock(base, SQLITE_LOCK_NONE);
  base->pMethods->xShmUnmap(base, 0);
  return SQLITE_OK;
}

static int readFile(sqlite3_file *base, void *to, int length, i64 offset) {
  File *file = (File *)base;
  if (isStale(file)) return SQLITE_IOERR_READ;
  i64 available = file->inode->current.length - offset;
  if (available > length) available = length;
  if (available < 0) available = 0;
  if (available > 0) memcpy(to, file->inode->current.bytes + offset, available);
  if (available == length) return SQLITE_OK;
  memset((u8 *)to + available, 0, length - available);
  return SQLITE_IOERR_SHORT_READ;
}

static void writeBytes(Inode *inode, const void *bytes, i64 length, i64 offset) {
  if (length <= 0) return;
  put(&inode->current, offset, bytes, length);
  if (inode->isTemporary) return;
  i64 from = offset / SECTOR * SECTOR;
  i64 to = (offset + length + SECTOR - 1) / SECTOR * SECTOR;
  if (to > inode->current.length) to = inode->current.length;
  addChange(inode, from, to - from, inode->current.bytes + from);
}

static int writeFile(sqlite3_file *base, const void *bytes, int length, i64 offset) {
  File *file = (File *)base;
  if (isStale(file)) return SQLITE_IOERR_WRITE;
  Inode *inode = file->inode;
  if (killedAtStep()) {
    writeBytes(inode, bytes, (i64)(nextRandom() % (length + 1)), offset);
    return SQLITE_IOERR_WRITE;
  }
  if (faultAt(WRITE_FAILS) != NULL) {
    disk.failures += 1;
    writeBytes(inode, bytes, (i64)(nextRandom() % (length + 1)), offset);
    return SQLITE_IOERR_WRITE;
  }
  if (offset + length > inode->current.length && faultAt(FULL) != NULL) {
    disk.failures += 1;
    return SQLITE_FULL;
  }
  writeBytes(inode, bytes, length, offset);
  return SQLITE_OK;
}

static int truncateFile(sqlite3_file *base, i64 length) {
  File *file = (File *)base;
  if (isStale(file) || killedAtStep()) return SQLITE_IOERR_TRUNCATE;
  resize(&file->inode->current, length);
  addChange(file->inode, 0, length, NULL);
  return SQLITE_OK;
}

static int syncFile(sqlite3_file *base, int flags) {
  (void)flags;
  File *file = (File *)base;
  if (isStale(file) || killedAtStep()) return SQLITE_IOERR_FSYNC;
  if (faultAt(SYNC_FAILS) != NULL) {
    disk.failures += 1;
    // As on Linux: the page cache keeps the bytes and regards them as written, so a later sync does not write them.
    settle(file->inode, 50);
    return SQLITE_IOERR_FSYNC;
  }
  if (faultAt(SYNC_DROPS) != NULL) {
    disk.failures += 1;
    if (file->entry != NULL && strstr(file->entry->name, "-wal") != NULL) disk.drops += 1;
    // As on Btrfs: the page cache drops the bytes that it could not write, so the process sees what is on the disk.
    settle(file->inode, 50);
    copyContent(&file->inode->current, &file->inode->durable);
    return SQLITE_IOERR_FSYNC;
  }
  settle(file->inode, 100);
  // SQLite syncs the directory of a new journal or write-ahead log together with the file.
  if (file->syncsName) file->entry->durable = file->inode;
  file->syncsName = 0;
  return SQLITE_OK;
}

static int sizeOfFile(sqlite3_file *base, i64 *size) {
  File *file = (File *)base;
  if (isStale(file)) return SQLITE_IOERR_FSTAT;
  *size = file->inode->current.length;
  return SQLITE_OK;
}

static int lockFile(sqlite3_file *base, int level) {
  File *file = (File *)base;
  if (isStale(file)) return SQLITE_IOERR_LOCK;
  Inode *inode = file->inode;
  if (file->level >= level) return SQLITE_OK;
  // As in SQLite's VFS for Unix: a lock for writing needs a descriptor for writing.
  if (level > SQLITE_LOCK_SHARED && file->isReadOnly) return SQLITE_IOERR_LOCK;
  if (level == SQLITE_LOCK_SHARED) {
    if (inode->pending != NULL || inode->sole != NULL) return SQLITE_BUSY;
    inode->readers += 1;
  } else if (level == SQLITE_LOCK_RESERVED) {
    if (inode->reserved != NULL) return SQLITE_BUSY;
    inode->reserved = file;
  } else {
    if (inode->pending != NULL && inode->pending != file) return SQLITE_BUSY;
    if (inode->reserved != NULL && inode->reserved != file) return SQLITE_BUSY;
    inode->pending = file;
    if (inode->readers > 1) {
      file->level = SQLITE_LOCK_PENDING;
      return SQLITE_BUSY;
    }
    inode->sole = file;
  }
  file->level = level;
  return SQLITE_OK;
}

static int unlockFile(sqlite3_file *base, int level) {
  File *file = (File *)base;
  if (file->generation != disk.generation) return SQLITE_OK;
  Inode *inode = file->inode;
  if (file->level <= level) return SQLITE_OK;
  if (inode->sole == file) inode->sole = NULL;
  if (inode->pending == file) inode->pending = NULL;
  if (inode->reserved == file) inode->reserved = NULL;
  if (level == SQLITE_LOCK_NONE) inode->readers -= 1;
  file->level = level;
  return SQLITE_OK;
}

static int isReserved(sqlite3_file *base, int *result) {
  *result = ((File *)base)->inode->reserved != NULL;
  return SQLITE_OK;
}

static int control(sqlite3_file *base, int operation, void *argument) {
  (void)base; (void)operation; (void)argument;
  return SQLITE_NOTFOUND;
}

static int sectorSize(sqlite3_file *base) { (void)base; return 4096; }
static int characteristics(sqlite3_file *base) { (void)base; return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

static int shmMap(sqlite3_file *base, int region, int size, int extend, void volatile **pointer) {
  File *file = (File *)base;
  if (isStale(file)) return SQLITE_IOERR_SHMMAP;
  Inode *inode = file->inode;
  inode->shmSize = size;
  *pointer = NULL;
  if (region >= inode->shmRegions && !extend) return SQLITE_OK;
  if (region >= 64) return SQLITE_IOERR_SHMMAP;
  for (; inode->shmRegions <= region; inode->shmRegions += 1)
    inode->shm[inode->shmRegions] = calloc(1, size);
  *pointer = inode->shm[region];
  return SQLITE_OK;
}

static int shmLock(sqlite3_file *base, int offset, int count, int flags) {
  File *file = (File *)base;
  if (isStale(file)) return SQLITE_IOERR_SHMLOCK;
  Inode *inode = file->inode;
  unsigned mask = ((1u << count) - 1) << offset;
  if (flags & SQLITE_SHM_UNLOCK) {
    for (int at = offset; at < offset + count; at += 1) {
      if (file->sharedMask & (1u << at)) inode->shared[at] -= 1;
      if (inode->exclusive[at] == file) inode->exclusive[at] = NULL;
    }
    file->sharedMask &= ~mask;
    file->exclusiveMask &= ~mask;
    return SQLITE_OK;
  }
  for (int at = offset; at < offset + count; at += 1) {
    int own = (file->sharedMask >> at) & 1;
    if (inode->exclusive[at] != NULL && inode->exclusive[at] != file) return SQLITE_BUSY;
    if ((flags & SQLITE_SHM_EXCLUSIVE) && inode->shared[at] > own) return SQLITE_BUSY;
  }
  for (int at = offset; at < offset + count; at += 1) {
    if (flags & SQLITE_SHM_EXCLUSIVE) inode->exclusive[at] = file;
    else if (!((file->sharedMask >> at) & 1)) inode->shared[at] += 1;
  }
  if (flags & SQLITE_SHM_EXCLUSIVE) file->exclusiveMask |= mask;
  else file->sharedMask |= mask;
  return SQLITE_OK;
}

static void shmBarrier(sqlite3_file *base) { (void)base; }

static int shmUnmap(sqlite3_file *base, int isDeleted) {
  File *file = (File *)base;
  if (file->generation != disk.generation) return SQLITE_OK;
  for (int at = 0; at < SHM_LOCKS; at += 1) {
    if (file->sharedMask & (1u << at)) file->inode->shared[at] -= 1;
    if (file->inode->exclusive[at] == file) file->inode->exclusive[at] = NULL;
  }
  file->sharedMask = file->exclusiveMask = 0;
  if (isDeleted)
    for (int at = 0; at < file->inode->shmRegions; at += 1)
      memset(file->inode->shm[at], 0, file->inode->shmSize);
  return SQLITE_OK;
}

static const sqlite3_io_methods METHODS = {
  2, closeFile, readFile, writeFile, truncateFile, syncFile, sizeOfFile, lockFile, unlockFile, isReserved, control,
  sectorSize, characteristics, shmMap, shmLock, shmBarrier, shmUnmap, NULL, NULL,
};

static int openFile(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *base, int flags, int *outFlags) {
  (void)vfs;
  File *file = (File *)base;
  memset(file, 0, sizeof *file);
  if (disk.isDead) return SQLITE_CANTOPEN;
  if (outFlags != NULL) *outFlags = flags;
  if (name == NULL) {
    file->inode = newInode();
    file->inode->isTemporary = 1;
  } else {
    file->entry = entryOf(name, flags & SQLITE_OPEN_CREATE);
    if (file->entry == NULL) return SQLITE_CANTOPEN;
    if (file->entry->current == NULL) {
      if (!(flags & SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
      if (killedAtStep()) return SQLITE_CANTOPEN;
      file->entry->current = newInode();
    }
    file->syncsName = (flags & SQLITE_OPEN_CREATE) && (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL));
    file->inode = file->entry->current;
  }
  file->generation = disk.generation;
  file->isReadOnly = (flags & SQLITE_OPEN_READONLY) != 0;
  base->pMethods = &METHODS;
  return SQLITE_OK;
}

static int deleteFile(sqlite3_vfs *vfs, const char *name, int syncsDirectory) {
  (void)vfs;
  Entry *entry = entryOf(name, 0);
  if (entry == NULL || entry->current == NULL) return SQLITE_IOERR_DELETE_NOENT;
  if (disk.isDead || killedAtStep()) return SQLITE_IOERR_DELETE;
  entry->current = NULL;
  if (syncsDirectory) entry->durable = NULL;
  return SQLITE_OK;
}

static int accessFile(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  (void)vfs; (void)flags;
  const Entry *entry = entryOf(name, 0);
  // As in SQLite's VFS for Unix, an empty file does not exist.
  *result = entry != NULL && entry->current != NULL && entry->current->current.length > 0;
  return SQLITE_OK;
}

static int fullPath(sqlite3_vfs *vfs, const char *name, int size, char *to) {
  (void)vfs;
  sqlite3_snprintf(size, to, "%s", name);
  return SQLITE_OK;
}

static int randomBytes(sqlite3_vfs *vfs, int count, char *to) {
  (void)vfs;
  for (int at = 0; at < count; at += 1) to[at] = (char)nextRandom();
  return count;
}

static int sleepFor(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  disk.now += microseconds / 1000;
  return microseconds;
}

static int timeInt64(sqlite3_vfs *vfs, i64 *to) {
  (void)vfs;
  *to = 210866760000000LL + disk.now;
  return SQLITE_OK;
}

static int timeDouble(sqlite3_vfs *vfs, double *to) {
  i64 milliseconds;
  timeInt64(vfs, &milliseconds);
  *to = milliseconds / 86400000.0;
  return SQLITE_OK;
}

static int lastError(sqlite3_vfs *vfs, int size, char *to) { (void)vfs; (void)size; (void)to; return 0; }

static sqlite3_vfs VFS = {
  2, sizeof(File), 512, NULL, "simulated", NULL, openFile, deleteFile, accessFile, fullPath, NULL, NULL, NULL, NULL,
  randomBytes, sleepFor, timeDouble, lastError, timeInt64, NULL, NULL, NULL,
};

static void freeInode(Inode *inode) {
  settle(inode, 100);
  for (int at = 0; at < inode->shmRegions; at += 1) free(inode->shm[at]);
  free(inode->current.bytes);
  free(inode->durable.bytes);
  free(inode);
}

/** Deletes all files. The connections must be closed. */
static void reset(void) {
  while (disk.inodes != NULL) {
    Inode *inode = disk.inodes;
    disk.inodes = inode->next;
    freeInode(inode);
  }
  while (disk.entries != NULL) {
    Entry *entry = disk.entries;
    disk.entries = entry->next;
    free(entry->name);
    free(entry);
  }
  disk.generation += 1;
  disk.isDead = disk.faultCount = 0;
  disk.steps = disk.failures = disk.drops = 0;
}

static void releaseLocks(Inode *inode) {
  memset(inode->shared, 0, sizeof inode->shared);
  memset(inode->exclusive, 0, sizeof inode->exclusive);
  inode->readers = 0;
  inode->reserved = inode->pending = inode->sole = NULL;
}

/**
 * Ends the process, and cuts the power if `percent`, the probability with which unsynced changes survive, is not negative. Shared memory
 * survives only if another process uses it.
 */
static void restart(int percent, int keepsShared) {
  disk.generation += 1;
  disk.isDead = disk.faultCount = 0;
  if (percent >= 0) {
    for (Entry *entry = disk.entries; entry != NULL; entry = entry->next) {
      if (entry->current != entry->durable && survives(percent)) entry->durable = entry->current;
      entry->current = entry->durable;
    }
  }
  for (Inode *inode = disk.inodes; inode != NULL; inode = inode->next) {
    releaseLocks(inode);
    if (!keepsShared)
      for (int at = 0; at < inode->shmRegions; at += 1) memset(inode->shm[at], 0, inode->shmSize);
    if (percent < 0) continue;
    settle(inode, percent);
    copyContent(&inode->current, &inode->durable);
  }
}

static void load(const char *name) {
  reset();
  Entry *entry = entryOf(name, 1);
  entry->current = entry->durable = newInode();
  copyContent(&entry->current->current, &disk.template);
  copyContent(&entry->current->durable, &disk.template);
}

/** Makes the names of all files durable. Returns 0 if the sync fails. */
static int syncNames(void) {
  if (killedAtStep()) return 0;
  if (faultAt(SYNC_FAILS) != NULL || faultAt(SYNC_DROPS) != NULL) {
    disk.failures += 1;
    return 0;
  }
  for (Entry *entry = disk.entries; entry != NULL; entry = entry->next) entry->durable = entry->current;
  return 1;
}

/** Runs a command on the file with this name. Sets a result, or an error if the process is dead or the disk fails. */
static void fileFunction(sqlite3_context *context, const char *command, int count, sqlite3_value **values) {
  Entry *entry = entryOf((const char *)sqlite3_value_text(values[1]), 0);
  Inode *inode = entry == NULL ? NULL : entry->current;
  i64 offset = count > 2 ? sqlite3_value_int64(values[2]) : 0;
  int status = SQLITE_OK;
  if (disk.isDead) { sqlite3_result_error(context, "the process is dead", -1); return; }
  if (strcmp(command, "fileSize") == 0) {
    if (inode != NULL) sqlite3_result_int64(context, inode->current.length);
    return;
  }
  if (strcmp(command, "fileCreate") == 0) {
    if (inode != NULL) return;
    entry = entryOf((const char *)sqlite3_value_text(values[1]), 1);
    entry->current = entry->durable = newInode();
    return;
  }
  if (strcmp(command, "fileNames") == 0) {
    if (!syncNames()) sqlite3_result_error(context, "input/output error", -1);
    return;
  }
  if (inode == NULL) { sqlite3_result_error(context, "no such file", -1); return; }
  File file = { .base = { &METHODS }, .inode = inode, .entry = entry, .generation = disk.generation };
  if (strcmp(command, "fileRead") == 0) {
    i64 length = inode->current.length - offset;
    if (length > sqlite3_value_int64(values[3])) length = sqlite3_value_int64(values[3]);
    if (length > 0) sqlite3_result_blob(context, inode->current.bytes + offset, (int)length, SQLITE_TRANSIENT);
    else sqlite3_result_zeroblob(context, 0);
  } else if (inode->shmRegions == 0 && strstr(command, "Shared") != NULL) {
    sqlite3_result_error(context, "no shared memory", -1);
    return;
  } else if (strcmp(command, "fileReadShared") == 0) {
    sqlite3_result_blob(context, inode->shm[0] + offset, sqlite3_value_int(values[3]), SQLITE_TRANSIENT);
  } else if (strcmp(command, "fileWriteShared") == 0) {
    memcpy(inode->shm[0] + offset, sqlite3_value_blob(values[3]), sqlite3_value_bytes(values[3]));
  } else if (strcmp(command, "fileWrite") == 0) {
    status = writeFile(&file.base, sqlite3_value_blob(values[3]), sqlite3_value_bytes(values[3]), offset);
  } else status = syncFile(&file.base, 0);
  if (status != SQLITE_OK) sqlite3_result_error(context, "input/output error", -1);
}

static void diskFunction(sqlite3_context *context, int count, sqlite3_value **values) {
  const char *command = (const char *)sqlite3_value_text(values[0]);
  const char *text = count > 1 ? (const char *)sqlite3_value_text(values[1]) : NULL;
  i64 number = count > 1 ? sqlite3_value_int64(values[1]) : 0;
  i64 result = 0;
  if (strncmp(command, "file", 4) == 0) { fileFunction(context, command, count, values); return; }
  if (strcmp(command, "steps") == 0) result = disk.steps;
  else if (strcmp(command, "failures") == 0) result = disk.failures;
  else if (strcmp(command, "drops") == 0) result = disk.drops;
  else if (strcmp(command, "isDead") == 0) result = disk.isDead;
  else if (strcmp(command, "kill") == 0) disk.isDead = 1;
  else if (strcmp(command, "seed") == 0) disk.random = (unsigned long long)number;
  else if (strcmp(command, "restart") == 0) restart((int)number, count > 2 && sqlite3_value_int(values[2]));
  else if (strcmp(command, "reset") == 0) reset();
  else if (strcmp(command, "load") == 0) load(text);
  else if (strcmp(command, "save") == 0) copyContent(&disk.template, &entryOf(text, 0)->current->current);
  else if (strcmp(command, "repair") == 0) disk.faultCount = 0;
  else if (strcmp(command, "fault") == 0 && count == 4 && disk.faultCount < MAX_FAULTS)
    disk.faults[disk.faultCount++] = (Fault){ (int)number, sqlite3_value_int64(values[2]), sqlite3_value_int64(values[3]) };
  else { sqlite3_result_error(context, "unknown command", -1); return; }
  sqlite3_result_int64(context, result);
}

int sqlite3_disk_init(sqlite3 *db, char **error, const sqlite3_api_routines *api) {
  (void)error;
  SQLITE_EXTENSION_INIT2(api);
  sqlite3_vfs_register(&VFS, 0);
  sqlite3_create_function(db, "disk", -1, SQLITE_UTF8, NULL, diskFunction, NULL, NULL);
  return SQLITE_OK_LOAD_PERMANENTLY;
}

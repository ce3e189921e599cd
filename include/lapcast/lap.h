/* lap.h reports the laps (training iterations) of a program to lapcast.
 *
 * It is header-only, needs C99 or C++11 and newer, and depends on nothing but libc. Include it
 * wherever laps are reported. Define LAPCAST_IMPLEMENTATION before the include in exactly ONE
 * source file, which then holds all state. Without LAPCAST_LOG_DIR in the environment every call
 * does nothing and an iteration costs about a nanosecond. With it, each process appends to its own
 * file in that folder. docs/lap-log.md defines the format.
 *
 *     #define LAPCAST_IMPLEMENTATION
 *     #include <lapcast/lap.h>
 *     ...
 *     lapcast_plan_t plan = {0};
 *     plan.epochs = 12; plan.batch_size = 128; plan.training_samples = 60000;
 *     lapcast_plan(plan);
 *     for each epoch:  lapcast_epoch_begin(e);
 *       for each batch:  train(batch); lapcast_iteration(batch.size);
 *       lapcast_epoch_end(e);
 *       lapcast_validation_begin(); evaluate(); lapcast_validation_end(10000);
 *
 * Every call may be made from any thread, but not from a signal handler. A forked child that
 * reports writes a file of its own, without the laps that its parent has not written yet. Times are
 * CLOCK_MONOTONIC in nanoseconds. No call fails or changes the program: when the log cannot be
 * written, reporting stops, and errno does not change.
 *
 * It needs POSIX and GCC or Clang. In strict C (-std=c99), the file that defines
 * LAPCAST_IMPLEMENTATION must include it first or define _DEFAULT_SOURCE.
 */
#ifndef LAPCAST_LAP_H
#define LAPCAST_LAP_H

#if defined(LAPCAST_IMPLEMENTATION) && !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Describes what the program intends to do. 0 means not known. */
typedef struct {
  int64_t epochs;               /* planned epochs */
  int64_t steps;                /* planned iterations in all, if not counted in epochs */
  int64_t iterations_per_epoch; /* counting a partial last batch as one */
  int64_t batch_size;           /* samples of a full iteration, over all ranks */
  int64_t training_samples;     /* samples of one epoch */
  int64_t validation_samples;   /* samples of one validation */
  int64_t answers_requests;     /* 1: the program asks lapcast_validation_wanted() between laps */
} lapcast_plan_t;

/* Reports the plan. The last reported plan counts. */
void lapcast_plan(lapcast_plan_t plan);

/* Report the begin and the end of a stage of the run. Customary names are "data-load",
 * "pre-process", "compile", "train" and "evaluate". Stages may nest. Characters outside
 * [A-Za-z0-9._/-] become '_', and names are cut after 64 characters. */
void lapcast_stage_begin(const char* name);
void lapcast_stage_end(const char* name);

/* Report one save of a checkpoint. bytes: the number written, or 0 when not known. */
void lapcast_checkpoint_begin(void);
void lapcast_checkpoint_end(int64_t bytes);

/* Reports that an iteration has ended and its work is done (on a device: synchronised). samples:
 * the number that this process worked on, 0 to 2147483647, fewer for a partial batch. A lap begins
 * where the previous event (except a metric) ended. */
static inline void lapcast_iteration(int64_t samples);
/* Reports an iteration whose work was only queued on a device and may not have finished. */
static inline void lapcast_iteration_queued(int64_t samples);

/* Reports when the work of an earlier iteration ended on its device, as soon as that is known from
 * a device event or a wait. lap counts the iterations that this process has reported, from 1. at_ns
 * is CLOCK_MONOTONIC. Ends are reported in the order of the laps; one of a lap that was not
 * reported, or in the future, is ignored. */
void lapcast_iteration_ended(int64_t lap, int64_t at_ns);

/* Report the begin and the end of an epoch, counted from 1 (at most 2147483647). A program that
 * resumes from a checkpoint reports the epoch at which it resumes. */
void lapcast_epoch_begin(int64_t epoch);
void lapcast_epoch_end(int64_t epoch);

/* Report one validation. samples: the number evaluated. */
void lapcast_validation_begin(void);
void lapcast_validation_end(int64_t samples);

/* Reports the current value of "loss", "accuracy", "val_accuracy" (fractions, 0..1) or the like. */
void lapcast_metric(const char* name, double value);

/* Reports that the following iterations do other work (progressive resizing, another sequence
 * length). */
void lapcast_phase(const char* name);

/* Reports a text for the user of the observer, such as why laps mean less than they seem, or what
 * was not understood. Characters that are not printable ASCII become '?'. A text is cut after 400
 * characters, and an empty one is not reported. */
void lapcast_note(const char* text);

/* Reports the maximum of the bytes that this process has held on its device (GPU) so far. */
void lapcast_device_memory(int64_t bytes);

/* Returns the number of samples on which the observer wants a validation now, between two
 * iterations; 0 nearly always. The program then validates on that many samples, reports it with
 * lapcast_validation_begin/_end and continues training. A program that does so sets
 * answers_requests in its plan. The call costs a branch. */
static inline int64_t lapcast_validation_wanted(void);

/* Writes the buffered events. lap.h itself does so at exit, after each event except iterations and
 * metrics, and at any event when 100 ms have passed since the last write. */
void lapcast_flush(void);

/* Everything below is an implementation detail. */

extern int lapcast_detail_on;     /* 0 without an observer, or when the log cannot be written */
extern int lapcast_detail_wanted; /* requested samples of validation that were not taken yet */
void lapcast_detail_iteration(int64_t samples, char kind);
int64_t lapcast_detail_take_wanted(void);

static inline void lapcast_iteration(int64_t samples) {
  if (__atomic_load_n(&lapcast_detail_on, __ATOMIC_RELAXED)) lapcast_detail_iteration(samples, 'i');
}

static inline void lapcast_iteration_queued(int64_t samples) {
  if (__atomic_load_n(&lapcast_detail_on, __ATOMIC_RELAXED)) lapcast_detail_iteration(samples, 'q');
}

static inline int64_t lapcast_validation_wanted(void) {
  return __atomic_load_n(&lapcast_detail_wanted, __ATOMIC_RELAXED) ? lapcast_detail_take_wanted()
                                                                   : 0;
}

#ifdef __cplusplus
}
#endif

#endif /* LAPCAST_LAP_H */

#if defined(LAPCAST_IMPLEMENTATION) && !defined(LAPCAST_DETAIL_IMPLEMENTED)
#define LAPCAST_DETAIL_IMPLEMENTED

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if !defined(CLOCK_MONOTONIC) || !defined(O_CLOEXEC)
#error "lapcast/lap.h: include it before all other headers, or define _DEFAULT_SOURCE"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define LAPCAST_DETAIL_BUFFER 65536 /* bytes of unwritten lines */
#define LAPCAST_DETAIL_LINE 1024    /* more than the longest line */
#define LAPCAST_DETAIL_PATH 4096    /* longer folder names are ignored */
#define LAPCAST_DETAIL_NAME 64      /* bytes of a name */
#define LAPCAST_DETAIL_NOTE 400     /* bytes of a note */
#define LAPCAST_DETAIL_MOST 2147483647
#define LAPCAST_DETAIL_WRITE_NS 100000000  /* laps are written with at most this delay */
#define LAPCAST_DETAIL_STUCK_NS 1000000000 /* a longer wait for the lock stops reporting */

/* Holds the state that a fork must reset. It is in a page that the kernel zeroes in a forked child
 * (MADV_WIPEONFORK), so the child finds the lock free and the log not its own. On systems without
 * MADV_WIPEONFORK it is in static memory and `me` is the pid, which every event queries. */
typedef struct {
  int lock;  /* `me` of the process that holds it, or 0 */
  int owner; /* `me` of the process that the log belongs to, or 0 */
} lapcast_detail_shared_t;

/* Holds the state that only the holder of the lock uses. */
typedef struct {
  int fd;
  int registered; /* with atexit */
  int said_bye;
  pid_t pid;
  dev_t device; /* device and inode show whether fd is still the log, which a program may close */
  ino_t inode;
  ino_t validate_inode; /* of the last request that was read */
  struct timespec validate_time;
  int64_t laps; /* reported so far */
  int64_t start_ns;
  int64_t written_ns;
  size_t length;
  char folder[LAPCAST_DETAIL_PATH];
  char buffer[LAPCAST_DETAIL_BUFFER];
} lapcast_detail_log_t;

int lapcast_detail_on = 1; /* until the environment has been read */
int lapcast_detail_wanted = 0;
static lapcast_detail_shared_t lapcast_detail_static;
static lapcast_detail_shared_t* lapcast_detail_shared = &lapcast_detail_static;
static lapcast_detail_log_t lapcast_detail_log;

static int64_t lapcast_detail_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_nsec;
}

static struct timespec lapcast_detail_modified(const struct stat* s) {
#ifdef __APPLE__
  return s->st_mtimespec;
#else
  return s->st_mtim;
#endif
}

/* Each put function appends at `to` and returns the new end. */

static char* lapcast_detail_put_text(char* to, const char* text) {
  const size_t length = strlen(text);
  memcpy(to, text, length);
  return to + length;
}

static char* lapcast_detail_put_2(char* to, uint32_t value) {
  static const char digits[] =
      "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
      "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
      "8081828384858687888990919293949596979899";
  memcpy(to, digits + 2 * value, 2);
  return to + 2;
}

static char* lapcast_detail_put_8(char* to, uint32_t value) {
  const uint32_t high = value / 10000, low = value % 10000;
  to = lapcast_detail_put_2(to, high / 100);
  to = lapcast_detail_put_2(to, high % 100);
  to = lapcast_detail_put_2(to, low / 100);
  return lapcast_detail_put_2(to, low % 100);
}

/* Appends as few digits as possible; value < 10^8. */
static char* lapcast_detail_put_short(char* to, uint32_t value) {
  char all[8];
  size_t zeros = 0;
  lapcast_detail_put_8(all, value);
  while (zeros < 7 && all[zeros] == '0') zeros++;
  memcpy(to, all + zeros, 8 - zeros);
  return to + (8 - zeros);
}

static char* lapcast_detail_put_number(char* to, int64_t number) {
  uint64_t value = number < 0 ? 0 : (uint64_t)number;
  uint64_t high = value / 100000000;
  if (high == 0) return lapcast_detail_put_short(to, (uint32_t)value);
  value %= 100000000;
  if (high < 100000000) {
    to = lapcast_detail_put_short(to, (uint32_t)high);
  } else {
    to = lapcast_detail_put_short(to, (uint32_t)(high / 100000000));
    to = lapcast_detail_put_8(to, (uint32_t)(high % 100000000));
  }
  return lapcast_detail_put_8(to, (uint32_t)value);
}

static char* lapcast_detail_put_field(char* to, const char* key, int64_t number) {
  to = lapcast_detail_put_text(to, key);
  return lapcast_detail_put_number(to, number);
}

static char* lapcast_detail_put_name(char* to, const char* name) {
  static const char allowed[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._/-";
  size_t i;
  if (name == NULL || *name == '\0') name = "_";
  for (i = 0; i < LAPCAST_DETAIL_NAME && name[i] != '\0'; i++) {
    *to++ = strchr(allowed, name[i]) != NULL ? name[i] : '_';
  }
  return to;
}

/* Writes '.' as the decimal point in every locale. */
static char* lapcast_detail_put_value(char* to, double value) {
  char text[64];
  const char* from = text;
  if (value != value) return lapcast_detail_put_text(to, "nan");
  snprintf(text, sizeof text, "%.15g", value);
  if (strtod(text, NULL) < value || strtod(text, NULL) > value) {
    snprintf(text, sizeof text, "%.17g", value);
  }
  for (; *from != '\0'; from++) {
    if (strchr("0123456789+-einf", *from) != NULL) {
      *to++ = *from;
    } else if (to[-1] != '.') {
      *to++ = '.';
    }
  }
  return to;
}

/* Functions that take the lock return 0 when they did not get it. They wait at most a second,
 * because a signal handler that interrupted the holder must not hang. */

static int lapcast_detail_me(const lapcast_detail_shared_t* shared) {
  return shared == &lapcast_detail_static ? (int)getpid() : 1;
}

static int lapcast_detail_try_lock(void) {
  lapcast_detail_shared_t* shared = __atomic_load_n(&lapcast_detail_shared, __ATOMIC_ACQUIRE);
  const int me = lapcast_detail_me(shared);
  int held = __atomic_load_n(&shared->lock, __ATOMIC_RELAXED);
  if (held == me) return 0; /* any other value is 0 or the parent's, which held it when it forked */
  if (!__atomic_compare_exchange_n(&shared->lock, &held, me, 0, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED)) {
    return 0;
  }
  if (shared == __atomic_load_n(&lapcast_detail_shared, __ATOMIC_ACQUIRE)) return 1;
  __atomic_store_n(&shared->lock, 0, __ATOMIC_RELEASE);
  return 0;
}

static int lapcast_detail_wait_lock(void) {
  const int64_t since = lapcast_detail_now();
  int spins = 0;
  while (!lapcast_detail_try_lock()) {
    if (++spins % 64 != 0) continue;
    if (lapcast_detail_now() - since > LAPCAST_DETAIL_STUCK_NS) {
      __atomic_store_n(&lapcast_detail_on, 0, __ATOMIC_RELAXED);
      return 0;
    }
    sched_yield();
  }
  return 1;
}

static int lapcast_detail_lock(void) {
  return lapcast_detail_try_lock() || lapcast_detail_wait_lock();
}

static void lapcast_detail_unlock(void) {
  lapcast_detail_shared_t* shared = __atomic_load_n(&lapcast_detail_shared, __ATOMIC_RELAXED);
  __atomic_store_n(&shared->lock, 0, __ATOMIC_RELEASE);
}

/* The functions below are called by the holder of the lock. */

static int lapcast_detail_is_mine(void) {
  const lapcast_detail_shared_t* shared = __atomic_load_n(&lapcast_detail_shared, __ATOMIC_RELAXED);
  return shared->owner == lapcast_detail_me(shared);
}

static void lapcast_detail_quiet(void) {
  lapcast_detail_log.length = 0;
  __atomic_store_n(&lapcast_detail_on, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&lapcast_detail_wanted, 0, __ATOMIC_RELAXED);
}

static int lapcast_detail_fd_is_log(void) {
  const lapcast_detail_log_t* log = &lapcast_detail_log;
  struct stat s;
  return log->fd > 0 && fstat(log->fd, &s) == 0 && s.st_dev == log->device &&
         s.st_ino == log->inode;
}

/* Reads a request of the observer, which renames a file with a number to `validate` in the folder.
 */
static void lapcast_detail_look_for_request(void) {
  lapcast_detail_log_t* log = &lapcast_detail_log;
  char path[LAPCAST_DETAIL_PATH + 16];
  char text[16];
  struct stat s;
  struct timespec modified;
  int fd;
  ssize_t got;
  *lapcast_detail_put_text(lapcast_detail_put_text(path, log->folder), "/validate") = '\0';
  if (stat(path, &s) != 0 || !S_ISREG(s.st_mode)) return;
  modified = lapcast_detail_modified(&s);
  if (s.st_ino == log->validate_inode && modified.tv_sec == log->validate_time.tv_sec &&
      modified.tv_nsec == log->validate_time.tv_nsec) {
    return;
  }
  fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return;
  got = fstat(fd, &s) == 0 ? read(fd, text, sizeof text - 1) : -1;
  close(fd);
  if (got < 0) return;
  text[got] = '\0';
  log->validate_inode = s.st_ino;
  log->validate_time = lapcast_detail_modified(&s);
  {
    const long long samples = strtoll(text, NULL, 10);
    if (samples > 0 && samples <= LAPCAST_DETAIL_MOST) {
      __atomic_store_n(&lapcast_detail_wanted, (int)samples, __ATOMIC_RELAXED);
    }
  }
}

static void lapcast_detail_write(int64_t now) {
  lapcast_detail_log_t* log = &lapcast_detail_log;
  size_t done = 0;
  log->written_ns = now;
  if (getpid() != log->pid || !lapcast_detail_fd_is_log()) {
    lapcast_detail_quiet();
    return;
  }
  while (done < log->length) {
    const ssize_t wrote = write(log->fd, log->buffer + done, log->length - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      lapcast_detail_quiet();
      return;
    }
    done += (size_t)wrote;
  }
  log->length = 0;
  lapcast_detail_look_for_request();
}

static int lapcast_detail_number_in_environment(const char* name, int* number) {
  const char* text = getenv(name);
  char* end = NULL;
  long value;
  if (text == NULL || *text < '0' || *text > '9') return 0;
  value = strtol(text, &end, 10);
  if (*end != '\0' || value > 32767) return 0;
  *number = (int)value;
  return 1;
}

static void lapcast_detail_rank(int* rank, int* world) {
  static const char* const names[][2] = {{"RANK", "WORLD_SIZE"},
                                         {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                         {"PMI_RANK", "PMI_SIZE"},
                                         {"SLURM_PROCID", "SLURM_NTASKS"}};
  size_t i;
  for (i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (lapcast_detail_number_in_environment(names[i][0], rank) &&
        lapcast_detail_number_in_environment(names[i][1], world) && *rank < *world) {
      return;
    }
  }
  *rank = 0;
  *world = 1;
}

/* Creates laps.PID.log, or laps.PID.N.log when an earlier process had the same pid. */
static int lapcast_detail_create(void) {
  lapcast_detail_log_t* log = &lapcast_detail_log;
  char path[LAPCAST_DETAIL_PATH + 64];
  int attempt;
  int fd = -1;
  for (attempt = 0; fd < 0 && attempt < 1000; attempt++) {
    char* end = lapcast_detail_put_text(path, log->folder);
    end = lapcast_detail_put_field(end, "/laps.", (int64_t)log->pid);
    if (attempt > 0) end = lapcast_detail_put_field(end, ".", attempt);
    *lapcast_detail_put_text(end, ".log") = '\0';
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 && errno != EEXIST && errno != EINTR) return -1;
  }
  if (fd >= 0 && fd < 3) { /* the program closed standard streams */
    const int higher = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    close(fd);
    fd = higher;
  }
  return fd;
}

static void lapcast_detail_put_hello(void) {
  lapcast_detail_log_t* log = &lapcast_detail_log;
  char host[256];
  struct timespec wall;
  int rank, world;
  char* to = log->buffer;
  lapcast_detail_rank(&rank, &world);
  clock_gettime(CLOCK_REALTIME, &wall);
  log->start_ns = lapcast_detail_now();
  if (gethostname(host, sizeof host) != 0) host[0] = '\0';
  host[sizeof host - 1] = '\0';
  to = lapcast_detail_put_text(to, "lapcast-laps 1\n0 hello");
  to = lapcast_detail_put_field(to, " clock=", log->start_ns);
  to = lapcast_detail_put_field(to, " wall=", (int64_t)wall.tv_sec);
  *to++ = '.';
  to = lapcast_detail_put_2(to, (uint32_t)(wall.tv_nsec / 10000000));
  to = lapcast_detail_put_2(to, (uint32_t)(wall.tv_nsec / 100000 % 100));
  to = lapcast_detail_put_2(to, (uint32_t)(wall.tv_nsec / 1000 % 100));
  to = lapcast_detail_put_field(to, " pid=", (int64_t)log->pid);
  to = lapcast_detail_put_field(to, " rank=", rank);
  to = lapcast_detail_put_field(to, " world=", world);
  to = lapcast_detail_put_name(lapcast_detail_put_text(to, " host="), host);
  to = lapcast_detail_put_text(to, " emitter=lap.h/1\n");
  log->length = (size_t)(to - log->buffer);
}

/* Moves the lock to a page that is zeroed in a forked child. */
static void lapcast_detail_move_to_wiped_page(void) {
#if defined(MADV_WIPEONFORK) && !defined(LAPCAST_DETAIL_NO_WIPE)
  const long size = sysconf(_SC_PAGESIZE);
  void* page;
  if (size <= 0) return;
  page = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  if (madvise(page, (size_t)size, MADV_WIPEONFORK) != 0) {
    munmap(page, (size_t)size);
    return;
  }
  ((lapcast_detail_shared_t*)page)->lock = 1;
  __atomic_store_n(&lapcast_detail_shared, (lapcast_detail_shared_t*)page, __ATOMIC_RELEASE);
  __atomic_store_n(&lapcast_detail_static.lock, 0, __ATOMIC_RELEASE);
#endif
}

static void lapcast_detail_at_exit(void);

/* Opens the log at the first event of a process: the program, or a child that it forked. */
static int lapcast_detail_begin(void) {
  lapcast_detail_log_t* log = &lapcast_detail_log;
  struct stat s;
  if (log->folder[0] == '\0') {
    const char* folder = getenv("LAPCAST_LOG_DIR");
    if (folder == NULL || *folder == '\0' || strlen(folder) >= LAPCAST_DETAIL_PATH) {
      lapcast_detail_quiet();
      return 0;
    }
    *lapcast_detail_put_text(log->folder, folder) = '\0';
    lapcast_detail_move_to_wiped_page();
  }
  if (lapcast_detail_fd_is_log()) close(log->fd); /* of the parent */
  __atomic_store_n(&lapcast_detail_wanted, 0, __ATOMIC_RELAXED);
  lapcast_detail_shared->owner = lapcast_detail_me(lapcast_detail_shared);
  log->said_bye = 0;
  log->laps = 0;
  log->pid = getpid();
  log->fd = lapcast_detail_create();
  if (log->fd < 0 || fstat(log->fd, &s) != 0) {
    lapcast_detail_quiet();
    return 0;
  }
  log->device = s.st_dev;
  log->inode = s.st_ino;
  lapcast_detail_put_hello();
  if (!log->registered) log->registered = atexit(lapcast_detail_at_exit) == 0;
  lapcast_detail_write(log->start_ns);
  return __atomic_load_n(&lapcast_detail_on, __ATOMIC_RELAXED);
}

/* Takes the lock and opens the log if necessary. Returns 0, without the lock, when nothing is to be
 * reported. */
static int lapcast_detail_enter(void) {
  int ready;
  if (!lapcast_detail_lock()) return 0;
  ready = __atomic_load_n(&lapcast_detail_on, __ATOMIC_RELAXED);
  if (ready && !lapcast_detail_is_mine()) {
    const int saved = errno;
    ready = lapcast_detail_begin();
    errno = saved;
  }
  if (!ready) lapcast_detail_unlock();
  return ready;
}

static void lapcast_detail_leave(int64_t now, int write_now) {
  lapcast_detail_log_t* log = &lapcast_detail_log;
  if (write_now || log->said_bye || now - log->written_ns >= LAPCAST_DETAIL_WRITE_NS ||
      log->length > LAPCAST_DETAIL_BUFFER - LAPCAST_DETAIL_LINE) {
    const int saved = errno;
    lapcast_detail_write(now);
    errno = saved;
  }
  lapcast_detail_unlock();
}

/* Called between enter and leave, the next two begin and end a line. */

static char* lapcast_detail_line_begin(int64_t now) {
  lapcast_detail_log_t* log = &lapcast_detail_log;
  char* to = lapcast_detail_put_number(log->buffer + log->length, now - log->start_ns);
  *to++ = ' ';
  return to;
}

static void lapcast_detail_line_end(char* to) {
  *to++ = '\n';
  lapcast_detail_log.length = (size_t)(to - lapcast_detail_log.buffer);
}

static int64_t lapcast_detail_limited(int64_t number) {
  return number > LAPCAST_DETAIL_MOST ? LAPCAST_DETAIL_MOST : number;
}

void lapcast_detail_iteration(int64_t samples, char kind) {
  int64_t now;
  char* to;
  if (!lapcast_detail_enter()) return;
  now = lapcast_detail_now();
  to = lapcast_detail_line_begin(now);
  *to++ = kind;
  *to++ = ' ';
  lapcast_detail_line_end(lapcast_detail_put_number(to, lapcast_detail_limited(samples)));
  lapcast_detail_log.laps++;
  lapcast_detail_leave(now, 0);
}

static int lapcast_detail_observed(void) {
  return __atomic_load_n(&lapcast_detail_on, __ATOMIC_RELAXED) && lapcast_detail_enter();
}

static void lapcast_detail_event(const char* kind) {
  int64_t now;
  if (!lapcast_detail_observed()) return;
  now = lapcast_detail_now();
  lapcast_detail_line_end(lapcast_detail_put_text(lapcast_detail_line_begin(now), kind));
  lapcast_detail_leave(now, 1);
}

static void lapcast_detail_named(const char* kind, const char* name) {
  int64_t now;
  char* to;
  if (!lapcast_detail_observed()) return;
  now = lapcast_detail_now();
  to = lapcast_detail_put_text(lapcast_detail_line_begin(now), kind);
  lapcast_detail_line_end(lapcast_detail_put_name(to, name));
  lapcast_detail_leave(now, 1);
}

static void lapcast_detail_counted(const char* kind, int64_t number) {
  int64_t now;
  if (!lapcast_detail_observed()) return;
  now = lapcast_detail_now();
  lapcast_detail_line_end(lapcast_detail_put_field(lapcast_detail_line_begin(now), kind, number));
  lapcast_detail_leave(now, 1);
}

/* Does not open a log: a forked child has no laps of its parent. */
void lapcast_iteration_ended(int64_t lap, int64_t at_ns) {
  const lapcast_detail_log_t* log = &lapcast_detail_log;
  int64_t now;
  char* to;
  if (!__atomic_load_n(&lapcast_detail_on, __ATOMIC_RELAXED) || !lapcast_detail_lock()) return;
  now = lapcast_detail_now();
  if (!lapcast_detail_is_mine() || lap < 1 || lap > log->laps || at_ns > now) {
    lapcast_detail_unlock();
    return;
  }
  to = lapcast_detail_put_field(lapcast_detail_line_begin(now), "ended ", lap);
  lapcast_detail_line_end(lapcast_detail_put_field(to, " ", at_ns - log->start_ns));
  lapcast_detail_leave(now, 0);
}

void lapcast_plan(lapcast_plan_t plan) {
  int64_t now;
  char* to;
  if (!lapcast_detail_observed()) return;
  now = lapcast_detail_now();
  to = lapcast_detail_put_text(lapcast_detail_line_begin(now), "plan");
  if (plan.epochs > 0) to = lapcast_detail_put_field(to, " epochs=", plan.epochs);
  if (plan.steps > 0) to = lapcast_detail_put_field(to, " steps=", plan.steps);
  if (plan.iterations_per_epoch > 0) {
    to = lapcast_detail_put_field(to, " iterations=", plan.iterations_per_epoch);
  }
  if (plan.batch_size > 0) to = lapcast_detail_put_field(to, " batch=", plan.batch_size);
  if (plan.training_samples > 0) {
    to = lapcast_detail_put_field(to, " train=", plan.training_samples);
  }
  if (plan.validation_samples > 0) {
    to = lapcast_detail_put_field(to, " validation=", plan.validation_samples);
  }
  if (plan.answers_requests > 0) {
    to = lapcast_detail_put_field(to, " requests=", plan.answers_requests);
  }
  lapcast_detail_line_end(to);
  lapcast_detail_leave(now, 1);
}

void lapcast_stage_begin(const char* name) {
  lapcast_detail_named("stage-begin ", name);
}
void lapcast_stage_end(const char* name) {
  lapcast_detail_named("stage-end ", name);
}
void lapcast_phase(const char* name) {
  lapcast_detail_named("phase ", name);
}

void lapcast_checkpoint_begin(void) {
  lapcast_detail_event("checkpoint-begin");
}
void lapcast_checkpoint_end(int64_t bytes) {
  lapcast_detail_counted("checkpoint-end ", bytes);
}
void lapcast_validation_begin(void) {
  lapcast_detail_event("validation-begin");
}
void lapcast_validation_end(int64_t samples) {
  lapcast_detail_counted("validation-end ", samples);
}

void lapcast_epoch_begin(int64_t epoch) {
  lapcast_detail_counted("epoch-begin ", lapcast_detail_limited(epoch));
}
void lapcast_epoch_end(int64_t epoch) {
  lapcast_detail_counted("epoch-end ", lapcast_detail_limited(epoch));
}

void lapcast_metric(const char* name, double value) {
  int64_t now;
  char* to;
  if (!lapcast_detail_observed()) return;
  now = lapcast_detail_now();
  to = lapcast_detail_put_text(lapcast_detail_line_begin(now), "metric ");
  to = lapcast_detail_put_name(to, name);
  *to++ = ' ';
  lapcast_detail_line_end(lapcast_detail_put_value(to, value));
  lapcast_detail_leave(now, 0);
}

static char* lapcast_detail_put_note(char* to, const char* text) {
  size_t i;
  for (i = 0; i < LAPCAST_DETAIL_NOTE && text[i] != '\0'; i++) {
    *to++ = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
  }
  return to;
}

void lapcast_note(const char* text) {
  int64_t now;
  char* to;
  if (text == NULL || *text == '\0' || !lapcast_detail_observed()) return;
  now = lapcast_detail_now();
  to = lapcast_detail_put_text(lapcast_detail_line_begin(now), "note ");
  lapcast_detail_line_end(lapcast_detail_put_note(to, text));
  lapcast_detail_leave(now, 1);
}

void lapcast_device_memory(int64_t bytes) {
  lapcast_detail_counted("device-memory ", bytes);
}

int64_t lapcast_detail_take_wanted(void) {
  int wanted;
  if (!lapcast_detail_lock()) return 0;
  wanted = __atomic_exchange_n(&lapcast_detail_wanted, 0, __ATOMIC_RELAXED);
  if (!lapcast_detail_is_mine()) wanted = 0; /* the request was the parent's */
  lapcast_detail_unlock();
  return wanted;
}

/* Writes the buffer. Does not open a log, because a process without one has reported nothing. */
static void lapcast_detail_flush(int with_bye) {
  const int saved = errno;
  if (!__atomic_load_n(&lapcast_detail_on, __ATOMIC_RELAXED) || !lapcast_detail_lock()) return;
  if (lapcast_detail_is_mine()) {
    const int64_t now = lapcast_detail_now();
    if (with_bye) {
      lapcast_detail_line_end(lapcast_detail_put_text(lapcast_detail_line_begin(now), "bye"));
      lapcast_detail_log.said_bye = 1;
    }
    lapcast_detail_write(now);
  }
  lapcast_detail_unlock();
  errno = saved;
}

void lapcast_flush(void) {
  lapcast_detail_flush(0);
}

static void lapcast_detail_at_exit(void) {
  lapcast_detail_flush(1);
}

#ifdef __cplusplus
}
#endif

#endif /* LAPCAST_IMPLEMENTATION */

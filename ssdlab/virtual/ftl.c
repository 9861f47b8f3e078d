/* A virtual SSD: an nbdkit plugin. Data live in memory; flash.c is its translation layer, timing.c its clock,
 * truth.c its counters, guard.c its protection. This file is what nbdkit calls. Parameters: see `ftl_help` below.
 */
#define _GNU_SOURCE
#define NBDKIT_API_VERSION 2
#include <nbdkit-plugin.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guard.c"
#include "flash.c"
#include "timing.c"
#include "truth.c"

#define THREAD_MODEL NBDKIT_THREAD_MODEL_PARALLEL
#define PAGE 4096u
#define STACK_BYTES (256u << 10)
#define SLEEP_COST_NS 15000u

static const char ftl_help[] =
  "size=BYTES       capacity (required)                 op=PERCENT    over-provisioning (12)\n"
  "dies=N           independent dies (8)                ppb=N         pages of 4 KiB per block (32)\n"
  "tread=US         read a page (80)                    tprog=US      program a page (450)\n"
  "terase=US        erase a block (3000)                buffer=PAGES  write buffer (64)\n"
  "command=US       controller time per request (100)   link=MB/S     host interface; 0: no limit (400)\n"
  "idle=MS          collect garbage after this time without a request; 0: never (200)\n"
  "idlefree=PERCENT until this share of a die's spare blocks is free (60)\n"
  "idleduty=PERCENT share of its time that a die spends on it (40)\n"
  "seed=N           start of the jitter and the dies    counters=FILE live counters\n"
  "linger=SECONDS   end after this time without client  tidy=FOLDER   removed at the end, with `socket` and `pid`\n";

static int64_t size = -1;
static unsigned op = 12, dies = 8, ppb = 32, tread = 80, tprog = 450, terase = 3000;
static unsigned buffer = 64, command = 100, link_mb = 400, linger, idle_ms = 200, idle_free = 60, idle_duty = 40;
static uint64_t seed = 1;
static char *counters_path, *tidy_path;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  /* guards what is below, but `data`; nobody waits under it */
static pthread_cond_t clients_changed;
static pthread_t linger_thread;
static int is_serving, ending;   /* the linger thread runs, must end */
static uint64_t idle_since;      /* when a client last came or went */
static struct flash flash;
static struct timing timing;
static struct truth truth;
static uint8_t *data;           /* by logical address; zero where unmapped; torn by requests that overlap */
static uint64_t *programmed_at; /* per logical page; before that it is read from the buffer */

/* --- parameters */

static int ftl_config (const char *key, const char *value)
{
  const struct { const char *name; unsigned *to; } numbers[] = {
    { "op", &op }, { "dies", &dies }, { "ppb", &ppb }, { "tread", &tread }, { "tprog", &tprog },
    { "terase", &terase }, { "buffer", &buffer }, { "command", &command }, { "link", &link_mb },
    { "linger", &linger }, { "idle", &idle_ms }, { "idlefree", &idle_free },
    { "idleduty", &idle_duty },
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (!strcmp (key, numbers[i].name))
      return nbdkit_parse_unsigned (key, value, numbers[i].to);
  if (!strcmp (key, "size"))
    return (size = nbdkit_parse_size (value)) < 0 ? -1 : 0;
  if (!strcmp (key, "seed"))
    return nbdkit_parse_uint64_t (key, value, &seed);
  if (!strcmp (key, "counters"))
    return (counters_path = nbdkit_absolute_path (value)) ? 0 : -1;
  if (!strcmp (key, "tidy"))
    return (tidy_path = nbdkit_absolute_path (value)) ? 0 : -1;
  nbdkit_error ("unknown parameter %s", key);
  return -1;
}

static int ftl_config_complete (void)
{
  if (size < PAGE || size % PAGE || size / PAGE >= UINT32_MAX / 4) {
    nbdkit_error ("size= must be a multiple of %u bytes, from one page to 4 TiB", PAGE);
    return -1;
  }
  if (!dies || dies > 1024 || !ppb || ppb > 65536 || !buffer || op > 1000
      || idle_free > 100 || !idle_duty || idle_duty > 100) {
    nbdkit_error ("dies= (1 to 1024), ppb= (1 to 65536), buffer= (from 1), op= (to 1000), idlefree= (to 100) or "
                  "idleduty= (1 to 100) out of range");
    return -1;
  }
  return 0;
}

/* --- what the requests share */

/* Wait until a time. To sleep costs some 15 us of a processor, and ends as much too late, even where the time has
 * come already; so what is due is answered at once, and a shorter wait than that is spent awake. */
static void wait_until (uint64_t ns)
{
  if (clock_ns (CLOCK_MONOTONIC) + SLEEP_COST_NS >= ns) {
    while (clock_ns (CLOCK_MONOTONIC) < ns)
      ;
    return;
  }
  const struct timespec t = { (time_t) (ns / 1000000000u), (long) (ns % 1000000000u) };
  while (clock_nanosleep (CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
    ;
}

static void publish (void)
{
  put (&truth.f->nand_written_bytes, flash.programmed * PAGE);
  put (&truth.f->gc_moved_bytes, flash.moved * PAGE);
  put (&truth.f->erases, flash.erased);
  put (&truth.f->mapped_bytes, (uint64_t) flash.mapped * PAGE);
  put (&truth.f->free_blocks, flash.free_blocks);
  put (&truth.f->die_work_ns, timing.work_ns);
}

static void rest_die (uint32_t die, uint64_t at, uint64_t now)
{
  struct work work = { 0 };
  while ((at = timing_free_at (&timing, die, at)) < now && flash_tidy (&flash, die, &work)) {
    uint64_t end = timing_work (&timing, die, at, &work);
    at = end + (end - at) * (100 - idle_duty) / idle_duty;
    work = (struct work) { 0 };
  }
}

/* What the dies did since the last answer, if that is long ago: each on its own, up to the step in
 * progress now. So the counters show it with the first request after the idle time. */
static void collect_idle (uint64_t now)
{
  uint64_t since = truth.quiet_ns + idle_ms * 1000000ull, moved = flash.moved, erased = flash.erased;
  if (!idle_ms || !truth.quiet_ns || truth.f->in_flight || now <= since)
    return;
  for (uint32_t die = 0; die < dies; die++)
    rest_die (die, since, now);
  add (&truth.f->idle_moved_bytes, (flash.moved - moved) * PAGE);
  add (&truth.f->idle_erases, flash.erased - erased);
  publish ();
}

/* Answer at the deadline, and note how that went. */
static void finish (struct connection *c, uint64_t deadline)
{
  wait_until (deadline);
  pthread_mutex_lock (&lock);
  truth_end (&truth, c, deadline);
  pthread_mutex_unlock (&lock);
}

/* Take the lock, which the caller releases once the model knows of the request, and admit the request. */
static uint64_t start (struct connection *c, enum request kind, uint64_t bytes)
{
  uint64_t now = clock_ns (CLOCK_MONOTONIC);
  pthread_mutex_lock (&lock);
  collect_idle (now);
  truth_begin (&truth, c, kind);
  return timing_admit (&timing, now, bytes);
}

/* --- requests */

static uint64_t read_page (uint32_t lpn, uint64_t at)
{
  uint32_t die = flash_die_of (&flash, lpn);
  return die == NONE || programmed_at[lpn] > at ? at : timing_read (&timing, die, at);
}

static int ftl_pread (void *handle, void *buf, uint32_t count, uint64_t offset, uint32_t flags)
{
  (void) flags;
  uint64_t at = start (handle, READ, count), done = at;
  for (uint64_t lpn = offset / PAGE; lpn * PAGE < offset + count; lpn++)
    done = later (done, read_page ((uint32_t) lpn, at));
  truth_record (&truth, READ, count, offset);
  add (&truth.f->host_read_bytes, count);
  put (&truth.f->die_work_ns, timing.work_ns);
  pthread_mutex_unlock (&lock);
  memcpy (buf, data + offset, count);
  finish (handle, done);
  return 0;
}

/* A page of which only a part is written is read first, unless it is new or still in the buffer. */
static uint64_t write_page (uint32_t lpn, uint64_t at, int is_part, uint64_t *programmed)
{
  struct work work = { 0 };
  work.reads = is_part && flash_die_of (&flash, lpn) != NONE && programmed_at[lpn] <= at;
  uint32_t die = flash_write (&flash, lpn, &work);
  truth.writes[lpn]++;
  uint64_t accepted = timing_write (&timing, die, at, &work, &programmed_at[lpn]);
  *programmed = later (*programmed, programmed_at[lpn]);
  return accepted;
}

static int ftl_pwrite (void *handle, const void *buf, uint32_t count, uint64_t offset, uint32_t flags)
{
  uint64_t end = offset + count, at = start (handle, WRITE, count), done = at, programmed = at;
  for (uint64_t lpn = offset / PAGE; lpn * PAGE < end; lpn++) {
    int is_part = lpn * PAGE < offset || (lpn + 1) * PAGE > end;
    done = later (done, write_page ((uint32_t) lpn, at, is_part, &programmed));
  }
  truth_record (&truth, WRITE, count, offset);
  add (&truth.f->host_written_bytes, count);
  publish ();
  pthread_mutex_unlock (&lock);
  memcpy (data + offset, buf, count);
  finish (handle, flags & NBDKIT_FLAG_FUA ? later (done, programmed) : done);
  return 0;
}

static uint64_t reclaim (uint64_t at)  /* when the blocks that became wholly invalid are erased */
{
  uint64_t done = at;
  for (uint32_t die = 0; die < dies; die++) {
    struct work work = { 0 };
    flash_reclaim (&flash, die, &work);
    if (work.erases)
      done = later (done, timing_work (&timing, die, at, &work));
  }
  return done;
}

static int ftl_trim (void *handle, uint32_t count, uint64_t offset, uint32_t flags)
{
  (void) flags;
  uint64_t first = (offset + PAGE - 1) / PAGE, end = (offset + count) / PAGE, trimmed = 0;
  uint64_t at = start (handle, TRIM, 0);
  for (uint64_t lpn = first; lpn < end; lpn++)
    trimmed += (uint64_t) flash_trim (&flash, (uint32_t) lpn);
  if (first < end)
    madvise (data + first * PAGE, (end - first) * PAGE, MADV_DONTNEED);
  uint64_t done = trimmed ? reclaim (at) : at;
  if (trimmed && !flash.mapped)
    truth_forget_writes (&truth);
  add (&truth.f->trimmed_bytes, trimmed * PAGE);
  publish ();
  pthread_mutex_unlock (&lock);
  finish (handle, done);
  return 0;
}

/* Whole pages that may become holes; nbdkit writes zeros for the rest. */
static int ftl_zero (void *handle, uint32_t count, uint64_t offset, uint32_t flags)
{
  if (flags & NBDKIT_FLAG_MAY_TRIM && offset % PAGE == 0 && count % PAGE == 0)
    return ftl_trim (handle, count, offset, flags);
  nbdkit_set_error (EOPNOTSUPP);
  return -1;
}

static int ftl_flush (void *handle, uint32_t flags)  /* the buffer is volatile */
{
  (void) flags;
  uint64_t at = start (handle, FLUSH, 0);
  uint64_t done = later (at, timing_idle_at (&timing, dies));
  pthread_mutex_unlock (&lock);
  finish (handle, done);
  return 0;
}

/* --- connections, beginning and end */

static void client_changed (void)  /* under the lock */
{
  idle_since = clock_ns (CLOCK_MONOTONIC);
  pthread_cond_signal (&clients_changed);
}

static void *ftl_open (int readonly)
{
  (void) readonly;
  struct connection *c = calloc (1, sizeof *c);
  if (!c)
    return NULL;
  pthread_mutex_lock (&lock);
  add (&truth.f->connections, 1);
  client_changed ();
  pthread_mutex_unlock (&lock);
  return c;
}

static void ftl_close (void *handle)
{
  pthread_mutex_lock (&lock);
  truth_close (&truth, handle);
  client_changed ();
  pthread_mutex_unlock (&lock);
  free (handle);
}

static void *end_when_lonely (void *unused)
{
  pthread_mutex_lock (&lock);
  while (!ending) {
    uint64_t until = idle_since + linger * 1000000000ull;
    const struct timespec t = { (time_t) (until / 1000000000u), (long) (until % 1000000000u) };
    if (truth.f->connections)
      pthread_cond_wait (&clients_changed, &lock);
    else if (clock_ns (CLOCK_MONOTONIC) < until)
      pthread_cond_timedwait (&clients_changed, &lock, &t);
    else {
      nbdkit_shutdown ();
      ending = 1;
    }
  }
  pthread_mutex_unlock (&lock);
  return unused;
}

static int ftl_get_ready (void)
{
  flash = (struct flash) { .pages = (uint32_t) (size / PAGE), .dies = dies, .ppb = ppb,
                           .first_die = (uint32_t) (seed % dies) };
  flash.blocks_per_die = blocks_per_die (flash.pages, op, dies, ppb);
  flash.rest_free = spare_blocks (&flash) * idle_free / 100;
  timing = (struct timing) { .random = seed, .buffer_pages = buffer };
  timing.model = (struct model) { .command_ns = command * 1000ull, .link_bytes_per_s = link_mb * 1000000ull,
                                  .read_ns = tread * 1000ull, .program_ns = tprog * 1000ull,
                                  .erase_ns = terase * 1000ull };
  const struct fields geometry = { .page_bytes = PAGE, .logical_pages = flash.pages, .dies = dies,
                                   .blocks = (uint64_t) dies * flash.blocks_per_die, .pages_per_block = ppb };
  if (truth_init (&truth, counters_path, &geometry) < 0) {
    nbdkit_error ("counters=%s: %s", counters_path ? counters_path : "", strerror (errno));
    return -1;
  }
  data = mmap (NULL, (size_t) size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  programmed_at = calloc (flash.pages, sizeof *programmed_at);
  if (data == MAP_FAILED || !programmed_at || flash_init (&flash, truth.erases) < 0
      || timing_init (&timing, dies) < 0) {
    nbdkit_error ("not enough memory for size=%lld", (long long) size);
    return -1;
  }
  publish ();
  return 0;
}

static void keep_stacks_small (void)  /* 32 clients have 4,096 threads: not 8 MiB of address space for each */
{
  pthread_attr_t small;
  pthread_attr_init (&small);
  if (!pthread_attr_setstacksize (&small, STACK_BYTES))
    pthread_setattr_default_np (&small);
  pthread_attr_destroy (&small);
}

static int ftl_after_fork (void)
{
  keep_stacks_small ();
  pthread_condattr_t monotonic;
  pthread_condattr_init (&monotonic);
  pthread_condattr_setclock (&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init (&clients_changed, &monotonic);
  prctl (PR_SET_TIMERSLACK, 1000ul, 0ul, 0ul, 0ul);  /* inherited by the threads that answer requests */
  idle_since = clock_ns (CLOCK_MONOTONIC);
  if (!linger)
    return 0;
  is_serving = !pthread_create (&linger_thread, NULL, end_when_lonely, NULL);
  return is_serving ? 0 : -1;
}

static void tidy (const char *name)
{
  char path[4096];
  if (snprintf (path, sizeof path, "%s/%s", tidy_path, name) < (int) sizeof path)
    unlink (path);
}

static void ftl_unload (void)
{
  if (is_serving) {
    pthread_mutex_lock (&lock);
    ending = 1;
    pthread_cond_signal (&clients_changed);
    pthread_mutex_unlock (&lock);
    pthread_join (linger_thread, NULL);
  }
  if (tidy_path) {
    tidy ("socket");
    tidy ("pid");
    rmdir (tidy_path);
  }
}

static int64_t ftl_size (void *handle) { (void) handle; return size; }
static int ftl_yes (void *handle) { (void) handle; return 1; }
static int ftl_fua (void *handle) { (void) handle; return NBDKIT_FUA_NATIVE; }

static struct nbdkit_plugin plugin = {
  .name = "ftl", .longname = "virtual SSD", .config = ftl_config, .config_complete = ftl_config_complete,
  .config_help = ftl_help, .get_ready = ftl_get_ready, .after_fork = ftl_after_fork, .unload = ftl_unload,
  .open = ftl_open, .close = ftl_close, .get_size = ftl_size, .pread = ftl_pread, .pwrite = ftl_pwrite,
  .trim = ftl_trim, .zero = ftl_zero, .flush = ftl_flush, .can_multi_conn = ftl_yes, .can_fua = ftl_fua,
};
NBDKIT_REGISTER_PLUGIN (plugin)

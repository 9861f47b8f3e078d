/* What really happened: counters in a file that is mapped into memory, so that anyone may read them live.
 *
 * Layout: 64 fields of 64 bits in native byte order, in the order of `struct fields`; a ring of idle gaps (start
 * and end, CLOCK_REALTIME ns); requests by size and by place (64 bits each, reads before writes); host writes per
 * logical page and erases per block (32 bits each). The fields hold the offsets. Each store is one aligned 64-bit
 * store, made under the lock of the caller. counters.py reads it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TRUTH_MAGIC 0x3144535342414c31u
#define TRUTH_VERSION 2u
#define GAP_SLOTS 1024u
#define GAP_NS 1000000u   /* longer than this without a request is an idle gap */
#define LATE_NS 1000000u  /* an answer later than this missed its deadline: the host did not keep up */
#define SECTOR 512u
#define SIZES 130u        /* requests of 0 to 128 sectors, a part of one counted as a whole, and of more */
#define PLACES 100u       /* hundredths of the drive, by the first byte */

enum request { READ, WRITE, TRIM, FLUSH };

struct fields {
  uint64_t magic, version, page_bytes, logical_pages, dies, blocks, pages_per_block;
  uint64_t gaps_offset, gap_slots, writes_offset, erases_offset, started_realtime_ns;
  uint64_t host_written_bytes, host_read_bytes, trimmed_bytes, nand_written_bytes, gc_moved_bytes;
  uint64_t erases, mapped_bytes, free_blocks, full_trims, die_work_ns;
  uint64_t requests[4], in_flight, in_flight_max, in_flight_busy_max;
  uint64_t first_io_realtime_ns, last_completion_realtime_ns, idle_gaps;
  uint64_t late_requests, late_ns_max, connections;
  uint64_t connections_max, connections_busy, connections_busy_max;
  uint64_t in_flight_connection_max, in_flight_connection_busy_max;
  uint64_t idle_moved_bytes, idle_erases, unaligned[2], sizes_offset, places_offset;
};

/* What one client has under way; it is among the busy ones of the period in which it last asked. */
struct connection { uint64_t in_flight, period; };

struct gap { uint64_t start_ns, end_ns; };

struct truth {
  struct fields *f;
  struct gap *gaps;
  uint64_t (*sizes)[SIZES], (*places)[PLACES];
  uint32_t *writes, *erases;
  uint64_t period;     /* the busy period under way, from 1 */
  uint64_t quiet_ns;   /* when the last answer was given, CLOCK_MONOTONIC */
};

_Static_assert (sizeof (struct fields) <= 512, "the fields fill the first 512 bytes");

static uint64_t clock_ns (clockid_t clock)
{
  struct timespec t;
  clock_gettime (clock, &t);
  return (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
}

static void put (uint64_t *field, uint64_t value) { __atomic_store_n (field, value, __ATOMIC_RELEASE); }
static void add (uint64_t *field, uint64_t more) { put (field, *field + more); }
static void raise_to (uint64_t *field, uint64_t value) { if (value > *field) put (field, value); }

static void begin_period (struct truth *t, uint64_t now)
{
  struct fields *f = t->f;
  uint64_t last = f->last_completion_realtime_ns;
  if (last) {
    t->gaps[f->idle_gaps % GAP_SLOTS] = (struct gap) { last, now };
    add (&f->idle_gaps, 1);
  }
  t->period++;
  put (&f->first_io_realtime_ns, now);
  put (&f->in_flight_busy_max, 0);
  put (&f->in_flight_connection_busy_max, 0);
  put (&f->connections_busy, 0);
  put (&f->connections_busy_max, 0);
}

static void truth_begin (struct truth *t, struct connection *c, enum request kind)
{
  struct fields *f = t->f;
  uint64_t now = clock_ns (CLOCK_REALTIME), last = f->last_completion_realtime_ns;
  if (!f->in_flight && (!last || now > last + GAP_NS))
    begin_period (t, now);
  if (c->period != t->period) {
    c->period = t->period;
    add (&f->connections_busy, 1);
    raise_to (&f->connections_busy_max, f->connections_busy);
    raise_to (&f->connections_max, f->connections_busy);
  }
  add (&f->requests[kind], 1);
  add (&f->in_flight, 1);
  c->in_flight++;
  raise_to (&f->in_flight_max, f->in_flight);
  raise_to (&f->in_flight_busy_max, f->in_flight);
  raise_to (&f->in_flight_connection_max, c->in_flight);
  raise_to (&f->in_flight_connection_busy_max, c->in_flight);
}

static void truth_end (struct truth *t, struct connection *c, uint64_t deadline)
{
  uint64_t now = clock_ns (CLOCK_MONOTONIC), late = now > deadline ? now - deadline : 0;
  raise_to (&t->f->late_ns_max, late);
  if (late > LATE_NS)
    add (&t->f->late_requests, 1);
  put (&t->f->last_completion_realtime_ns, clock_ns (CLOCK_REALTIME));
  t->quiet_ns = now;
  c->in_flight--;
  add (&t->f->in_flight, (uint64_t) -1);
}

static void truth_close (struct truth *t, const struct connection *c)
{
  add (&t->f->connections, (uint64_t) -1);
  if (c->period && c->period == t->period)
    add (&t->f->connections_busy, (uint64_t) -1);
}

/* A read or a write: how large, and where it begins. */
static void truth_record (struct truth *t, enum request kind, uint64_t bytes, uint64_t offset)
{
  struct fields *f = t->f;
  uint64_t sectors = (bytes + SECTOR - 1) / SECTOR, drive = f->logical_pages * f->page_bytes;
  add (&t->sizes[kind][sectors < SIZES ? sectors : SIZES - 1], 1);
  add (&t->places[kind][offset * PLACES / drive], 1);
  if (offset % f->page_bytes)
    add (&f->unaligned[kind], 1);
}

static void truth_forget_writes (struct truth *t)  /* after a trim of everything */
{
  memset (t->writes, 0, t->f->logical_pages * sizeof *t->writes);
  add (&t->f->full_trims, 1);
}

/* Space is reserved, for a store into a mapped file on a full disk would end the server. */
static void *map_counters (const char *path, uint64_t bytes)
{
  void *map = MAP_FAILED;
  int fd = open (path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0)
    return map;
  int error = posix_fallocate (fd, 0, (off_t) bytes);
  if (!error)
    map = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED)
    close (fd);  /* else it stays open: by that a run knows its server (process.py) */
  if (error)
    errno = error;
  return map;
}

/* `path` NULL: counted as well, in memory. The geometry is that of the caller's `g`. */
static int truth_init (struct truth *t, const char *path, const struct fields *g)
{
  uint64_t gaps = 512, sizes = gaps + GAP_SLOTS * sizeof *t->gaps;
  uint64_t places = sizes + 2 * sizeof *t->sizes, writes = places + 2 * sizeof *t->places;
  uint64_t erases = writes + g->logical_pages * sizeof *t->writes;
  uint64_t bytes = erases + g->blocks * sizeof *t->erases;
  uint8_t *map = path ? map_counters (path, bytes)
                      : mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED)
    return -1;
  t->f = (struct fields *) map;
  t->gaps = (struct gap *) (map + gaps);
  t->sizes = (uint64_t (*)[SIZES]) (map + sizes);
  t->places = (uint64_t (*)[PLACES]) (map + places);
  t->writes = (uint32_t *) (map + writes);
  t->erases = (uint32_t *) (map + erases);
  *t->f = *g;
  t->f->version = TRUTH_VERSION;
  t->f->gaps_offset = gaps;
  t->f->gap_slots = GAP_SLOTS;
  t->f->sizes_offset = sizes;
  t->f->places_offset = places;
  t->f->writes_offset = writes;
  t->f->erases_offset = erases;
  t->f->started_realtime_ns = clock_ns (CLOCK_REALTIME);
  put (&t->f->magic, TRUTH_MAGIC);  /* last: the file is whole */
  return 0;
}

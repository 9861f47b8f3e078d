/* When things happen: a controller, a write buffer and dies, all as absolute times in nanoseconds.
 *
 * Nothing here sleeps or reads a clock: a request comes with its arrival time and gets the time at which the
 * host may be told. Throughput follows from these times and not from how fast the host is.
 */
#include <stdint.h>
#include <stdlib.h>

#define SUSPEND_NS 20000u  /* what it takes to suspend a program or an erase for a read */

struct model {
  uint64_t command_ns;        /* controller time per request, one after another */
  uint64_t link_bytes_per_s;  /* host interface; 0: no limit */
  uint64_t read_ns, program_ns, erase_ns;
};

struct lane { uint64_t work_end, read_end; };  /* of a die: programs and erases, reads */

struct timing {
  struct model model;
  struct lane *lane;
  uint64_t controller_end;
  uint64_t *buffer;           /* heap of the times at which buffered pages are programmed, soonest on top */
  uint32_t buffer_pages, buffered;
  uint64_t work_ns;           /* time that dies spent, reads included */
  uint64_t random;            /* state of the jitter */
};

static uint64_t later (uint64_t a, uint64_t b) { return a > b ? a : b; }

/* +-5 % around the nominal time, evenly, so that means are those of the model (generator: splitmix64). */
static uint64_t jitter (struct timing *t, uint64_t ns)
{
  uint64_t z = t->random += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return ns - ns / 20 + ns * ((z ^ z >> 31) % 1001) / 10000;
}

static uint64_t work_time (struct timing *t, const struct work *w)
{
  uint64_t ns = jitter (t, w->reads * t->model.read_ns + w->programs * t->model.program_ns
                           + w->erases * t->model.erase_ns);
  t->work_ns += ns;
  return ns;
}

/* The controller takes a request of this size; returns the time at which the dies may begin. */
static uint64_t timing_admit (struct timing *t, uint64_t now, uint64_t bytes)
{
  uint64_t link = t->model.link_bytes_per_s, ns = t->model.command_ns;
  if (link)
    ns += bytes * 1000000000u / link;
  return t->controller_end = later (t->controller_end, now) + ns;
}

/* A slot of the write buffer, which `end` (set by the caller once known) will free. */
static uint64_t buffer_slot (struct timing *t, uint64_t at)
{
  if (t->buffered < t->buffer_pages)
    return at;
  uint64_t soonest = t->buffer[0], last = t->buffer[--t->buffered];
  uint32_t i = 0, child;
  while ((child = 2 * i + 1) < t->buffered) {
    if (child + 1 < t->buffered && t->buffer[child + 1] < t->buffer[child])
      child++;
    if (last <= t->buffer[child])
      break;
    t->buffer[i] = t->buffer[child];
    i = child;
  }
  t->buffer[i] = last;
  return later (at, soonest);
}

static void buffer_fill (struct timing *t, uint64_t end)
{
  uint32_t i = t->buffered++;
  for (; i && end < t->buffer[(i - 1) / 2]; i = (i - 1) / 2)
    t->buffer[i] = t->buffer[(i - 1) / 2];
  t->buffer[i] = end;
}

/* Programs and erases go one after another, reads before them. */
static uint64_t timing_work (struct timing *t, uint32_t die, uint64_t at, const struct work *w)
{
  struct lane *l = &t->lane[die];
  return l->work_end = later (later (at, l->work_end), l->read_end) + work_time (t, w);
}

/* A page goes into the buffer and from there to the die; when it is accepted, and when programmed. */
static uint64_t timing_write (struct timing *t, uint32_t die, uint64_t at, const struct work *w, uint64_t *programmed)
{
  uint64_t accepted = buffer_slot (t, at);
  *programmed = timing_work (t, die, accepted, w);
  buffer_fill (t, *programmed);
  return accepted;
}

/* A page is read. A program or an erase under way is suspended and takes so much longer. */
static uint64_t timing_read (struct timing *t, uint32_t die, uint64_t at)
{
  struct lane *l = &t->lane[die];
  const struct work one = { .reads = 1 };
  uint64_t start = later (at, l->read_end), took = work_time (t, &one);
  if (l->work_end > start) {
    took += SUSPEND_NS;
    l->work_end += took;
  }
  return l->read_end = start + took;
}

static uint64_t timing_free_at (const struct timing *t, uint32_t die, uint64_t since)
{
  return later (since, later (t->lane[die].work_end, t->lane[die].read_end));
}

static uint64_t timing_idle_at (const struct timing *t, uint32_t dies)  /* everything buffered is programmed */
{
  uint64_t end = 0;
  for (uint32_t d = 0; d < dies; d++)
    end = later (end, t->lane[d].work_end);
  return end;
}

static int timing_init (struct timing *t, uint32_t dies)
{
  t->lane = calloc (dies, sizeof *t->lane);
  t->buffer = calloc (t->buffer_pages, sizeof *t->buffer);
  return t->lane && t->buffer ? 0 : -1;
}

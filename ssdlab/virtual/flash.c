/* The flash translation layer: page map, greedy garbage collection, wear levelling.
 *
 * It has no clock and no host. Each call changes the maps and adds what a die had to do to a
 * `struct work`; the clock (timing.c) turns that into time. So it can be tested by itself, at full speed.
 *
 * Each die is a log of its own: free blocks, one block open for the host, one for garbage collection, closed
 * blocks, at most one victim under collection. A die never holds more valid pages than RESERVE_BLOCKS fewer
 * blocks than it has could hold; so when free blocks are low, some closed block has an invalid page to win.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define RESERVE_BLOCKS 5u  /* a die's own: two open, LOW_BLOCKS free */
#define LOW_BLOCKS 3u      /* collection runs while fewer blocks are free */
#define WEAR_GAP 16u       /* erases between the most and the least worn block of a die, at most ... */
#define WEAR_CHECK 16u     /* ... looked at once in so many collections, for it is a scan */

enum block_state { FREE, OPEN, CLOSED, VICTIM };

struct work { uint64_t reads, programs, erases; };

struct open_block { uint32_t block, fill; };

struct die {
  struct open_block host, gc;
  uint32_t victim, scan;         /* the block under collection, the next page of it to look at */
  uint32_t pace, gain, credit;   /* `pace` moves for each `gain` host pages */
  uint32_t valid;                /* valid pages on the die */
  uint32_t *free, free_count;    /* heap of free blocks, the least worn on top */
  uint32_t lowest;               /* no closed block has fewer valid pages */
  uint32_t collections, most_worn;
};

struct flash {
  uint32_t pages, dies, ppb, blocks_per_die, blocks;
  uint32_t rest_free;            /* free blocks of a die at which idle collection stops */
  uint32_t first_die, turn;      /* round robin of host pages over the dies */
  uint32_t mapped;               /* logical pages that hold data */
  uint64_t programmed, moved, erased;
  uint32_t free_blocks;
  uint32_t *page_of, *owner;     /* logical -> physical page and back */
  uint32_t *valid, *wear;        /* per block: valid pages, erases */
  uint8_t *state;
  uint32_t *next, *prev;         /* ring of closed blocks per die and valid count; heads after the blocks */
  struct die *die;
};

static uint32_t blocks_per_die (uint64_t pages, uint32_t spare_percent, uint32_t dies, uint32_t ppb)
{
  uint64_t raw = (pages * (100 + (uint64_t) spare_percent) + 99) / 100, stripe = (uint64_t) dies * ppb;
  return (uint32_t) ((raw + stripe - 1) / stripe) + RESERVE_BLOCKS;
}

/* --- free blocks: a heap, so that the least worn block is used next (dynamic wear levelling) */

static int less_worn (const struct flash *f, uint32_t a, uint32_t b)
{
  return f->wear[a] != f->wear[b] ? f->wear[a] < f->wear[b] : a < b;
}

static void free_push (struct flash *f, struct die *d, uint32_t block)
{
  uint32_t i = d->free_count++;
  f->free_blocks++;
  for (; i && less_worn (f, block, d->free[(i - 1) / 2]); i = (i - 1) / 2)
    d->free[i] = d->free[(i - 1) / 2];
  d->free[i] = block;
  f->state[block] = FREE;
}

static uint32_t free_pop (struct flash *f, struct die *d)
{
  uint32_t top = d->free[0], last = d->free[--d->free_count], i = 0, child;
  f->free_blocks--;
  while ((child = 2 * i + 1) < d->free_count) {
    if (child + 1 < d->free_count && less_worn (f, d->free[child + 1], d->free[child]))
      child++;
    if (!less_worn (f, d->free[child], last))
      break;
    d->free[i] = d->free[child];
    i = child;
  }
  d->free[i] = last;
  return top;
}

/* --- closed blocks: rings by valid count, so that the greedy victim is found without a scan of the blocks */

static uint32_t ring_of (const struct flash *f, uint32_t die, uint32_t valid)
{
  return f->blocks + die * (f->ppb + 1) + valid;
}

static void ring_remove (struct flash *f, uint32_t block)
{
  f->next[f->prev[block]] = f->next[block];
  f->prev[f->next[block]] = f->prev[block];
}

static void ring_add (struct flash *f, uint32_t block)
{
  uint32_t die = block / f->blocks_per_die, valid = f->valid[block], head = ring_of (f, die, valid);
  f->next[block] = f->next[head];
  f->prev[block] = head;
  f->prev[f->next[head]] = block;
  f->next[head] = block;
  if (valid < f->die[die].lowest)
    f->die[die].lowest = valid;
}

static uint32_t greediest (struct flash *f, uint32_t die)  /* the oldest of those with fewest valid pages */
{
  struct die *d = &f->die[die];
  for (; d->lowest <= f->ppb; d->lowest++) {
    uint32_t head = ring_of (f, die, d->lowest);
    if (f->prev[head] != head)
      return f->prev[head];
  }
  return NONE;
}

/* --- pages */

static void invalidate (struct flash *f, uint32_t lpn)
{
  uint32_t page = f->page_of[lpn], block = page / f->ppb;
  f->owner[page] = f->page_of[lpn] = NONE;
  f->valid[block]--;
  f->die[block / f->blocks_per_die].valid--;
  f->mapped--;
  if (f->state[block] == CLOSED) {
    ring_remove (f, block);
    ring_add (f, block);
  }
}

static void program (struct flash *f, uint32_t die, struct open_block *open, uint32_t lpn)
{
  struct die *d = &f->die[die];
  if (open->block == NONE) {
    *open = (struct open_block) { free_pop (f, d), 0 };
    f->state[open->block] = OPEN;
  }
  uint32_t page = open->block * f->ppb + open->fill++;
  f->page_of[lpn] = page;
  f->owner[page] = lpn;
  f->valid[open->block]++;
  d->valid++;
  f->mapped++;
  f->programmed++;
  if (open->fill == f->ppb) {
    f->state[open->block] = CLOSED;
    ring_add (f, open->block);
    open->block = NONE;
  }
}

static void erase (struct flash *f, uint32_t block, struct work *w)
{
  struct die *d = &f->die[block / f->blocks_per_die];
  if (++f->wear[block] > d->most_worn)
    d->most_worn = f->wear[block];
  f->erased++;
  w->erases++;
  free_push (f, d, block);
}

/* --- garbage collection */

static void move_page (struct flash *f, uint32_t die, struct open_block *to, uint32_t lpn, struct work *w)
{
  invalidate (f, lpn);
  program (f, die, to, lpn);
  f->moved++;
  w->reads++;
  w->programs++;
}

static uint32_t next_valid (const struct flash *f, struct die *d)  /* of the victim; NONE: it may be erased */
{
  for (; d->scan < f->ppb; d->scan++)
    if (f->owner[d->victim * f->ppb + d->scan] != NONE)
      return f->owner[d->victim * f->ppb + d->scan];
  return NONE;
}

static void end_collection (struct flash *f, struct die *d, struct work *w)
{
  erase (f, d->victim, w);
  d->victim = NONE;
}

static void collect (struct flash *f, uint32_t die, uint32_t moves, struct work *w)
{
  struct die *d = &f->die[die];
  uint32_t lpn;
  while ((lpn = next_valid (f, d)) != NONE) {
    if (!moves--)
      return;
    move_page (f, die, &d->gc, lpn, w);
  }
  end_collection (f, d, w);
}

static uint32_t coldest (const struct flash *f, uint32_t die)
{
  uint32_t best = NONE, end = (die + 1) * f->blocks_per_die;
  for (uint32_t b = die * f->blocks_per_die; b < end; b++)
    if (f->state[b] == CLOSED && (best == NONE || f->wear[b] < f->wear[best]))
      best = b;
  return best;
}

/* Static wear levelling: data that nobody rewrites go, together, from an unworn block to a worn one. */
static void level_wear (struct flash *f, uint32_t die, struct work *w)
{
  struct die *d = &f->die[die];
  struct open_block fresh = { NONE, 0 };
  uint32_t cold = coldest (f, die);
  if (d->most_worn - f->wear[cold] <= WEAR_GAP)
    return;
  ring_remove (f, cold);
  f->state[cold] = VICTIM;
  for (uint32_t page = cold * f->ppb; page < (cold + 1) * f->ppb; page++)
    if (f->owner[page] != NONE)
      move_page (f, die, &fresh, f->owner[page], w);
  if (fresh.block != NONE) {  /* not filled to the end */
    f->state[fresh.block] = CLOSED;
    ring_add (f, fresh.block);
  }
  erase (f, cold, w);
}

static void choose_victim (struct flash *f, uint32_t die)
{
  struct die *d = &f->die[die];
  d->victim = greediest (f, die);
  ring_remove (f, d->victim);
  f->state[d->victim] = VICTIM;
  d->scan = d->credit = 0;
  d->pace = f->valid[d->victim];
  d->gain = f->ppb - d->pace;
}

static void begin_collection (struct flash *f, uint32_t die, struct work *w)
{
  if (++f->die[die].collections % WEAR_CHECK == 0)
    level_wear (f, die, w);
  choose_victim (f, die);
}

static void make_room (struct flash *f, uint32_t die, struct work *w)
{
  struct die *d = &f->die[die];
  if (d->victim == NONE && d->free_count < LOW_BLOCKS)
    begin_collection (f, die, w);
  if (d->victim != NONE && d->free_count < LOW_BLOCKS) {  /* as much with each host page as keeps the balance */
    d->credit += d->pace;
    uint32_t moves = d->credit / d->gain;
    d->credit %= d->gain;
    collect (f, die, moves, w);
  }
  while (d->host.block == NONE && d->free_count < 2) {  /* the last free block is for collection alone */
    if (d->victim == NONE)
      begin_collection (f, die, w);
    collect (f, die, f->ppb, w);
  }
}

/* One page move or one erase in idle time, so that a request waits for no more than that; 0: none is due.
 * Wear is levelled here only by the choice of the free block. */
static int flash_tidy (struct flash *f, uint32_t die, struct work *w)
{
  struct die *d = &f->die[die];
  if (d->free_count >= f->rest_free)
    return 0;
  if (d->victim == NONE) {
    uint32_t block = greediest (f, die);
    if (block == NONE || f->valid[block] == f->ppb)
      return 0;
    choose_victim (f, die);
  }
  uint32_t lpn = next_valid (f, d);
  if (lpn == NONE)
    end_collection (f, d, w);
  else
    move_page (f, die, &d->gc, lpn, w);
  return 1;
}

/* --- what the host does */

static uint32_t next_die (struct flash *f)  /* round robin; a die full of valid data is passed over */
{
  uint32_t most = (f->blocks_per_die - RESERVE_BLOCKS) * f->ppb, die;
  do {
    die = f->turn;
    f->turn = (f->turn + 1) % f->dies;
  } while (f->die[die].valid >= most);
  return die;
}

static uint32_t flash_write (struct flash *f, uint32_t lpn, struct work *w)  /* the die that took the page */
{
  if (f->page_of[lpn] != NONE)
    invalidate (f, lpn);
  uint32_t die = next_die (f);
  make_room (f, die, w);
  program (f, die, &f->die[die].host, lpn);
  w->programs++;
  return die;
}

static int flash_trim (struct flash *f, uint32_t lpn)  /* 1 if the page held data */
{
  if (f->page_of[lpn] == NONE)
    return 0;
  invalidate (f, lpn);
  return 1;
}

static void reclaim_open (struct flash *f, struct open_block *open, struct work *w)
{
  if (open->block == NONE || f->valid[open->block])
    return;
  erase (f, open->block, w);
  open->block = NONE;
}

static void flash_reclaim (struct flash *f, uint32_t die, struct work *w)  /* free what is wholly invalid */
{
  struct die *d = &f->die[die];
  uint32_t head = ring_of (f, die, 0);
  while (f->prev[head] != head) {
    uint32_t block = f->prev[head];
    ring_remove (f, block);
    erase (f, block, w);
  }
  if (d->victim != NONE && !f->valid[d->victim])
    collect (f, die, 0, w);
  reclaim_open (f, &d->host, w);
  reclaim_open (f, &d->gc, w);
  if (!f->mapped)
    f->turn = f->first_die;
}

static uint32_t flash_die_of (const struct flash *f, uint32_t lpn)  /* NONE: holds no data */
{
  return f->page_of[lpn] == NONE ? NONE : f->page_of[lpn] / f->ppb / f->blocks_per_die;
}

static uint32_t spare_blocks (const struct flash *f)  /* of a die: what data that fill the drive leave */
{
  uint64_t stripe = (uint64_t) f->dies * f->ppb;
  return f->blocks_per_die - (uint32_t) ((f->pages + stripe - 1) / stripe);
}

/* --- set-up: `wear` (one per block) is the caller's; it may be shared memory */

static uint32_t *numbers (uint64_t count, int byte)
{
  uint32_t *p = malloc (count * sizeof *p);
  return p ? memset (p, byte, count * sizeof *p) : NULL;
}

static void fill_die (struct flash *f, uint32_t die)
{
  struct die *d = &f->die[die];
  *d = (struct die) { .host = { NONE, 0 }, .gc = { NONE, 0 }, .victim = NONE, .lowest = f->ppb,
                      .free = d->free };
  for (uint32_t v = 0; v <= f->ppb; v++)
    f->next[ring_of (f, die, v)] = f->prev[ring_of (f, die, v)] = ring_of (f, die, v);
  for (uint32_t b = 0; b < f->blocks_per_die; b++)
    free_push (f, d, die * f->blocks_per_die + b);
}

/* The caller sets pages, dies, ppb, blocks_per_die, first_die and, if there is one, rest_free. */
static int flash_init (struct flash *f, uint32_t *wear)
{
  f->blocks = f->dies * f->blocks_per_die;
  uint64_t physical = (uint64_t) f->blocks * f->ppb, rings = f->blocks + (uint64_t) f->dies * (f->ppb + 1);
  f->wear = wear;
  f->turn = f->first_die;
  f->page_of = numbers (f->pages, 0xff);
  f->owner = numbers (physical, 0xff);
  f->valid = numbers (f->blocks, 0);
  f->next = numbers (rings, 0);
  f->prev = numbers (rings, 0);
  f->state = calloc (f->blocks, 1);
  f->die = calloc (f->dies, sizeof *f->die);
  if (!f->page_of || !f->owner || !f->valid || !f->next || !f->prev || !f->state || !f->die)
    return -1;
  for (uint32_t d = 0; d < f->dies; d++) {
    if (!(f->die[d].free = numbers (f->blocks_per_die, 0)))
      return -1;
    fill_die (f, d);
  }
  return 0;
}

/* Drives flash.c by itself: uniform random writes, then the write amplification of the last part.
 *   flash_harness PAGES SPARE_PERCENT DIES PPB WARM MEASURED HOT_PAGES TRIM_EVERY REST_EVERY
 * HOT_PAGES: after a sequential fill only so many pages are written. TRIM_EVERY: each so many writes a
 * random run of pages is trimmed. REST_EVERY: each so many writes every die collects as if idle, a random number
 * of steps, up to half its spare blocks. All invariants are checked all the while and at the end.
 */
#include <stdio.h>
#include "flash.c"

const char *__asan_default_options (void);
const char *__asan_default_options (void) { return "detect_leaks=0"; }  /* all ends with the process */

static uint64_t state = 88172645463325252u;
static uint32_t below (uint32_t n)
{
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (uint32_t) ((state >> 11) % n);
}

static void require (int ok, const char *what)
{
  if (!ok) {
    fprintf (stderr, "broken: %s\n", what);
    exit (1);
  }
}

static void check (const struct flash *f)
{
  uint32_t mapped = 0, valid = 0, free_blocks = 0;
  for (uint32_t l = 0; l < f->pages; l++)
    if (f->page_of[l] != NONE) {
      mapped++;
      require (f->owner[f->page_of[l]] == l, "the two maps agree");
    }
  for (uint32_t b = 0; b < f->blocks; b++) {
    uint32_t owned = 0;
    for (uint32_t p = b * f->ppb; p < (b + 1) * f->ppb; p++)
      owned += f->owner[p] != NONE;
    require (owned == f->valid[b], "the valid count of a block");
    valid += owned;
    free_blocks += f->state[b] == FREE;
    require (f->state[b] != FREE || !owned, "a free block holds nothing");
    if (f->state[b] == CLOSED) {
      uint32_t head = ring_of (f, b / f->blocks_per_die, owned), at = f->next[head];
      while (at != head && at != b)
        at = f->next[at];
      require (at == b, "a closed block is in the ring of its valid count");
    }
  }
  require (mapped == f->mapped && valid == mapped, "mapped pages are valid pages");
  require (free_blocks == f->free_blocks, "free blocks are counted");
}

static void trim_run (struct flash *f, uint32_t first, uint32_t count)
{
  struct work w = { 0 };
  for (uint32_t l = first; l < f->pages && count--; l++)
    flash_trim (f, l);
  for (uint32_t d = 0; d < f->dies; d++)
    flash_reclaim (f, d, &w);
}

static uint64_t rested;  /* steps of all the rests */

static void rest (struct flash *f, uint32_t die, uint32_t steps)
{
  for (struct work w = { 0 }; steps-- && flash_tidy (f, die, &w); w = (struct work) { 0 }) {
    require (w.reads == w.programs && w.reads + w.erases == 1, "a step is one move or one erase");
    require (f->die[die].free_count <= f->rest_free, "no more blocks are freed than asked for");
    rested++;
  }
}

static void rest_to_the_end (struct flash *f)
{
  struct work w = { 0 };
  uint32_t mapped = f->mapped;
  for (uint32_t d = 0; d < f->dies; d++) {
    rest (f, d, UINT32_MAX);
    uint32_t block = greediest (f, d);
    require (f->die[d].free_count == f->rest_free || block == NONE || f->valid[block] == f->ppb,
             "collection rests when enough is free, or when nothing is to be won");
    require (!flash_tidy (f, d, &w), "what rests, rests");
  }
  require (f->mapped == mapped, "no page is lost");
}

int main (int argc, char **argv)
{
  uint32_t a[10] = { 0 };
  for (int i = 1; i < argc && i < 10; i++)
    a[i] = (uint32_t) strtoul (argv[i], NULL, 10);
  struct flash f = { .pages = a[1], .dies = a[3], .ppb = a[4], .first_die = 0 };
  f.blocks_per_die = blocks_per_die (f.pages, a[2], f.dies, f.ppb);
  f.rest_free = spare_blocks (&f) / 2;
  uint32_t *wear = calloc (f.dies * f.blocks_per_die, sizeof *wear);
  require (wear && !flash_init (&f, wear), "memory");
  struct work w = { 0 };
  uint64_t before = 0, most = 0;
  double free_sum = 0, closed_sum = 0, valid_sum = 0;
  for (uint32_t l = 0; l < f.pages; l++)
    flash_write (&f, l, &w);
  for (uint32_t i = 0; i < a[5] + a[6]; i++) {
    if (i == a[5])
      before = f.programmed;
    struct work one = { 0 };
    flash_write (&f, below (a[7] ? a[7] : f.pages), &one);
    require (one.programs == one.reads + 1, "each page moved is read and programmed");
    most = one.programs > most ? one.programs : most;
    if (i >= a[5] && i % 64 == 0)
      for (uint32_t b = 0; b < f.blocks; b++) {
        free_sum += f.state[b] == FREE;
        closed_sum += f.state[b] == CLOSED;
        valid_sum += f.state[b] == CLOSED ? f.valid[b] : 0;
      }
    if (a[8] && i % a[8] == 0)
      trim_run (&f, below (f.pages), below (f.pages / 4));
    if (a[9] && i % a[9] == 0)
      for (uint32_t d = 0; d < f.dies; d++)
        rest (&f, d, below (4 * f.ppb));
    if (i % 50000 == 0)
      check (&f);
  }
  check (&f);
  uint32_t least = UINT32_MAX, worn = 0;
  for (uint32_t b = 0; b < f.blocks; b++) {
    least = wear[b] < least ? wear[b] : least;
    worn = wear[b] > worn ? wear[b] : worn;
  }
  printf ("write_amplification %.5f\n", (double) (f.programmed - before) / a[6]);
  printf ("free_blocks_mean %.4f\nblocks %u\nwear_least %u\nwear_most %u\nburst_most %lu\n",
          free_sum / (a[6] / 64), f.blocks, least, worn, (unsigned long) most);
  printf ("closed_blocks_mean %.4f\nclosed_valid_ratio %.6f\n", closed_sum / (a[6] / 64),
          valid_sum / closed_sum / f.ppb);
  if (a[9]) {
    rest_to_the_end (&f);
    check (&f);
    printf ("free_blocks_rested %u\nrest_free %u\nrest_steps %lu\n", f.free_blocks, f.rest_free * f.dies,
            (unsigned long) rested);
  }
  trim_run (&f, 0, f.pages);
  check (&f);
  require (f.free_blocks == f.blocks, "a trim of everything frees every block");
  return 0;
}

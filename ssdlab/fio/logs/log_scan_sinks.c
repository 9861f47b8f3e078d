/* Where the rows of a log go: into sums, or into columns. */

/* What a column holds: the same numbers as log_layout.py. */
enum role { NUMBER, DIRECTION, FLAG, PRIORITY, MAXIMUM };

enum {
	MAX_COLUMNS = 8,
	DIRECTIONS = 4,
	TIME = 0,
	VALUE = 1,
	USUAL_DIRECTION = 2,	/* where a direction stands without a maximum */
	PLAT_BITS = 6,
	BINS = 29 << PLAT_BITS,
	MAX_PLACES = 16,	/* damaged lines that are told one by one */
	MAX_RUNS = 16384,
	MAX_LINE = 4096,
	FRONT = 64,		/* what a word may reach back before a line */
	BLOCK = 1 << 18,
	WIDE = 64,
	MAX_DIGITS = 15,	/* of a number in a line that is read by masks */
};

static const int64_t PLAT_END = (int64_t)1 << 34;
static const int64_t LIMITS[] = { INT64_MAX, 3, 1, 0xffff, INT64_MAX };

struct layout {
	int32_t columns;
	int32_t roles[MAX_COLUMNS];
	int64_t greatest_value;	/* at least 10 to the power of MAX_DIGITS */
};

/* A file, or where fd is -1 the bytes of one. */
struct source {
	const uint8_t *bytes;
	int64_t size;
	int32_t fd;
};

/* Successive lines of one direction in one interval. */
struct run {
	int64_t interval, direction, count, least, greatest;
	double sum;
};

struct sums {
	int64_t rows, lines, damaged, nonzero, runs;
	int64_t backs;		/* rows before the one that precedes them */
	int64_t first[DIRECTIONS], last[DIRECTIONS];	/* their times; -1: none */
	int64_t places[MAX_PLACES];
	int64_t counts[DIRECTIONS][BINS];
	struct run run[MAX_RUNS];
};

struct open_run {
	int64_t begin, count, least, greatest;
	uint64_t width;		/* 0: none is open */
	unsigned __int128 sum;
};

struct adding {
	struct sums *sums;
	int64_t interval_ms;
	struct open_run open[DIRECTIONS];
};

struct columns {
	void *const *to;
	int64_t capacity, rows;
};

/* Where a block of whole lines goes: exactly one of the two. */
struct sink {
	struct layout layout;
	struct adding *adding;
	struct columns *columns;
};

static int bin_of(int64_t value)
{
	uint64_t clipped = value < PLAT_END ? value : PLAT_END - 1;
	int dropped = 63 - PLAT_BITS - __builtin_clzll(clipped | (1 << PLAT_BITS));

	return (dropped << PLAT_BITS) + (int)(clipped >> dropped);
}

static void close_run(struct adding *adding, int direction)
{
	struct open_run *open = &adding->open[direction];
	struct sums *sums = adding->sums;

	if (!open->count)
		return;
	sums->run[sums->runs++] = (struct run) {
		.interval = open->begin / adding->interval_ms,
		.direction = direction,
		.count = open->count,
		.least = open->least,
		.greatest = open->greatest,
		.sum = (double)open->sum,
	};
	open->count = 0;
}

static void open_run(struct adding *adding, int direction, int64_t time)
{
	struct open_run *open = &adding->open[direction];
	struct sums *sums = adding->sums;

	close_run(adding, direction);
	if (sums->first[direction] < 0)
		sums->first[direction] = time;
	*open = (struct open_run) {
		.begin = time - time % adding->interval_ms,
		.width = adding->interval_ms,
		.least = INT64_MAX,
	};
}

static inline void add(struct adding *adding, int64_t time, int64_t value,
		       unsigned direction)
{
	struct open_run *open = &adding->open[direction];

	if ((uint64_t)(time - open->begin) >= open->width)
		open_run(adding, direction, time);
	open->count++;
	open->sum += value;
	open->least = value < open->least ? value : open->least;
	open->greatest = value > open->greatest ? value : open->greatest;
	adding->sums->backs += time < adding->sums->last[direction];
	adding->sums->last[direction] = time;
	adding->sums->counts[direction][bin_of(value)]++;
	adding->sums->rows++;
}

static inline int is_value(const struct layout *layout, int column)
{
	return column == VALUE || layout->roles[column] == MAXIMUM;
}

/* Whether it is to be told of a column that it is not 0 throughout. */
static inline int is_noted(const struct layout *layout, int column)
{
	return column > USUAL_DIRECTION && layout->roles[column] != PRIORITY;
}

/* Note that the present line is not one. */
static void note_damage(struct sums *sums)
{
	if (sums->damaged < MAX_PLACES)
		sums->places[sums->damaged] = sums->lines;
	sums->damaged++;
}

/* Whether the next line might find no room for the runs that it ends. */
static int is_full(const struct sums *sums)
{
	return sums && sums->runs >= MAX_RUNS - 2 * DIRECTIONS;
}

/* Return whether there was room for the row. */
static inline int put(struct columns *columns, const struct layout *layout,
		      const int64_t *numbers)
{
	int64_t row = columns->rows;

	if (row >= columns->capacity)
		return 0;
	for (int i = 0; i < layout->columns; i++) {
		switch (layout->roles[i]) {
		case DIRECTION:
		case FLAG:
			((int8_t *)columns->to[i])[row] = (int8_t)numbers[i];
			break;
		case PRIORITY:
			((uint16_t *)columns->to[i])[row] = (uint16_t)numbers[i];
			break;
		default:
			((int64_t *)columns->to[i])[row] = numbers[i];
		}
	}
	columns->rows++;
	return 1;
}

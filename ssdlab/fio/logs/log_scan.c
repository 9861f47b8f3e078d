/* Read a log of fio: add it up, or lay it out in columns, a block at a time.
 *
 * A line is "time, value, direction, ..." What a line may look like is told in
 * log_lines.py, which does the same in numpy, and both give the same. A line in fio's
 * own form of at most 64 bytes is read by masks, any other one byte by byte.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "numbers are read as little-endian words"
#endif

#include "log_scan_sinks.c"
#include "log_scan_lines.c"
#include "log_scan_masks.c"

enum { FAILED = -1, FULL = -2 };

/* Take lines in fio's own form up to the first that is not. */
static const uint8_t *add_usual(const uint8_t *at, const uint8_t *stop,
				 struct adding *to,
				 const struct layout *layout)
{
	struct adding adding = *to;	/* nothing else can reach it: it is faster */
	struct fields fields;

	while (at < stop && !is_full(adding.sums) &&
	       find_fields(at, layout, &fields)) {
		add_fields(&adding, layout, at, &fields);
		adding.sums->lines++;
		at += fields.begin[layout->columns] - 1;
	}
	*to = adding;
	return at;
}

/* The same; it ends where a column is full, too. */
static const uint8_t *put_usual(const uint8_t *at, const uint8_t *stop,
				 struct columns *to,
				 const struct layout *layout)
{
	struct columns columns = *to;
	struct fields fields;

	while (at < stop && find_fields(at, layout, &fields) &&
	       put_fields(&columns, layout, at, &fields))
		at += fields.begin[layout->columns] - 1;
	*to = columns;
	return at;
}

/* Take whole lines, those that begin in [at, stop); return where the next one begins,
 * or NULL where a column is full. FRONT bytes before ``at`` and WIDE bytes behind
 * ``end`` can be read.
 */
static const uint8_t *take_lines(const uint8_t *at, const uint8_t *stop,
				 const uint8_t *end, struct sink *sink)
{
	struct sums *sums = sink->adding ? sink->adding->sums : NULL;
	int usual = is_usual(&sink->layout);

	while (at < stop && !is_full(sums)) {
		const uint8_t *newline;

		if (usual && sums)
			at = add_usual(at, stop, sink->adding, &sink->layout);
		else if (usual)
			at = put_usual(at, stop, sink->columns, &sink->layout);
		if (at >= stop || is_full(sums))
			break;
		newline = memchr(at, '\n', end - at);
		if (!take_line(at, newline, sink))
			return NULL;
		if (sums)
			sums->lines++;
		at = newline + 1;
	}
	return at;
}

/* Read ``size`` bytes, fewer at the end alone. */
static ssize_t fetch(const struct source *source, uint8_t *to, int64_t begin,
		     int64_t size)
{
	int64_t left = source->size - begin, done = 0;

	if (size > left)
		size = left > 0 ? left : 0;
	if (source->fd < 0) {
		memcpy(to, source->bytes + begin, size);
		return size;
	}
	while (done < size) {
		ssize_t got = pread(source->fd, to + done, size - done, begin + done);

		if (got < 0)
			return FAILED;
		if (!got)
			break;
		done += got;
	}
	return done;
}

/* Note a line that is not one; columns leave it out. */
static void note_long_line(struct sums *sums)
{
	if (!sums)
		return;
	note_damage(sums);
	sums->lines++;
}

static const uint8_t *last_newline(const uint8_t *block, const uint8_t *end)
{
	while (end > block && end[-1] != '\n')
		end--;
	return end > block ? end - 1 : NULL;
}

/* Return where the next newline from ``at`` on is, or the size: there is none. */
static int64_t find_newline(const struct source *source, int64_t at)
{
	uint8_t bytes[MAX_LINE];

	for (;;) {
		ssize_t got = fetch(source, bytes, at, sizeof bytes);
		const uint8_t *found;

		if (got < 0)
			return FAILED;
		if (!got)
			return source->size;
		found = memchr(bytes, '\n', got);
		if (found)
			return at + (found - bytes);
		at += got;
	}
}

/* Take the lines that begin in [begin, end); return where to go on, or an error.
 *
 * ``begin`` must be the begin of a line. It ends early where the runs are full, and
 * at a last line that has no end, which is left out.
 */
static int64_t take(const struct source *source, int64_t begin, int64_t end,
		    struct sink *sink)
{
	uint8_t *buffer = malloc(FRONT + BLOCK + WIDE), *block = buffer + FRONT;
	struct sums *sums = sink->adding ? sink->adding->sums : NULL;

	if (!buffer)
		return FAILED;
	while (begin >= 0 && begin < end && !is_full(sums)) {
		ssize_t got = fetch(source, block, begin, BLOCK);
		const uint8_t *last = got > 0 ? last_newline(block, block + got) : NULL;

		if (last) {
			const uint8_t *stop = end - begin <= last - block ?
				block + (end - begin) : last + 1;
			const uint8_t *at = take_lines(block, stop, last + 1, sink);

			begin = at ? begin + (at - block) : FULL;
		} else if (got == BLOCK) {
			int64_t newline = find_newline(source, begin);

			if (newline == source->size)
				break;
			note_long_line(sums);
			begin = newline < 0 ? FAILED : newline + 1;
		} else {
			begin = got < 0 ? FAILED : begin;
			break;
		}
	}
	free(buffer);
	return begin;
}

int64_t log_add(const struct source *source, int64_t begin, int64_t end,
		const struct layout *layout, int64_t interval_ms, struct sums *sums)
{
	struct adding adding = { .sums = sums, .interval_ms = interval_ms };
	struct sink sink = { .layout = *layout, .adding = &adding };
	int64_t next = take(source, begin, end, &sink);

	for (int i = 0; i < DIRECTIONS; i++)
		close_run(&adding, i);
	return next;
}

/* Return the rows that were put into the columns, or an error. */
int64_t log_columns(const struct source *source, int64_t begin, int64_t end,
		    const struct layout *layout, void *const *to, int64_t capacity)
{
	struct columns columns = { .to = to, .capacity = capacity };
	struct sink sink = { .layout = *layout, .columns = &columns };
	int64_t next = take(source, begin, end, &sink);

	return next < 0 ? next : columns.rows;
}

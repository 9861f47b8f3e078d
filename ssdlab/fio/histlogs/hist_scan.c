/* Take the counts that are not 0 out of the lines of a histogram log of fio.
 *
 * A line is "time, direction, block size, count, count, ... count". Nearly all of it
 * is "0, ", so that 32 such cells are compared, and passed over, at once. What a line
 * may look like is told in histlog_lines.py, which does the same in numpy.
 */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The numbers of one line, in the order of histlog_lines.py. */
enum { LINE, TIME, DIRECTION, BLOCK_SIZE, COLUMNS, CELLS_END, FIELDS };

enum { KEYS = 3, MAX_COLUMNS = 1856, MAX_DIGITS = 18, NO_NUMBERS = -1 };

static const char ZEROS[] = "0, 0, 0, 0, 0, 0, 0, 0, ";
enum { CELL_BYTES = 3, WORDS = 3, CELLS_AT_ONCE = 32, BYTES_AT_ONCE = 96 };

struct cells {
	uint16_t *columns;
	int64_t *counts;
	size_t size;
};

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t' || *at == '\r')
		at++;
	return at;
}

/* Pass over cells that are exactly "0, "; add their number to *cell. */
static const char *skip_zeros(const char *at, const char *end, int64_t *cell)
{
	uint64_t zeros[WORDS], words[BYTES_AT_ONCE / 8];

	memcpy(zeros, ZEROS, sizeof zeros);
	while (end - at >= BYTES_AT_ONCE) {
		uint64_t differs = 0;

		memcpy(words, at, sizeof words);
		for (int i = 0; i < BYTES_AT_ONCE / 8; i++)
			differs |= words[i] ^ zeros[i % WORDS];
		if (differs)
			break;
		at += BYTES_AT_ONCE;
		*cell += CELLS_AT_ONCE;
	}
	while (end - at >= CELL_BYTES && !memcmp(at, ZEROS, CELL_BYTES)) {
		at += CELL_BYTES;
		*cell += 1;
	}
	return at;
}

/* Read one cell; return the separator behind it, or NULL where it is no number. */
static const char *read_cell(const char *at, int64_t *number)
{
	const char *start = at = skip_blanks(at), *first;

	*number = 0;
	while (*at == '0')
		at++;
	for (first = at; (unsigned char)(*at - '0') < 10; at++)
		if (at - first < MAX_DIGITS)
			*number = *number * 10 + (*at - '0');
	if (at == start)
		return NULL;
	if (at - first > MAX_DIGITS)
		*number = INT64_MAX;
	at = skip_blanks(at);
	return *at == ',' || *at == '\n' ? at : NULL;
}

/* Read one line that is not blank; return its end, or NULL where it is no record. */
static const char *read_line(const char *at, const char *end, int64_t *record,
			     struct cells *cells)
{
	size_t size = cells->size;
	int64_t cell = 0;

	for (;; at += at[1] == ' ' ? 2 : 1) {
		int64_t number;

		if (cell >= KEYS)
			at = skip_zeros(at, end, &cell);
		at = read_cell(at, &number);
		if (!at)
			return NULL;
		if (cell < KEYS) {
			record[TIME + cell] = number;
		} else if (number && cell - KEYS < MAX_COLUMNS) {
			cells->columns[size] = (uint16_t)(cell - KEYS);
			cells->counts[size++] = number;
		}
		cell++;
		if (*at == '\n')
			break;
	}
	if (cell <= KEYS)
		return NULL;
	record[COLUMNS] = cell - KEYS;
	if (cell - KEYS <= MAX_COLUMNS)
		cells->size = size;
	return at;
}

/* Scan whole lines: text ends in a newline.
 *
 * It stops before a line for which there may be no room. done[0] and done[1] are the
 * lines and cells so far, done[2] the lines passed, blank ones too. Returned is how
 * many bytes were read.
 */
size_t scan_hist_lines(const char *text, size_t bytes, int64_t *records,
		       size_t record_room, uint16_t *columns, int64_t *counts,
		       size_t cell_room, int64_t *done)
{
	struct cells cells = { columns, counts, (size_t)done[1] };
	const char *at = text, *end = text + bytes;

	while (at < end && (size_t)done[0] < record_room &&
	       cell_room - cells.size >= MAX_COLUMNS) {
		const char *start = skip_blanks(at);

		done[2]++;
		if (*start == '\n') {
			at = start + 1;
			continue;
		}
		int64_t *record = records + FIELDS * done[0]++;

		memset(record, 0, FIELDS * sizeof *record);
		record[LINE] = done[2];
		at = read_line(start, end, record, &cells);
		if (!at) {
			record[TIME] = record[DIRECTION] = record[BLOCK_SIZE] = 0;
			record[COLUMNS] = NO_NUMBERS;
			at = memchr(start, '\n', (size_t)(end - start));
		}
		at++;
		record[CELLS_END] = (int64_t)cells.size;
	}
	done[1] = (int64_t)cells.size;
	return (size_t)(at - text);
}

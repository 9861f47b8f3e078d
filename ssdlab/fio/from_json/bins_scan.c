/* Take the latency bins out of a JSON document of fio.
 *
 * Four fifths of a json+ document are bins: {"bins" : {"118" : 3, "120" : 41, ...}}.
 * Here each such object goes into two arrays and leaves its number, [k], behind, so
 * that the JSON decoder has a fifth of the work. What is not exactly what fio prints
 * (whole numbers, its names of bins, ascending) is refused, and the decoder sees all of it.
 */

#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>

#define REFUSED (-1)
#define MAX_DIGITS 18
#define END_NS ((int64_t)1 << 34)    /* that of bins.py */
#define MAX_COUNT ((int64_t)1 << 48) /* that of latencies.py */

static const char KEY[] = "\"bins\"";
enum { KEY_BYTES = sizeof KEY - 1 };

static const char *skip_space(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
		at++;
	return at;
}

/* Read the number at *at; leave *at behind it. */
static int64_t read_number(const char **at, const char *end)
{
	const char *start = *at, *p = start;
	int64_t number = 0;

	while (p < end && (unsigned char)(*p - '0') < 10)
		number = number * 10 + (*p++ - '0');
	*at = p;
	if (p == start || p - start > MAX_DIGITS || (*start == '0' && p - start > 1))
		return REFUSED;
	return number;
}

static const char *expect(const char *at, const char *end, char sign)
{
	at = skip_space(at, end);
	return at < end && *at == sign ? at + 1 : NULL;
}

/* Whether a key stands here: a brace or a comma comes before it. */
static int follows_a_separator(const char *start, const char *at)
{
	while (at > start && (at[-1] == ' ' || at[-1] == '\n' || at[-1] == '\t' ||
			      at[-1] == '\r'))
		at--;
	return at > start && (at[-1] == '{' || at[-1] == ',');
}

/* Whether fio calls a bin so: each value below 128, then the middles of 64 an octave. */
static int is_name(int64_t name)
{
	int dropped;

	if (name < 128)
		return 1;
	dropped = 63 - __builtin_clzll((unsigned long long)name) - 6;
	return name < END_NS &&
	       (name & (((int64_t)1 << dropped) - 1)) == (int64_t)1 << (dropped - 1);
}

/* Read the object behind its brace; return what follows it, or NULL. */
static const char *read_bins(const char *at, const char *end, int64_t *names,
			     int64_t *counts, int64_t *size)
{
	int64_t last = -1;

	at = skip_space(at, end);
	if (at < end && *at == '}')
		return at + 1;
	for (;;) {
		int64_t name, count;

		at = expect(at, end, '"');
		if (!at || (name = read_number(&at, end)) <= last || !is_name(name))
			return NULL;
		if (at == end || *at++ != '"' || !(at = expect(at, end, ':')))
			return NULL;
		at = skip_space(at, end);
		count = read_number(&at, end);
		if (count < 0 || count >= MAX_COUNT)
			return NULL;
		last = name;
		if (count) {
			names[*size] = name;
			counts[(*size)++] = count;
		}
		at = skip_space(at, end);
		if (at == end)
			return NULL;
		if (*at == '}')
			return at + 1;
		if (*at++ != ',')
			return NULL;
	}
}

static char *put_number(char *out, int64_t number)
{
	char digits[20];
	int length = 0;

	do
		digits[length++] = (char)('0' + number % 10);
	while (number /= 10);
	while (length)
		*out++ = digits[--length];
	return out;
}

/*
 * Copy a document without its bins; return the bytes written, or -1 if it is refused.
 *
 * out has room for in_bytes; names and counts for in_bytes / 5 + 1 each, ends for
 * in_bytes / 9 + 1. The bins of object k are those from ends[k - 1] to ends[k]. Empty
 * bins are left out. *objects is how many objects there were.
 */
int64_t take_bins(const char *in, int64_t in_bytes, char *out, int64_t *names,
		  int64_t *counts, int64_t *ends, int64_t *objects)
{
	const char *at = in, *end = in + in_bytes;
	char *const out_start = out;
	int64_t size = 0;

	*objects = 0;
	for (;;) {
		const char *key = memmem(at, (size_t)(end - at), KEY, KEY_BYTES);
		const char *value;

		if (!key)
			break;
		value = expect(key + KEY_BYTES, end, ':');
		if (!follows_a_separator(in, key) || !value ||
		    !(value = expect(value, end, '{')))
			return REFUSED;
		memcpy(out, at, (size_t)(key + KEY_BYTES - at));
		out += key + KEY_BYTES - at;
		at = read_bins(value, end, names, counts, &size);
		if (!at)
			return REFUSED;
		*out++ = ':';
		*out++ = '[';
		out = put_number(out, *objects);
		*out++ = ']';
		ends[(*objects)++] = size;
	}
	memcpy(out, at, (size_t)(end - at));
	out += end - at;
	return out - out_start;
}

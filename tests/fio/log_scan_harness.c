/* Give the scanner of logs bytes that are nearly lines, with every check on. */

#include "log_scan.c"

#include <stdio.h>

enum { LONGEST = 3000, MOST_ROWS = 1000 };

static uint64_t state = 88172645463325252u;

static unsigned below(unsigned limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 33) % limit;
}

static struct layout any_layout(void)
{
	static const int32_t others[] = { NUMBER, FLAG, PRIORITY, NUMBER };
	struct layout layout = { .columns = 3 + (int)below(6) };

	layout.greatest_value = below(2) ? INT64_MAX : INT64_MAX / 1024;
	for (int i = USUAL_DIRECTION; i < layout.columns; i++)
		layout.roles[i] = others[below(4)];
	layout.roles[USUAL_DIRECTION] = DIRECTION;
	if (layout.columns > 3 && below(4) == 0) {
		layout.roles[USUAL_DIRECTION] = MAXIMUM;
		layout.roles[USUAL_DIRECTION + 1] = DIRECTION;
	}
	return layout;
}

static int64_t write_line(char *to, const struct layout *layout)
{
	char *at = to;

	for (int i = 0; i < layout->columns; i++) {
		int32_t role = layout->roles[i];
		uint64_t number = (uint64_t)below(1 << 30) << below(34);

		if (role == DIRECTION || role == FLAG)
			number = below(2);
		if (role == PRIORITY)
			at += sprintf(at, "0x%04x", below(1 << 16));
		else
			at += sprintf(at, "%llu", (unsigned long long)number);
		at += sprintf(at, "%s", i + 1 < layout->columns ? ", " : "\n");
	}
	return at - to;
}

static int64_t write_log(char *to, const struct layout *layout)
{
	static const char bytes[] = ", 0x9\n\n\r\t-~,,\0a";
	int64_t size = 0, limit = below(LONGEST);

	while (size < limit)
		size += write_line(to + size, layout);
	for (unsigned i = below(4) ? below(12) : 0; i && size; i--)
		to[below(size)] = below(3) ? bytes[below(sizeof bytes)] :
					     (char)below(256);
	return size - (size ? below(2) : 0);
}

static void scan(struct sums *sums, char *text)
{
	struct layout layout = any_layout();
	int64_t size = write_log(text, &layout), done;
	uint8_t *bytes = malloc(size + 1);
	struct source source = { .bytes = bytes, .size = size, .fd = -1 };
	int64_t rows[MAX_COLUMNS][MOST_ROWS];
	void *to[MAX_COLUMNS];

	memcpy(bytes, text, size);
	memset(sums, 0, sizeof *sums);
	done = log_add(&source, 0, size, &layout, 1 + below(2000), sums);
	for (int i = 0; i < MAX_COLUMNS; i++)
		to[i] = rows[i];
	if (done < 0 || done > size || sums->rows + sums->damaged > sums->lines)
		abort();
	if (log_columns(&source, 0, size, &layout, to, sums->rows) != sums->rows)
		abort();
	if (sums->rows &&
	    log_columns(&source, 0, size, &layout, to, sums->rows - 1) != FULL)
		abort();
	free(bytes);
}

int main(int count, char **words)
{
	static char text[LONGEST + 1000];
	struct sums *sums = malloc(sizeof *sums);
	int64_t rows = 0, damaged = 0;

	for (int rounds = count > 1 ? atoi(words[1]) : 0; rounds > 0; rounds--) {
		scan(sums, text);
		rows += sums->rows;
		damaged += sums->damaged;
	}
	free(sums);
	printf("%lld %lld\n", (long long)rows, (long long)damaged);
	return 0;
}

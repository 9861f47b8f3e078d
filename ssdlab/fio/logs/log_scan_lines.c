/* A line of a log in any form, byte by byte. */

static int digit_of(uint8_t byte)
{
	if (byte >= '0' && byte <= '9')
		return byte - '0';
	byte |= 0x20;
	return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : 99;
}

static const uint8_t *skip_blanks(const uint8_t *at, const uint8_t *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* Read a number of one column; return where it ended, or NULL. */
static const uint8_t *read_number(const uint8_t *at, const uint8_t *end,
				  int32_t role, int64_t *number)
{
	const uint8_t *first;
	int base = role == PRIORITY ? 16 : 10;

	*number = 0;
	if (role == PRIORITY) {
		if (end - at < 3 || at[0] != '0' || (at[1] | 0x20) != 'x')
			return NULL;
		at += 2;
	}
	for (first = at; at < end && digit_of(*at) < base; at++)
		if (__builtin_mul_overflow(*number, base, number) ||
		    __builtin_add_overflow(*number, digit_of(*at), number))
			return NULL;
	return at > first && *number <= LIMITS[role] ? at : NULL;
}

/* Return whether [at, end) is a line of the layout. */
static int read_line(const uint8_t *at, const uint8_t *end,
		     const struct layout *layout, int64_t *numbers)
{
	for (int i = 0; i < layout->columns; i++) {
		if (i && (at == end || *at++ != ','))
			return 0;
		at = read_number(skip_blanks(at, end), end, layout->roles[i],
				 &numbers[i]);
		if (!at)
			return 0;
		if (layout->roles[i] == MAXIMUM && numbers[i] < numbers[VALUE])
			return 0;
		if (is_value(layout, i) && numbers[i] > layout->greatest_value)
			return 0;
		at = skip_blanks(at, end);
	}
	return at == end;
}

static int direction_of(const struct layout *layout, const int64_t *numbers)
{
	return (int)numbers[layout->roles[USUAL_DIRECTION] == DIRECTION ?
			    USUAL_DIRECTION : USUAL_DIRECTION + 1];
}

/* Take a line of any form; return whether there was room for it. */
static int take_line(const uint8_t *at, const uint8_t *end, struct sink *sink)
{
	int64_t numbers[MAX_COLUMNS];
	struct sums *sums = sink->adding ? sink->adding->sums : NULL;
	int is_short = end - at <= MAX_LINE;

	while (end > at && (end[-1] == '\r' || end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (at == end && is_short)
		return 1;
	if (!is_short || !read_line(at, end, &sink->layout, numbers)) {
		if (sums)
			note_damage(sums);
		return 1;
	}
	if (sink->columns)
		return put(sink->columns, &sink->layout, numbers);
	for (int i = 0; i < sink->layout.columns; i++)
		if (is_noted(&sink->layout, i) && numbers[i])
			sums->nonzero |= (int64_t)1 << i;
	add(sink->adding, numbers[TIME], numbers[VALUE],
	    direction_of(&sink->layout, numbers));
	return 1;
}

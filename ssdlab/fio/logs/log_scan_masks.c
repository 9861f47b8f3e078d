/* A line of a log in fio's own form, by masks with a bit for each byte. */

struct masks {
	uint64_t newline, comma, space, digit;
};

#ifdef __AVX2__
static inline uint64_t bits(__m256i low, __m256i high)
{
	return (uint32_t)_mm256_movemask_epi8(low) |
	       (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

static inline uint64_t equal(__m256i low, __m256i high, char byte)
{
	__m256i wanted = _mm256_set1_epi8(byte);

	return bits(_mm256_cmpeq_epi8(low, wanted),
		    _mm256_cmpeq_epi8(high, wanted));
}

static inline __m256i is_digit(__m256i bytes)
{
	__m256i above = _mm256_sub_epi8(bytes, _mm256_set1_epi8('0'));

	return _mm256_cmpeq_epi8(_mm256_min_epu8(above, _mm256_set1_epi8(9)),
				 above);
}

static inline struct masks look(const uint8_t *at)
{
	__m256i low = _mm256_loadu_si256((const void *)at);
	__m256i high = _mm256_loadu_si256((const void *)(at + 32));

	return (struct masks) {
		.newline = equal(low, high, '\n'),
		.comma = equal(low, high, ','),
		.space = equal(low, high, ' '),
		.digit = bits(is_digit(low), is_digit(high)),
	};
}
#else
/* Gather the high bits of eight bytes. */
static inline uint64_t gather(uint64_t word)
{
	return (((word & 0x8080808080808080) >> 7) * 0x0102040810204080) >> 56;
}

/* The high bit of each byte that is not 0. */
static inline uint64_t is_set(uint64_t word)
{
	return ((word & 0x7f7f7f7f7f7f7f7f) + 0x7f7f7f7f7f7f7f7f) | word;
}

static inline uint64_t equal(uint64_t word, uint8_t byte)
{
	return gather(~is_set(word ^ (byte * 0x0101010101010101)));
}

/* Digits are 0x30 to 0x39: six more than their low half carries out of it. */
static inline uint64_t is_digit(uint64_t word)
{
	uint64_t low = (word & 0x0f0f0f0f0f0f0f0f) + 0x0606060606060606;
	uint64_t high = (word ^ 0x3030303030303030) & 0xf0f0f0f0f0f0f0f0;

	return gather(~is_set(high | (low & 0x1010101010101010)));
}

static inline struct masks look(const uint8_t *at)
{
	struct masks masks = { 0 };

	for (int i = 0; i < WIDE / 8; i++) {
		uint64_t word;

		memcpy(&word, at + 8 * i, sizeof word);
		masks.newline |= equal(word, '\n') << 8 * i;
		masks.comma |= equal(word, ',') << 8 * i;
		masks.space |= equal(word, ' ') << 8 * i;
		masks.digit |= is_digit(word) << 8 * i;
	}
	return masks;
}
#endif

/* Where the fields of a line begin, and behind the last the end of the line + 2. */
struct fields {
	unsigned begin[MAX_COLUMNS + 1];
};

static inline int is_priority_last(const struct layout *layout)
{
	return layout->roles[layout->columns - 1] == PRIORITY;
}

/* Find the fields of a line in fio's own form; return 0 where it is in another.
 *
 * Then each field is of 1 to MAX_DIGITS decimal digits, but a priority, which must be
 * last and is of 0x and four of them; directions and flags are of one.
 */
static inline int find_fields(const uint8_t *line, const struct layout *layout,
			      struct fields *fields)
{
	struct masks masks = look(line);
	int count = layout->columns;
	unsigned end;
	uint64_t inside, comma, digit, long_run, begins, others;

	if (!masks.newline)
		return 0;
	end = __builtin_ctzll(masks.newline);
	inside = ((uint64_t)1 << end) - 1;
	comma = masks.comma & inside;
	digit = masks.digit & inside;
	begins = comma << 2 | 1;
	others = inside & ~(digit | comma | comma << 1);
	if (is_priority_last(layout)) {
		if (end < 6 || others != (uint64_t)1 << (end - 5) ||
		    line[end - 5] != 'x' || line[end - 6] != '0' ||
		    !(begins >> (end - 6) & 1))
			return 0;
		others = 0;
	}
	long_run = digit & digit >> 1;
	long_run &= long_run >> 2;
	long_run &= long_run >> 4;
	long_run &= long_run >> 8;
	if (others | long_run | (begins & ~digit) |
	    ((comma << 1) & ~masks.space) ||
	    __builtin_popcountll(comma) != count - 1)
		return 0;
	for (int i = 0; i < count; i++, begins &= begins - 1)
		fields->begin[i] = __builtin_ctzll(begins);
	fields->begin[count] = end + 2;
	for (int i = USUAL_DIRECTION; i < count; i++) {
		int32_t role = layout->roles[i];

		if ((role == DIRECTION || role == FLAG) &&
		    (fields->begin[i + 1] - fields->begin[i] != 3 ||
		     line[fields->begin[i]] - '0' > LIMITS[role]))
			return 0;
	}
	return 1;
}

/* Return the number of 1 to 8 digits that ends before ``end``. */
static inline uint64_t eight_digits(const uint8_t *end, unsigned digits)
{
	uint64_t word;

	memcpy(&word, end - 8, sizeof word);
	word &= 0x0f0f0f0f0f0f0f0f & ~(uint64_t)0 << (64 - 8 * digits);
	word = word * 10 + (word >> 8);
	return (((word & 0x000000ff000000ff) * 0x000f424000000064) +
		((word >> 16 & 0x000000ff000000ff) * 0x0000271000000001)) >> 32;
}

static inline int64_t number_at(const uint8_t *line, const struct fields *fields,
				int column)
{
	const uint8_t *end = line + fields->begin[column + 1] - 2;
	unsigned digits = fields->begin[column + 1] - fields->begin[column] - 2;

	if (digits <= 8)
		return (int64_t)eight_digits(end, digits);
	return (int64_t)(eight_digits(end, 8) +
			 100000000 * eight_digits(end - 8, digits - 8));
}

static inline int is_zero(const uint8_t *line, const struct fields *fields, int i)
{
	return line[fields->begin[i]] == '0' &&
	       (fields->begin[i + 1] - fields->begin[i] == 3 ||
		number_at(line, fields, i) == 0);
}

static inline void add_fields(struct adding *adding, const struct layout *layout,
			      const uint8_t *line, const struct fields *fields)
{
	struct sums *sums = adding->sums;

	for (int i = USUAL_DIRECTION + 1; i < layout->columns; i++)
		if (is_noted(layout, i) && !(sums->nonzero >> i & 1) &&
		    !is_zero(line, fields, i))
			sums->nonzero |= (int64_t)1 << i;
	add(adding, number_at(line, fields, TIME), number_at(line, fields, VALUE),
	    line[fields->begin[USUAL_DIRECTION]] - '0');
}

/* Return the number of the four hexadecimal digits, all below a, that end there. */
static inline uint16_t four_digits(const uint8_t *end)
{
	return (uint16_t)((end[-4] - '0') << 12 | (end[-3] - '0') << 8 |
			  (end[-2] - '0') << 4 | (end[-1] - '0'));
}

/* Return whether there was room for the row. */
static inline int put_fields(struct columns *columns, const struct layout *layout,
			     const uint8_t *line, const struct fields *fields)
{
	int64_t row = columns->rows;

	if (row >= columns->capacity)
		return 0;
	for (int i = 0; i < layout->columns; i++) {
		void *to = columns->to[i];

		switch (layout->roles[i]) {
		case DIRECTION:
		case FLAG:
			((int8_t *)to)[row] = (int8_t)(line[fields->begin[i]] - '0');
			break;
		case PRIORITY:
			((uint16_t *)to)[row] =
				four_digits(line + fields->begin[i + 1] - 2);
			break;
		default:
			((int64_t *)to)[row] = number_at(line, fields, i);
		}
	}
	columns->rows++;
	return 1;
}

/* Whether lines of this layout may be read by masks. */
static int is_usual(const struct layout *layout)
{
	if (layout->roles[USUAL_DIRECTION] != DIRECTION)
		return 0;
	for (int i = 0; i < layout->columns - 1; i++)
		if (layout->roles[i] == PRIORITY)
			return 0;
	return 1;
}

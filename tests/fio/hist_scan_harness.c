/* Scan the texts on standard input, each after its length; print lines and a sum.
 *
 * Each is copied to memory of its size, and there is just room for one line, so that
 * the sanitizers find every byte beyond.
 */

#include <stdio.h>
#include <stdlib.h>
#include "hist_scan.c"

int main(void)
{
	uint32_t bytes;

	while (fread(&bytes, sizeof bytes, 1, stdin) == 1) {
		char *text = malloc(bytes);
		int64_t *records = malloc(3 * FIELDS * sizeof *records);
		uint16_t *columns = malloc(MAX_COLUMNS * 2);
		int64_t *counts = malloc(MAX_COLUMNS * 8), sum = 0, lines = 0;
		size_t at = 0;

		if (fread(text, 1, bytes, stdin) != bytes)
			return 2;
		while (at < bytes) {
			int64_t done[3] = { 0 };

			at += scan_hist_lines(text + at, bytes - at, records, 3,
					      columns, counts, MAX_COLUMNS, done);
			lines += done[0];
			for (int64_t i = 0; i < done[1]; i++)
				sum += counts[i] % 1000003 * (columns[i] + 1);
		}
		printf("%lld %lld\n", (long long)lines, (long long)sum);
		free(text), free(records), free(columns), free(counts);
	}
	return 0;
}

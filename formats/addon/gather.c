/*
 * Copies ranges of memory that lie apart to one place, for formats/gather.ts.
 *
 * ranges(offsets, bytes, shift, target, ends, at, end) -> a handle of numbered ranges of memory: number n is in part
 * p = n >> shift, where it is range r = n mod 2^shift, the bytes from offsets[p][r] to offsets[p][r + 1] of bytes[p]. They are
 * copied to target[at, end), and where they end in target is written to target[ends, at). The arrays must outlive the handle.
 * gather(ranges, numbers, first) -> how many of the ranges of numbers[first], numbers[first + 1] and so on were copied one
 * after the other; the end of each is a u32. Ends before one for which there is no room, that is corrupt or does not exist.
 * Reads ahead, so that misses of the cache overlap.
 */

#include <node_api.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "addon.h"

/* Ranges before one is copied that its offset, and then its bytes, are read ahead. */
#define OFFSETS_AHEAD 24
#define BYTES_AHEAD 12
#define LINE_BYTES 64
/* Lines of a range that are read ahead; the processor reads on by itself. */
#define LINES_AHEAD 8

/* Ranges of memory whose numbers have the same upper bits. */
struct part {
	/* One more than there are ranges. */
	const uint32_t *offsets;
	size_t ranges;
	const char *bytes;
	size_t length;
};

struct ranges {
	char *target;
	/* Places in target. */
	uint32_t *ends;
	size_t at;
	size_t end;
	/* Room for so many ends. */
	size_t most;
	uint32_t shift;
	uint32_t count;
	struct part parts[];
};

static void free_ranges(napi_env env, void *ranges, void *hint) {
	(void)env;
	(void)hint;
	free(ranges);
}

static int part_of(napi_env env, napi_value offsets, napi_value bytes, uint32_t i, struct part *part) {
	napi_value element;
	void *memory;
	size_t count;
	if (napi_get_element(env, offsets, i, &element) != napi_ok || !memory_of(env, element, 4, &memory, &count) || count == 0)
		return 0;
	part->offsets = memory;
	part->ranges = count - 1;
	if (napi_get_element(env, bytes, i, &element) != napi_ok || !memory_of(env, element, 1, &memory, &part->length))
		return 0;
	part->bytes = memory;
	return 1;
}

static int target_of(napi_env env, const napi_value *arguments, struct ranges *ranges) {
	void *target;
	size_t length;
	uint32_t ends, at, end;
	if (!memory_of(env, arguments[0], 1, &target, &length) || napi_get_value_uint32(env, arguments[1], &ends) != napi_ok ||
	    napi_get_value_uint32(env, arguments[2], &at) != napi_ok ||
	    napi_get_value_uint32(env, arguments[3], &end) != napi_ok || ends > at || at > end || end > length ||
	    ((uintptr_t)target + ends) % sizeof(uint32_t) != 0)
		return 0;
	ranges->target = target;
	ranges->ends = (uint32_t *)((char *)target + ends);
	ranges->at = at;
	ranges->end = end;
	ranges->most = (at - ends) / sizeof(uint32_t);
	return 1;
}

static napi_value number_ranges(napi_env env, napi_callback_info info) {
	napi_value arguments[7], handle;
	size_t given = 7;
	uint32_t count = 0, others = 0, shift;
	if (napi_get_cb_info(env, info, &given, arguments, NULL, NULL) != napi_ok || given != 7 ||
	    napi_get_array_length(env, arguments[0], &count) != napi_ok ||
	    napi_get_array_length(env, arguments[1], &others) != napi_ok || others != count ||
	    napi_get_value_uint32(env, arguments[2], &shift) != napi_ok || shift > 31) {
		napi_throw_type_error(env, NULL, "ranges takes two arrays of the same length, a number of bits, a target and places in it");
		return NULL;
	}
	struct ranges *ranges = malloc(sizeof *ranges + count * sizeof ranges->parts[0]);
	if (ranges == NULL) {
		napi_throw_error(env, "EMMAP", "out of memory");
		return NULL;
	}
	ranges->shift = shift;
	ranges->count = count;
	int sound = target_of(env, arguments + 3, ranges);
	for (uint32_t i = 0; sound && i < count; i++) sound = part_of(env, arguments[0], arguments[1], i, &ranges->parts[i]);
	if (!sound) {
		free(ranges);
		napi_throw_type_error(env, NULL, "parts are Uint32Arrays that are not empty and Uint8Arrays; places in a target ascend");
		return NULL;
	}
	if (napi_create_external(env, ranges, free_ranges, NULL, &handle) == napi_ok) return handle;
	free(ranges);
	napi_throw_error(env, "EMMAP", "no handle could be made");
	return NULL;
}

/* The part of a number, whose range in it is `range`; NULL where there is none. */
static const struct part *find_part(const struct ranges *ranges, uint32_t number, uint32_t *range) {
	const uint32_t part = number >> ranges->shift;
	*range = number & ((1u << ranges->shift) - 1);
	return part < ranges->count && *range < ranges->parts[part].ranges ? &ranges->parts[part] : NULL;
}

static void read_offset_ahead(const struct ranges *ranges, uint32_t number) {
	uint32_t range;
	const struct part *part = find_part(ranges, number, &range);
	if (part != NULL) __builtin_prefetch(part->offsets + range);
}

static void read_bytes_ahead(const struct ranges *ranges, uint32_t number) {
	uint32_t range;
	const struct part *part = find_part(ranges, number, &range);
	if (part == NULL) return;
	const size_t from = part->offsets[range];
	size_t to = part->offsets[range + 1];
	if (to > part->length) return;
	if (to > from + LINES_AHEAD * LINE_BYTES) to = from + LINES_AHEAD * LINE_BYTES;
	for (size_t at = from; at < to; at += LINE_BYTES) __builtin_prefetch(part->bytes + at);
	/* Its last byte may be in one line more. */
	if (to > from) __builtin_prefetch(part->bytes + to - 1);
}

/* Copies the ranges of adjacent numbers from the first on at once, as many as fit from `at` on. Returns how many. */
static size_t gather_run(const struct ranges *ranges, const uint32_t *numbers, size_t count, size_t at, uint32_t *ends) {
	uint32_t range;
	const struct part *part = find_part(ranges, numbers[0], &range);
	if (part == NULL) return 0;
	const size_t begin = part->offsets[range], room = ranges->end - at, left = part->ranges - range;
	size_t run = 0, end = begin;
	while (run < count && run < left && numbers[run] == numbers[0] + run) {
		const size_t next = part->offsets[range + run + 1];
		if (next < end || next > part->length || next - begin > room) break;
		end = next;
		ends[run++] = (uint32_t)(at + (end - begin));
	}
	/* The bytes of an empty part may be a null pointer. */
	if (end > begin) memcpy(ranges->target + at, part->bytes + begin, end - begin);
	return run;
}

static size_t gather_ranges(const struct ranges *ranges, const uint32_t *numbers, size_t count) {
	const size_t most = count < ranges->most ? count : ranges->most;
	size_t done = 0, offsets_read = 0, bytes_read = 0, at = ranges->at;
	while (done < most) {
		for (; offsets_read < count && offsets_read < done + OFFSETS_AHEAD; offsets_read++)
			read_offset_ahead(ranges, numbers[offsets_read]);
		/* Adjacent ranges are left to the processor. */
		for (; bytes_read < count && bytes_read < done + BYTES_AHEAD; bytes_read++)
			if (bytes_read == 0 || numbers[bytes_read] != numbers[bytes_read - 1] + 1)
				read_bytes_ahead(ranges, numbers[bytes_read]);
		const size_t run = gather_run(ranges, numbers + done, most - done, at, ranges->ends + done);
		if (run == 0) break;
		done += run;
		at = ranges->ends[done - 1];
	}
	return done;
}

static napi_value gather(napi_env env, napi_callback_info info) {
	napi_value arguments[3], answer;
	size_t given = 3, count;
	void *ranges, *numbers;
	uint32_t first;
	if (napi_get_cb_info(env, info, &given, arguments, NULL, NULL) != napi_ok || given != 3 ||
	    napi_get_value_external(env, arguments[0], &ranges) != napi_ok ||
	    !memory_of(env, arguments[1], 4, &numbers, &count) ||
	    napi_get_value_uint32(env, arguments[2], &first) != napi_ok || first > count) {
		napi_throw_type_error(env, NULL, "gather takes ranges, numbers and a place among them");
		return NULL;
	}
	const size_t done = gather_ranges(ranges, (uint32_t *)numbers + first, count - first);
	return napi_create_uint32(env, (uint32_t)done, &answer) == napi_ok ? answer : NULL;
}

int export_gather(napi_env env, napi_value exports) {
	return export_function(env, exports, "ranges", number_ranges) && export_function(env, exports, "gather", gather);
}

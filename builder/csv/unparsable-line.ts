/** The errors for a line at which a chunk cannot be parsed any further. */

import { BuildError } from "../errors.js";
import type { ChunkReply } from "./chunk-messages.js";
import { RECORD_BYTES_MAX } from "./record-scanner.js";

/** Why parsing ended at `line` of `file`; `line` is null where it is unknown. */
export function unparsableLine(
	outcome: Exclude<ChunkReply["outcome"], "parsed" | "short">,
	file: string,
	line: number | null,
): BuildError {
	if (outcome === "overlong") {
		const rule = `a line is longer than ${RECORD_BYTES_MAX >> 20} MiB: no CSV`;
		return new BuildError("limit_exceeded", rule, { file, line });
	}
	const rule =
		'"skipMatching" of the map was still being matched here when its time was up: ' +
		'write it without repetitions within or beside one another, such as "(a+)+" or ".*.*"';
	return new BuildError("bad_map", rule, { file, line });
}

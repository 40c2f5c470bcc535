/**
 * Responses that are files: whole, or the part that `Range` asks for, so that a download can be resumed
 * (RFC 9110 §14). The tag is strong, the SHA-256 of the file, so `If-Range` is exact.
 */

import { FileStream } from "../../exports/file-stream.js";
import type { Pace } from "../../exports/pace.js";
import { withoutContent } from "../../http/body-stream.js";
import type { RequestHead } from "../../http/request-head.js";
import type { HeaderBlock } from "../../http/transport.js";
import { ApiError } from "../errors.js";
import type { Answer, AnswerFile } from "../operation.js";
import { byteRange } from "./byte-range.js";
import { failsMatch } from "./entity-tag.js";
import type { Response } from "./response.js";

export interface FileRequest {
	readonly request: RequestHead;
	readonly response: Response;
	/** Begins a long answer; returns what ends it. Throws ApiError where there are too many. */
	begin(): () => void;
	readonly pace: Pace;
}

/** Throws ApiError where `If-Match` names another file; it precedes `If-None-Match` (RFC 9110 §13.2.2). */
export function requireNamedFile({ ifMatch }: RequestHead, { tag, file }: Answer): void {
	if (file === undefined || tag === null || !failsMatch(ifMatch, tag)) return;
	const message = "the file is another one than If-Match names; download it from the start";
	throw new ApiError("precondition_failed", message);
}

/** Sends a file or a part of it. Rejects with ApiError. */
export async function sendFile(
	{ tag, contentType }: Answer,
	file: AnswerFile,
	{ request, response, begin, pace }: FileRequest,
): Promise<void> {
	const isCurrent = request.ifRange === null || request.ifRange.trim() === tag;
	// Ranges are defined for GET alone (RFC 9110 §14.2).
	const isHead = request.method === "HEAD";
	const range = isCurrent && !isHead ? byteRange(request.range, file.bytes) : null;
	if (range === "unsatisfiable") {
		const message = `the file has ${file.bytes} bytes; the range begins after them`;
		response.error(
			new ApiError("range_not_satisfiable", message),
			`\r\nContent-Range: bytes */${file.bytes}`,
		);
		return;
	}
	const status = range === null ? 200 : 206;
	const { from, to } = range ?? { from: 0, to: file.bytes };
	const content = range === null ? "" : `\r\nContent-Range: bytes ${from}-${to - 1}/${file.bytes}`;
	const headers = headersOf(file, range === null) + content;
	if (isHead) {
		response.stream(status, tag, contentType, headers, withoutContent(to - from));
		return;
	}
	const ended = begin();
	try {
		const stream = await FileStream.open(file.path, { from, to }, pace, ended);
		response.stream(status, tag, contentType, headers, stream);
	} catch (error) {
		ended();
		// The month was replaced, or its exports removed, since they were listed.
		if ((error as NodeJS.ErrnoException).code === "ENOENT")
			throw new ApiError(
				"not_found",
				"the file was removed a moment ago; /v1/exports lists the files",
				"file",
			);
		throw error;
	}
}

/** `Content-Digest` is of the body, so a part has none: it would have to be read twice. */
function headersOf({ sha256, name }: AnswerFile, isWhole: boolean): HeaderBlock {
	const digest = `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`;
	const disposition = `\r\nContent-Disposition: attachment; filename="${name}"`;
	const content = isWhole ? `\r\nContent-Digest: ${digest}` : "";
	return `\r\nAccept-Ranges: bytes\r\nRepr-Digest: ${digest}${content}${disposition}`;
}

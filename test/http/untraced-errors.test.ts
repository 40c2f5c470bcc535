/** Errors that are answers to a request have no stack trace, whose capture took a third of the time of a refusal. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ParameterError } from "../../formats/index.js";
import { ApiError, LimitReached } from "../../server/api/errors.js";
import { RpcError } from "../../server/mcp/rpc-error.js";
import { PageError } from "../../server/pages/page-server.js";
import { RequestPending } from "../../server/request-pending.js";

test("answers that are errors have no stack trace, and other errors still have one", () => {
	const before = Error.stackTraceLimit;
	assert.ok(before > 0);
	const answers = [
		new ApiError("not_found", "no such row"),
		new LimitReached("rate_limited", "too many requests"),
		new ParameterError("state", "not a state"),
		new RpcError(-32601, "no such method"),
		new PageError(404, "not_found", "no such page"),
		new RequestPending(Promise.resolve(), "not yet"),
	];
	for (const answer of answers) {
		assert.ok(answer.message.length > 0);
		assert.doesNotMatch(answer.stack ?? "", /\n\s+at /, answer.name);
	}
	assert.equal(Error.stackTraceLimit, before);
	assert.match(new Error("a defect").stack ?? "", /\n\s+at /);
});

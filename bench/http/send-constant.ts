/** Sends constant answers by uWebSockets.js as the service sends its own. */

import type { HttpResponse } from "../../server/http/uws-library.js";

/** Sends a body: `tryEnd` takes what the socket does, the rest is sent as it drains. */
export function sendConstant(response: HttpResponse, body: Buffer): void {
	const [, complete] = response.tryEnd(body, body.length);
	if (complete) return;
	response.onAborted(() => undefined);
	response.onWritable((offset) => response.tryEnd(body.subarray(offset), body.length)[0]);
}

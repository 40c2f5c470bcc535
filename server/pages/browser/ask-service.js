// Requests of the pages' scripts, whose failures are told in words that say what to do.

/** The JSON of a response, or an Error: its `status` is that of the response, if there was one. */
export async function askService(path, options) {
	// The browser's own words for these are about its internals.
	const response = await fetch(path, options).catch(() => {
		throw new Error("The service cannot be reached. Check your connection and try again.");
	});
	const answer = await response.json().catch(() => {
		// Not an answer of this service: one of a proxy before it, or one that broke off.
		throw new Error(`The service is not available (status ${response.status}). Try again in a minute.`);
	});
	if (!response.ok) throw Object.assign(new Error(answer.error.message), { status: response.status });
	return answer;
}

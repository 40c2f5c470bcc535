// Drops the second click of a double click: a browser sends the form again and discards the first response, which
// for a link that works once is the only one with the key. Later clicks are passed on, since a response may fail.

const AGAIN_MS = 10_000;

for (const form of document.forms) {
	let sentMs = Number.NEGATIVE_INFINITY;
	form.addEventListener("submit", (event) => {
		if (event.timeStamp - sentMs < AGAIN_MS) event.preventDefault();
		else sentMs = event.timeStamp;
	});
	// Back from the response: a page that the browser kept may be sent again at once.
	addEventListener("pageshow", () => {
		sentMs = Number.NEGATIVE_INFINITY;
	});
}

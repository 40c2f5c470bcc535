// The signup form. The proof of work runs in workers served by this site instead of the widget's inline ones.

import "/pages/altcha.js";

globalThis.$altcha.algorithms.set("PBKDF2/SHA-256", () => new Worker("/pages/altcha-worker.js"));

const form = document.querySelector("form");
const send = form.querySelector("button");
const status = document.querySelector("#status");
const widget = form.querySelector("altcha-widget");

widget.addEventListener("statechange", (event) => {
	const { state } = event.detail;
	send.disabled = state !== "verified";
	if (state === "error")
		status.textContent = isSecureContext
			? "The check did not finish. Reload the page to try again."
			: "The check needs HTTPS. Open this page with https:// in its address.";
	if (state === "verified") status.textContent = "";
});
send.disabled = true;

/** The pages of signup: the form, the response to it, and the page that a mailed link opens, with its button. */

import { secondsOfDayLeft } from "../limits/windows.js";
import { ownFile, packageFile } from "../pages/files.js";
import { escapeHtml } from "../pages/html.js";
import {
	jsonPageAnswer,
	type PageAnswer,
	PageError,
	type PageRequest,
	type PageRoute,
	pageAnswer,
} from "../pages/page-server.js";
import { isThrowaway, readMailbox } from "./mailbox.js";
import type { ProofOfWork } from "./proof-of-work.js";
import type { Claimed, Signups } from "./signups.js";

/** Path of the page that a mail's link opens, before the token. */
export const CLAIM_PATH = "/signup/claim/";

/** Path of the script that keeps a form from being sent twice by a double click. */
const SUBMIT_ONCE = "/pages/submit-once.js";
const TOKEN = /^[A-Za-z0-9_-]{32}$/;

const ACCEPTED =
	"If this address can get a key, an email is on its way to it. Its link is valid for one hour. " +
	"If nothing arrives within ten minutes, check your spam folder, then try again.";

export interface SignupPagesOptions {
	readonly signups: Signups;
	readonly proof: ProofOfWork;
	/** Sends the mails that are due, in the background: the time it takes would reveal whether a mailbox is known. */
	readonly sendMails: () => void;
	readonly refuseThrowaway: boolean;
	/** Base URL of the API, for the examples shown with a new key. */
	readonly apiUrl: string;
}

/** The routes of signup. */
export function signupRoutes(options: SignupPagesOptions): PageRoute[] {
	const { proof, signups } = options;
	return [
		{ method: "GET", path: "/", counted: false, answer: formPage },
		{ method: "GET", path: "/signup", counted: false, answer: formPage },
		{
			method: "GET",
			path: "/signup/challenge",
			counted: true,
			answer: async ({ nowMs }) => jsonPageAnswer(200, await proof.challenge(nowMs)),
		},
		{ method: "POST", path: "/signup", counted: true, answer: (request) => signUp(options, request) },
		{
			method: "GET",
			path: `${CLAIM_PATH}*`,
			counted: true,
			answer: ({ path, nowMs }) => claimPage(signups, path.slice(CLAIM_PATH.length), nowMs),
		},
		{ method: "POST", path: "/signup/claim", counted: true, answer: (request) => claim(options, request) },
		ownFile("/pages/page.css", "pages", "page.css"),
		ownFile(SUBMIT_ONCE, "pages", "submit-once.js"),
		ownFile("/pages/signup.js", "signup", "signup.js"),
		packageFile("/pages/altcha.js", "altcha", "dist/external/altcha.min.js"),
		packageFile("/pages/altcha.css", "altcha", "dist/external/altcha.css"),
		packageFile("/pages/altcha-worker.js", "altcha", "dist/workers/pbkdf2.js"),
	];
}

const FORM = `
<p>A trial key reads the latest month with masked contacts: 30 requests a minute, 300 a day, 2,000 a month,
for 14 days. It is sent by email; there is no password.</p>
<form method="post" action="/signup">
<label for="email">Email address</label>
<input id="email" name="email" type="email" autocomplete="email" required maxlength="254">
<altcha-widget challenge="/signup/challenge" name="altcha" auto="onload" language="en"
configuration='{"hideLogo":true,"hideFooter":true,"humanInteractionSignature":false}'></altcha-widget>
<p id="status" role="status"></p>
<button type="submit">Send me a key</button>
</form>
<noscript><p class="bad">The check against robots requires JavaScript. Without it, ask the operator for a key.</p></noscript>
<p class="muted">The address, the times of its requests and its key are stored until 30 days after the key has expired.
Already have a key? <a href="/portal">See its limits and usage</a>.</p>
`;

function formPage(): PageAnswer {
	return pageAnswer(200, "Get a trial key", FORM, {
		styles: ["/pages/altcha.css"],
		scripts: ["/pages/signup.js", SUBMIT_ONCE],
	});
}

async function signUp(options: SignupPagesOptions, request: PageRequest): Promise<PageAnswer> {
	const { fields, network, nowMs, json } = request;
	const mailbox = readMailbox(fields.get("email") ?? "");
	if (mailbox === null) throw new PageError(400, "invalid_email", "This is not a valid email address.");
	if (options.refuseThrowaway && isThrowaway(mailbox.domain))
		throw new PageError(400, "throwaway_email", "Keys are not sent to disposable email addresses.");
	const solved = await options.proof.solved(fields.get("altcha") ?? "", nowMs);
	if (solved === null)
		throw new PageError(
			400,
			"unsolved_challenge",
			"The check against robots is missing or has expired. Go back to the form and try again.",
		);
	const outcome = await options.signups.request(mailbox, network, solved, nowMs);
	if (outcome === "used_proof")
		throw new PageError(
			400,
			"unsolved_challenge",
			"This form was already submitted. Go back to the form to submit it again.",
		);
	if (outcome === "unavailable")
		throw new PageError(
			503,
			"unavailable",
			"Keys cannot be requested at the moment. Try again in a minute.",
			{
				"Retry-After": "60",
			},
		);
	if (outcome === "no_keys") throw noKeys();
	if (outcome !== "accepted") {
		const message =
			outcome === "day_full"
				? "The daily limit of trial keys is reached. Try again tomorrow."
				: "Too many keys were requested from your network today. Try again tomorrow.";
		throw new PageError(429, "rate_limited", message, { "Retry-After": String(secondsOfDayLeft(nowMs)) });
	}
	options.sendMails();
	return json
		? jsonPageAnswer(202, { message: ACCEPTED })
		: pageAnswer(202, "Check your email", `<p role="status">${escapeHtml(ACCEPTED)}</p>`);
}

/** Nothing that the visitor can change or wait for. */
function noKeys(): PageError {
	return new PageError(503, "unavailable", "No trial keys are left. Ask the operator for a key.");
}

/** Shows a button, since mail scanners follow links but do not submit forms. */
function claimPage(signups: Signups, token: string, nowMs: number): PageAnswer {
	if (!TOKEN.test(token) || !signups.isGood(token, nowMs)) return spentPage();
	return pageAnswer(
		200,
		"Your trial key",
		`<p>Press the button to show your key. It is shown only once: store it as you store passwords.</p>
<form method="post" action="/signup/claim">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<button type="submit">Show my key</button>
</form>`,
		{ scripts: [SUBMIT_ONCE] },
	);
}

function spentPage(): PageAnswer {
	return pageAnswer(
		410,
		"This link no longer works",
		`<p>A link can be used once, within one hour, and only the newest link is valid.</p>
<p><a href="/signup">Request another</a>: an existing key is kept.</p>`,
	);
}

async function claim({ signups, apiUrl }: SignupPagesOptions, request: PageRequest): Promise<PageAnswer> {
	const token = request.fields.get("token") ?? "";
	const claimed = TOKEN.test(token) ? await signups.claim(token, request.nowMs) : null;
	if (claimed === null) {
		if (request.json) throw new PageError(410, "spent_link", "This link no longer works.");
		return spentPage();
	}
	if (claimed === "no_keys") throw noKeys();
	return request.json
		? jsonPageAnswer(200, {
				key: claimed.text,
				id: claimed.record.id,
				expires_at: claimed.record.expires_at,
				renewed: claimed.renewed,
			})
		: keyPage(claimed, apiUrl);
}

function keyPage({ text, record, renewed }: Claimed, apiUrl: string): PageAnswer {
	const ends = record.expires_at === null ? "" : `It is valid until ${record.expires_at.slice(0, 10)}. `;
	const curl = `curl -H "Authorization: Bearer ${text}" "${apiUrl}/v1/licenses?state=CA&limit=3"`;
	return pageAnswer(
		200,
		"Your trial key",
		`<p role="status">${renewed ? "Your previous key no longer works. " : ""}${ends}It is not shown again.</p>
<pre id="key" class="key" tabindex="0">${escapeHtml(text)}</pre>
<h2>A first request</h2>
<pre tabindex="0">${escapeHtml(curl)}</pre>
<p><a href="/portal">See limits and usage</a> with the key, or <a href="${escapeHtml(apiUrl)}/docs">read the reference</a>.</p>`,
	);
}

/**
 * The portal: the properties and usage of a key, its rotation and revocation. The key itself signs in: the
 * page holds it in memory and sends it as `Authorization`. Without a cookie, pages of other sites cannot act
 * on its behalf.
 */

import { ERROR_CODES } from "../api/errors.js";
import { keyTextOf } from "../keys/directory.js";
import type { Key } from "../keys/key.js";
import { isGoodText } from "../keys/key-of-record.js";
import { hashesEqual, hashKeyText } from "../keys/key-text.js";
import { revokeKeyNow, rotateKeyNow } from "../keys/lifecycle.js";
import { SharedCounters } from "../limits/counters.js";
import { KeyErrors } from "../limits/key-errors.js";
import { secondsOfDayLeft } from "../limits/windows.js";
import type { Access } from "../open-access.js";
import { ownFile, scriptFiles } from "../pages/files.js";
import {
	jsonPageAnswer,
	PageError,
	type PageRequest,
	type PageRoute,
	pageAnswer,
} from "../pages/page-server.js";
import { DailyRotations } from "./daily-rotations.js";
import { scopeWords } from "./scope-words.js";

const USAGE_DAYS = 30;
const HOUR_MS = 3_600_000;
/** Grace periods that the page offers for the old text of a rotated key. */
const GRACES: ReadonlyMap<string, number> = new Map([
	["none", 0],
	["1h", HOUR_MS],
	["24h", 24 * HOUR_MS],
]);
/** More than an owner needs; each is an entry of the audit log. */
const ROTATIONS_PER_DAY_MAX = 20;
const ACTOR = "portal";

export interface PortalOptions {
	readonly access: Access;
	readonly apiUrl: string;
}

/** The routes of the portal. */
export function portalRoutes({ access, apiUrl }: PortalOptions): PageRoute[] {
	const keyOf = (request: PageRequest) => keyOfRequest(access, request);
	const rotations = new DailyRotations(ROTATIONS_PER_DAY_MAX);
	const errors = new KeyErrors(new SharedCounters(access.counters), ERROR_CODES);
	return [
		{ method: "GET", path: "/portal", counted: false, answer: () => portalPage() },
		{
			method: "GET",
			path: "/portal/key",
			counted: true,
			async answer(request) {
				const key = keyOf(request);
				await access.usage.behind?.(key.id);
				const described = describe(access, key, apiUrl, request.nowMs);
				return jsonPageAnswer(200, { ...described, errors: errors.of(key.slot) });
			},
		},
		{
			method: "POST",
			path: "/portal/rotate",
			counted: true,
			async answer(request) {
				const { id } = keyOf(request);
				const graceMs = GRACES.get(request.fields.get("grace") ?? "");
				if (graceMs === undefined)
					throw new PageError(400, "invalid_grace", `grace must be one of ${[...GRACES.keys()].join(", ")}`);
				const actor = { by: ACTOR, nowMs: request.nowMs };
				const { text } = await changeKey(access, request, id, () => {
					// Once the text may change the key: a replaced one must not use up the rotations of its owner.
					if (!rotations.take(id, request.nowMs)) throw rotatedTooOften(request.nowMs);
					return rotateKeyNow(access.store, id, graceMs, actor);
				});
				await settle(access);
				return jsonPageAnswer(200, { key: text });
			},
		},
		{
			method: "POST",
			path: "/portal/revoke",
			counted: true,
			async answer(request) {
				const { id } = keyOf(request);
				// Typed in full, so that an accidental click cannot revoke a key.
				if (request.fields.get("confirm") !== id)
					throw new PageError(400, "unconfirmed", "To revoke the key, confirm with its id.");
				const actor = { by: ACTOR, nowMs: request.nowMs };
				await changeKey(access, request, id, () => revokeKeyNow(access.store, id, actor));
				await settle(access);
				return jsonPageAnswer(200, { revoked: id });
			},
		},
		ownFile("/pages/portal.js", "portal", "portal.js"),
		ownFile("/pages/usage-chart.js", "portal", "usage-chart.js"),
		...scriptFiles(),
	];
}

/**
 * Has this thread know of a change that is stored. Its owner gets its result even if the counts cannot be stored as well: the
 * text of a rotated key is in this answer alone. What failed is tried again, and reported, in the background.
 */
async function settle(access: Access): Promise<void> {
	await access.settle().catch(() => undefined);
}

function rotatedTooOften(nowMs: number): PageError {
	const message = `A key can be replaced ${ROTATIONS_PER_DAY_MAX} times a day here. Try again tomorrow.`;
	return new PageError(429, "rate_limited", message, { "Retry-After": String(secondsOfDayLeft(nowMs)) });
}

function keyOfRequest({ authenticator }: Access, { authorization, nowMs }: PageRequest): Key {
	const found = authenticator.authenticate({ authorization, xApiKey: null }, nowMs);
	if (found.ok) return found.key;
	throw refused(found.code, found.message);
}

function refused(code: string, message: string): PageError {
	return new PageError(401, code, message, { "WWW-Authenticate": 'Bearer realm="rollcall"' });
}

/**
 * Applies `change` to the key `id`, which signed in, if its text is still good: of requests at the same time, an
 * earlier one may have replaced or revoked it, and its owner has that one's result. A text whose grace runs does not
 * suffice: who holds a text that leaked, which is why keys are replaced, could take the key from its owner.
 */
function changeKey<T>(
	{ store }: Access,
	{ authorization, nowMs }: PageRequest,
	id: string,
	change: () => T,
): Promise<T> {
	const hash = hashKeyText(keyTextOf(authorization ?? "") ?? "");
	return store.transaction(() => {
		const record = store.key(id);
		if (record === undefined || !isGoodText(record, hash, nowMs))
			throw refused("unauthorized", "The API key was replaced or revoked.");
		if (!hashesEqual(record.hash, hash))
			throw new PageError(
				403,
				"key_replaced",
				"This key was replaced and only reads until its grace ends. Sign in with the new key to change it.",
			);
		return change();
	});
}

function describe({ limits, usage }: Access, key: Key, apiUrl: string, nowMs: number) {
	const { id, name, tier, status, created_at, expires_at } = key;
	return {
		id,
		name,
		tier,
		status,
		created_at,
		expires_at,
		windows: limits.windows(key, nowMs),
		scope: scopeWords(key.scope, key.masked),
		usage: usage.usage(id, USAGE_DAYS, nowMs),
		api_url: apiUrl,
	};
}

/**
 * A form that a browser sends by itself, without the script or before it has loaded, must not carry the key in a
 * URL: fields have no name, forms are not of the method GET, and the script enables the button, without which
 * Enter sends nothing.
 */
const PORTAL = `
<form id="sign-in" method="post" action="/portal">
<p>Paste your key. It stays in this page's memory and is sent to this site only.</p>
<label for="key">Key</label>
<input id="key" type="password" autocomplete="off" spellcheck="false" required>
<button type="submit" disabled>Open</button>
</form>
<noscript><p class="bad">This page requires JavaScript. Without it, ask the operator about your key.</p></noscript>
<p id="status" role="status"></p>
<div id="portal" hidden>
<p id="facts"></p>
<section aria-labelledby="limits-title"><h2 id="limits-title">Limits</h2><div class="scroll" id="limits" tabindex="0" role="region" aria-label="Table of limits"></div></section>
<section aria-labelledby="scope-title"><h2 id="scope-title">What the key reads</h2><ul id="scope"></ul></section>
<section aria-labelledby="usage-title"><h2 id="usage-title">Usage in the last 30 days</h2>
<div id="chart"></div>
<div class="scroll" id="by-endpoint" tabindex="0" role="region" aria-label="Requests by endpoint"></div>
<details><summary>Requests by day, as a table</summary><div class="scroll" id="by-day" tabindex="0" role="region" aria-label="Requests by day"></div></details>
</section>
<section aria-labelledby="errors-title"><h2 id="errors-title">Last errors</h2><div class="scroll" id="errors" tabindex="0" role="region" aria-label="Errors by code"></div></section>
<section aria-labelledby="first-title"><h2 id="first-title">First requests</h2>
<p>With the key in the environment variable <code>ROLLCALL_KEY</code>:</p><div id="snippets"></div></section>
<section aria-labelledby="change-title"><h2 id="change-title">Change the key</h2>
<form id="rotate" method="post" action="/portal"><label for="grace">Replace the key with a new one. The old key works</label>
<select id="grace"><option value="1h">for one more hour</option><option value="24h">for one more day</option><option value="none">no longer</option></select>
<button type="submit">Replace</button></form>
<div id="new-key" class="panel" role="status" hidden></div>
<form id="revoke" method="post" action="/portal"><label for="confirm">Revoke the key permanently: type its id</label>
<input id="confirm" autocomplete="off" spellcheck="false" required>
<button type="submit" class="quiet">Revoke</button></form>
</section>
</div>
`;

function portalPage() {
	return pageAnswer(200, "Your key", PORTAL, { styles: ["/pages/uplot.css"], scripts: ["/pages/portal.js"] });
}

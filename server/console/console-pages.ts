/**
 * The operator's console on the admin port: months, quarantine, keys and their use, signups and mails, and
 * the last hour of the metrics. It reads; suspending and resuming a key is all it changes.
 *
 * Access: on a loopback address, clients of this machine whose Host header names it, which defeats DNS
 * rebinding; elsewhere, clients with the operator token. Changes require the token everywhere and are disabled
 * where none is set.
 */

import { timingSafeEqual } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import type { QuarantinedMonth } from "../../engine/library.js";
import { isMonth, readManifest, reportFile } from "../../formats/index.js";
import type { PublishedMonth } from "../admin/registry.js";
import { KeyError } from "../keys/errors.js";
import { effectiveStatus } from "../keys/key-of-record.js";
import { resumeKey, suspendKey } from "../keys/lifecycle.js";
import { dayOf } from "../limits/windows.js";
import type { Access } from "../open-access.js";
import { ownFile, scriptFiles } from "../pages/files.js";
import {
	jsonPageAnswer,
	type PageAnswer,
	PageError,
	type PageRequest,
	type PageRoute,
	pageAnswer,
} from "../pages/page-server.js";
import type { SignupSummary } from "../signup/signup-records.js";
import type { MetricsHistory } from "./metrics-history.js";

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/;
/** Keys listed, the busiest of today first. */
const KEYS_MAX = 200;
const ACTOR = "console";
/** Reports have styles of their own, and neither scripts nor anything that is fetched. */
const REPORT_POLICY =
	"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** A host, and what it says of itself: {@link hostSays}, unless it is of another version. */
export interface SaidHost {
	readonly host: string;
	readonly says: unknown;
}

const hostSays = z.object({ name: z.string(), address: z.string(), pid: z.number() });

export interface ConsoleOptions {
	readonly dataFolder: string;
	readonly access: Access;
	readonly history: MetricsHistory;
	readonly published: () => readonly PublishedMonth[];
	readonly quarantined: () => readonly QuarantinedMonth[];
	readonly notReady: () => string | null;
	/** The hosts that share limits and keys with this one; null: there are none. */
	readonly hosts: () => Promise<readonly SaidHost[]> | null;
	/** What signup does; null: there is none. */
	readonly signups: () => SignupSummary | null;
	/** Empty: there is none. */
	readonly token: string;
	/** Whether the admin port listens on a loopback address only. */
	readonly isLocal: boolean;
}

/** The routes of the console. */
export function consoleRoutes(options: ConsoleOptions): PageRoute[] {
	return [
		{ method: "GET", path: "/console", counted: false, answer: () => consolePage() },
		// Where the name at the head of every page leads, and the link back of errors.
		{ method: "GET", path: "/", counted: false, answer: () => redirectAnswer("/console") },
		{
			method: "GET",
			path: "/console/state",
			counted: true,
			async answer(request) {
				requireReader(options, request);
				return jsonPageAnswer(200, { ...stateOf(options, request.nowMs), ...(await hostsOf(options)) });
			},
		},
		{
			method: "GET",
			path: "/console/report",
			counted: true,
			answer(request) {
				requireReader(options, request);
				return reportAnswer(options.dataFolder, request.query.get("month") ?? "");
			},
		},
		...(["suspend", "resume"] as const).map(
			(change): PageRoute => ({
				method: "POST",
				path: `/console/${change}`,
				counted: true,
				async answer(request) {
					requireToken(options, request);
					const id = request.fields.get("id") ?? "";
					const work = change === "suspend" ? suspendKey : resumeKey;
					const actor = { by: ACTOR, nowMs: request.nowMs };
					const record = await work(options.access.store, id, actor).catch((error) => {
						throw pageErrorOf(error);
					});
					await options.access.settle();
					return jsonPageAnswer(200, { id, status: record.status });
				},
			}),
		),
		ownFile("/pages/page.css", "pages", "page.css"),
		ownFile("/pages/console.js", "console", "console.js"),
		...scriptFiles(),
	];
}

/** What a change of a key failed with, as an error of its request where the request caused it. */
function pageErrorOf(error: unknown): unknown {
	if (!(error instanceof KeyError)) return error;
	if (error.code === "unknown_key") return new PageError(404, "not_found", "No key has this id.");
	return new PageError(409, error.code, `${error.message}.`);
}

/** The hosts, and why they are not known where the shared store does not answer. */
async function hostsOf({ hosts }: ConsoleOptions) {
	try {
		const found = await hosts();
		return { hosts: found?.map(hostOf) ?? null, hosts_fault: null };
	} catch (error) {
		return { hosts: [], hosts_fault: (error as Error).message };
	}
}

function hostOf({ host, says }: SaidHost) {
	const told = hostSays.safeParse(says);
	return { host, ...(told.success ? told.data : { name: null, address: null, pid: null }) };
}

/** A token is looked at on this machine, too: whoever enters one is to hear whether it is right. */
function requireReader(options: ConsoleOptions, request: PageRequest): void {
	const hasToken = request.authorization?.startsWith("Bearer ") === true;
	if (options.isLocal && LOOPBACK_HOST.test(request.host) && !hasToken) return;
	requireToken(options, request);
}

function requireToken({ token }: ConsoleOptions, { authorization }: PageRequest): void {
	if (token === "")
		throw new PageError(403, "no_token", "No operator token is set: start the server with --operator-token.");
	const given = Buffer.from(authorization ?? "");
	const wanted = Buffer.from(`Bearer ${token}`);
	if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
	throw new PageError(401, "unauthorized", "The operator token is missing or wrong.");
}

function stateOf(options: ConsoleOptions, nowMs: number) {
	const { history, quarantined, notReady, signups } = options;
	return {
		ready: notReady() ?? "ready",
		months: monthsOf(options),
		quarantined: quarantined().map(({ month, code, message }) => ({ month, code, message })),
		keys: keysOf(options, nowMs),
		signups: signups(),
		samples: history.samples,
	};
}

function redirectAnswer(path: string): PageAnswer {
	return { status: 303, type: "text/plain; charset=utf-8", body: `${path}\n`, headers: { Location: path } };
}

/** The report of a month's build, whose styles are its own. */
function reportAnswer(dataFolder: string, month: string): PageAnswer {
	if (!isMonth(month) || !existsSync(reportFile(dataFolder, month)))
		throw new PageError(404, "not_found", "This month has no report.");
	return {
		status: 200,
		type: "text/html; charset=utf-8",
		body: readFileSync(reportFile(dataFolder, month)),
		headers: { "Content-Security-Policy": REPORT_POLICY },
	};
}

function monthsOf({ dataFolder, published }: ConsoleOptions) {
	return published()
		.map(({ month }) => {
			const manifest = readManifest(dataFolder, month);
			return {
				month,
				rows: manifest?.rows ?? null,
				rejects: manifest?.rejects ?? null,
				report: existsSync(reportFile(dataFolder, month)),
				built_at: manifest?.built_at ?? null,
				accepted: manifest?.accepted.map(({ gate, finding }) => `${gate}: ${finding}`) ?? [],
			};
		})
		.sort((a, b) => (a.month < b.month ? 1 : -1));
}

/** Keys with requests today, the busiest first, then the others by their last use. Counts are at most a flush old. */
function keysOf({ access: { store } }: ConsoleOptions, nowMs: number) {
	const today = new Map(
		store
			.usageOfDay(dayOf(nowMs))
			.map(({ keyId, record }) => [keyId, record.reduce((sum, requests) => sum + requests, 0)]),
	);
	const lastUsed = new Map(store.counters().map(({ keyId, record }) => [keyId, record.last_used]));
	return store
		.keys()
		.map((record) => ({
			id: record.id,
			name: record.name,
			tier: record.tier,
			status: effectiveStatus(record, nowMs),
			expires_at: record.expires_at,
			requests_today: today.get(record.id) ?? 0,
			last_used_s: lastUsed.get(record.id) ?? 0,
		}))
		.sort((a, b) => b.requests_today - a.requests_today || b.last_used_s - a.last_used_s)
		.slice(0, KEYS_MAX);
}

const CONSOLE = `
<noscript><p class="bad">This page requires JavaScript. Without it, <a href="/metrics">/metrics</a> has the figures.</p></noscript>
<form id="sign-in" hidden>
<label for="token">Operator token</label>
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false" required>
<button type="submit">Open</button>
</form>
<p id="status" role="status"></p>
<div id="console" hidden>
<p id="ready"></p>
<section aria-labelledby="hour-title"><h2 id="hour-title">The last hour</h2>
<div id="rate"></div><div id="latency"></div><div id="shedding"></div>
<details><summary>The last ten minutes, as a table</summary><div id="samples" class="scroll" tabindex="0" role="region" aria-label="The last ten minutes"></div></details></section>
<section aria-labelledby="months-title"><h2 id="months-title">Months</h2><div id="months" class="scroll" tabindex="0" role="region" aria-label="Table of months"></div><div id="quarantined"></div></section>
<section id="hosts-section" aria-labelledby="hosts-title" hidden><h2 id="hosts-title">Hosts</h2><div id="hosts" class="scroll" tabindex="0" role="region" aria-label="Table of hosts"></div></section>
<section aria-labelledby="signups-title"><h2 id="signups-title">Signups</h2><div id="signups" class="scroll" tabindex="0" role="region" aria-label="Table of signups"></div></section>
<section aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2><div id="keys" class="scroll" tabindex="0" role="region" aria-label="Table of keys"></div></section>
</div>
`;

function consolePage() {
	return pageAnswer(200, "Console", CONSOLE, {
		styles: ["/pages/uplot.css"],
		scripts: ["/pages/console.js"],
	});
}

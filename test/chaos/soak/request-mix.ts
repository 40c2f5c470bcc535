/**
 * What a soak asks: the benchmark's mix of queries, and around it every other endpoint, every tool,
 * past months, other formats, and requests that are to be refused. The stream never ends and hardly
 * repeats: values are drawn from random rows of all months, those not published yet among them.
 */

import { mixedPaths, Values } from "../../../bench/http/requests.js";
import type { Snapshot } from "../../../engine/index.js";
import { Draw } from "../../oracle/draw.js";
import { KEY_CLASSES, type KeyClass } from "./soak-keys.js";

/**
 * How an answer is judged: `exact` byte for byte; `listing` but for the times months were built at; `call` but for
 * its cursor, which a secret of the server's store authenticates;
 * `usage` by its counts, which may only grow.
 */
export type Judged = "exact" | "listing" | "usage" | "call";

export interface Ask {
	/** Null: no key is sent. */
	readonly key: KeyClass | null;
	/** With its query. */
	readonly path: string;
	/** Posted as JSON; null: a GET. */
	readonly body: string | null;
	readonly gzip: boolean;
	/** Sent with the entity tag of the answer before anything was published. */
	readonly conditional: boolean;
	readonly judged: Judged;
}

const LICENSES = "/v1/licenses";
/** Of how many requests each key sends one, as lots. */
const KEY_LOTS: readonly KeyClass[] = KEY_CLASSES.flatMap((name) =>
	Array.from({ length: name === "open" ? 12 : 2 }, () => name),
);
const GZIP_ONE_IN = 25;
const CONDITIONAL_ONE_IN = 15;
const PAST_MONTH_ONE_IN = 8;

const REFUSED: readonly string[] = [
	`${LICENSES}?limit=0`,
	`${LICENSES}?stat=CA`,
	`${LICENSES}?page=501&limit=100`,
	`${LICENSES}?issued_after=2026-02-30`,
	`${LICENSES}?snapshot=2031-01`,
	`${LICENSES}?city=`,
	`${LICENSES}?city=%zz`,
	`${LICENSES}?zip=1&postal_code=1`,
	`${LICENSES}/history`,
	`${LICENSES}/notanumber`,
	`${LICENSES}/1`,
	"/v1/suggest?field=city&q=a",
	"/v1/usage?days=91",
];

export class RequestMix {
	private readonly draw: Draw;
	private readonly sources: readonly { readonly values: Values; readonly month: string }[];
	private sent = 0;

	/** `snapshots` are what values are taken from. */
	constructor(snapshots: readonly Snapshot[], seed: number) {
		this.draw = new Draw(seed);
		this.sources = snapshots.map((snapshot, i) => ({
			values: new Values(snapshot, seed + i),
			month: snapshot.month,
		}));
	}

	next(): Ask {
		const { draw } = this;
		const what = this.draw.below(100);
		const key = draw.pick(KEY_LOTS);
		const base = { key, body: null, gzip: draw.oneIn(GZIP_ONE_IN), conditional: false } as const;
		this.sent++;
		if (what < 62) {
			const path = this.dated(mixedPaths(this.source().values, 1)[0]);
			return { ...base, path, conditional: draw.oneIn(CONDITIONAL_ONE_IN), judged: "exact" };
		}
		if (what < 84) return { ...base, path: this.otherPath(), judged: "exact" };
		if (what < 95) return this.toolCall(base);
		return this.bookkeeping(base);
	}

	private source(): { readonly values: Values; readonly month: string } {
		return this.draw.pick(this.sources);
	}

	/** The path, sometimes with a month of its own. */
	private dated(path: string): string {
		if (!this.draw.oneIn(PAST_MONTH_ONE_IN) || path.startsWith(`${LICENSES}/`)) return path;
		return `${path}${path.includes("?") ? "&" : "?"}snapshot=${this.source().month}`;
	}

	private otherPath(): string {
		const { draw } = this;
		const { values } = this.source();
		switch (draw.below(8)) {
			case 0: {
				const row = values.of("state", "member_state_license_number");
				return `${LICENSES}/history?state=${row.state}&license_number=${row.member_state_license_number}`;
			}
			case 1:
				return `${LICENSES}/history?id=${values.of("id").id}&fields=id,member_license_status,office_name`;
			case 2:
				return `/v1/suggest?field=office&q=${values.prefix("office_name", 2 + draw.below(4))}`;
			case 3: {
				const { state } = values.of("state");
				return `/v1/suggest?field=last_name&q=${values.prefix("member_last_name", 2)}&state=${state}&limit=5`;
			}
			case 4:
				return `${LICENSES}?state=${values.of("state").state}&format=csv&limit=${1 + draw.below(400)}&order=desc`;
			case 5:
				return `/v1/states?country=${draw.pick(["US", "CA"])}`;
			case 6:
				return draw.pick(REFUSED);
			default:
				return (
					`${LICENSES}?last_name=${values.prefix("member_last_name", 2)}&format=ndjson` +
					`&limit=${1 + draw.below(60)}&page=${1 + draw.below(5)}&sort=member_license_expires`
				);
		}
	}

	private toolCall(base: Pick<Ask, "key" | "gzip" | "conditional">): Ask {
		const { draw } = this;
		const { values, month } = this.source();
		const text = (column: "state" | "member_city" | "member_state_license_number") =>
			decodeURIComponent(values.of(column)[column]);
		const id = Number(values.of("id").id);
		const calls: readonly [string, Record<string, unknown>][] = [
			["search_licenses", { city: text("member_city") }],
			["search_licenses", { state: [text("state")], limit: 1 + draw.below(30), sort: ["office_name"] }],
			["get_license", { id }],
			["license_history", { id }],
			["list_states", draw.oneIn(2) ? {} : { snapshot: month }],
			["get_stats", { state: text("state") }],
			["suggest", { field: "city", q: text("member_city").slice(0, 2) }],
			["whoami", {}],
			["list_snapshots", {}],
			["search_licenses", { limit: -1 }],
		];
		const [name, args] = draw.pick(calls);
		const params = { name, arguments: args };
		const body = JSON.stringify({ jsonrpc: "2.0", id: this.sent, method: "tools/call", params });
		return { ...base, path: "/mcp", body, judged: name === "list_snapshots" ? "listing" : "call" };
	}

	private bookkeeping(base: Pick<Ask, "key" | "gzip" | "conditional" | "body">): Ask {
		switch (this.draw.below(4)) {
			case 0:
				return { ...base, path: "/v1/me", judged: "exact" };
			case 1:
				return { ...base, path: "/v1/snapshots", judged: "listing" };
			case 2:
				return { ...base, path: "/v1/usage?days=2", judged: "usage" };
			default:
				return { ...base, key: null, path: "/v1/health", judged: "exact" };
		}
	}
}

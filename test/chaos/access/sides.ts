/**
 * Two servers whose data differ, each with a key of the same grant. What may differ between their
 * answers is the request's id, the key's id, the date, and what stands for the bytes of the whole snapshot and
 * reveals only that it is another one: the ETag and cursors.
 */

import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext } from "node:test";
import { SNAPSHOTS_FOLDER } from "../../../formats/index.js";
import { type DropRow, MONTHS, monthRows } from "../../http/drop-rows.js";
import { type Answered, type KeyOptions, publish, ServedFixture } from "../../http/served.js";
import { ANY_TRANSPORT } from "../../http/transports.js";
import { Draw } from "../../oracle/draw.js";
import { SEED, tellSeed } from "../../oracle/seeded.js";
import { type Ask, answerTo, randomAsk } from "./asks.js";

export type Month = (typeof MONTHS)[number];

/** Bound to its store's secret and to its snapshot by a hash, so that its length is compared alone. */
const CURSOR = /(next_cursor\\*":\\*")([\w-]+)/g;
const FREE_TO_DIFFER = new Set(["date", "etag", "x-request-id"]);
const NO_LIMIT = { per_minute: 10_000_000, per_day: 10_000_000, monthly_quota: null };

export interface Side {
	readonly served: ServedFixture;
	readonly key: string;
	readonly keyId: string;
}

async function folderOf(rowsOf: (month: Month) => DropRow[]): Promise<string> {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-chaos-"));
	mkdirSync(join(folder, SNAPSHOTS_FOLDER));
	for (const month of MONTHS) await publish(folder, month, rowsOf(month));
	return folder;
}

/** Serves `rowsOf` and makes a key; both end with the test. */
export async function openSide(
	t: TestContext,
	rowsOf: (month: Month) => DropRow[],
	key: KeyOptions,
): Promise<Side> {
	const served = await ServedFixture.start(ANY_TRANSPORT, { data: await folderOf(rowsOf) });
	t.after(() => served.close());
	return sideOf(served, key);
}

async function sideOf(served: ServedFixture, key: KeyOptions): Promise<Side> {
	const { id, text } = await served.keyWithId({ rate_limits: NO_LIMIT, ...key });
	return { served, key: text, keyId: id };
}

/** The months of the fixture's own rows, which every comparison has on its left; built at first use. */
let fixtureMonths: Promise<string> | null = null;
after(async () => {
	if (fixtureMonths !== null) rmSync(await fixtureMonths, { recursive: true, force: true });
});

/** A server of its own over the fixture's rows: what other tests asked must not be in its caches. */
async function openFixtureSide(t: TestContext, key: KeyOptions): Promise<Side> {
	fixtureMonths ??= folderOf(monthRows);
	const data = mkdtempSync(join(tmpdir(), "rollcall-chaos-"));
	cpSync(await fixtureMonths, data, { recursive: true });
	const served = await ServedFixture.start(ANY_TRANSPORT, { data });
	t.after(() => served.close());
	return sideOf(served, key);
}

/** All of an answer that a client sees and that has to be the same. */
export function visible({ keyId }: Side, { status, headers, text }: Answered): string {
	const shown = text.replaceAll(CURSOR, (_, label: string, cursor: string) => `${label}${cursor.length}`);
	// What a cursor takes compressed differs by its characters, which look random.
	const hasFreeLength = shown !== text && headers.has("content-encoding");
	const kept = [...headers].filter(
		([name]) => !FREE_TO_DIFFER.has(name) && !(hasFreeLength && name === "content-length"),
	);
	return JSON.stringify([status, kept, shown])
		.replaceAll(headers.get("x-request-id") ?? " none ", "")
		.replaceAll(keyId, "");
}

/** Sends the same requests, `directed` and then random ones, to the fixture's rows and to what `otherwise` makes of them. */
export async function compare(
	t: TestContext,
	key: KeyOptions,
	otherwise: (rows: readonly DropRow[], month: Month) => DropRow[],
	tries: number,
	directed: readonly Ask[] = [],
): Promise<void> {
	const left = await openFixtureSide(t, key);
	const right = await openSide(t, (month) => otherwise(monthRows(month), month), key);
	tellSeed(t, tries);
	const statuses = new Map<number, number>();
	// One after the other, since headers carry limits, which count earlier requests.
	const asks = [...directed, ...Array.from({ length: tries }, (_, i) => randomAsk(new Draw(SEED, i)))];
	for (const ask of asks) {
		const [a, b] = await Promise.all([left, right].map((side) => answerTo(side.served, side.key, ask)));
		statuses.set(a.status, (statuses.get(a.status) ?? 0) + 1);
		assert.equal(visible(right, b), visible(left, a), `${ask.method} ${ask.path} ${ask.body ?? ""}`);
	}
	t.diagnostic(`tried ${tries}, lost 0; by status ${JSON.stringify([...statuses])}`);
}

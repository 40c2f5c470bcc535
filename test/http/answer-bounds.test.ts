/** What bounds an answer is in its meta: the day, the grant, masked columns, truncation (docs/API.md §11.10). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { COLUMNS, type ColumnName } from "../../formats/index.js";
import { overBothTransports, type ServedFixture } from "./served.js";

const CALIFORNIA = { countries: [], states: ["CA"] };
const FEW: readonly ColumnName[] = ["id", "snapshot", "state", "member_last_name"];
const CONTACT = COLUMNS.filter((column) => column.contact).map((column) => column.name);
const PATHS = [
	"/v1/licenses?limit=1",
	"/v1/licenses/32200000101",
	"/v1/states",
	"/v1/stats",
	"/v1/suggest?field=last_name&q=sm",
];
const HISTORY = "/v1/licenses/history?state=CA&license_number=CA-1";

async function metaOf(served: ServedFixture, path: string, key: string): Promise<Record<string, unknown>> {
	const { status, text } = await served.request(path, key);
	assert.equal(status, 200, `${path}: ${text}`);
	return JSON.parse(text).meta;
}

overBothTransports("the bounds of an answer", (served) => {
	test("name the last day of the snapshot's month", async () => {
		const key = await served().key();
		for (const path of [...PATHS, HISTORY])
			assert.equal((await metaOf(served(), path, key)).as_of, "2026-11-30", path);
		for (const path of ["/v1/licenses?limit=1", "/v1/states", "/v1/stats"]) {
			const { as_of } = await metaOf(
				served(),
				`${path}${path.includes("?") ? "&" : "?"}snapshot=2026-10`,
				key,
			);
			assert.equal(as_of, "2026-10-31", path);
		}
	});

	test("are absent where nothing narrowed the answer", async () => {
		const key = await served().key();
		for (const path of [...PATHS, HISTORY, "/v1/snapshots"]) {
			const meta = await metaOf(served(), path, key);
			assert.ok(!("scope" in meta) && !("masked" in meta), `${path}: ${JSON.stringify(meta)}`);
			assert.notEqual(meta.truncated, true, path);
		}
	});

	test("name the geography that narrowed it", async () => {
		const key = await served().key({ scope: { geography: CALIFORNIA } });
		for (const path of [...PATHS, HISTORY, "/v1/snapshots"])
			assert.deepEqual((await metaOf(served(), path, key)).scope, { geography: CALIFORNIA }, path);
	});

	test("name the columns that narrowed default rows and statistics, and not asked-for ones", async () => {
		const key = await served().key({ scope: { columns: FEW } });
		for (const path of ["/v1/licenses?limit=1", "/v1/licenses/32200000101", "/v1/stats"])
			assert.deepEqual((await metaOf(served(), path, key)).scope, { columns: FEW }, path);
		for (const path of ["/v1/licenses?limit=1&fields=id", "/v1/states"])
			assert.ok(!("scope" in (await metaOf(served(), path, key))), path);
	});

	test("name the columns without which offices lack members", async () => {
		const columns: readonly ColumnName[] = ["id", "snapshot", "state", "office_name", "member_city"];
		const few = await served().key({ scope: { columns } });
		const granted = COLUMNS.map(({ name }) => name).filter((name) => columns.includes(name));
		assert.deepEqual((await metaOf(served(), "/v1/offices", few)).scope, { columns: granted });
		const members = [...columns, "license_status_group", "office_broker_name"] as const;
		const whole = await served().key({ scope: { columns: members } });
		assert.ok(!("scope" in (await metaOf(served(), "/v1/offices", whole))));
	});

	test("name the columns that narrowed the changes listed, whichever columns rows show", async () => {
		const columns: readonly ColumnName[] = [...FEW, "member_state_license_number"];
		const few = await served().key({ scope: { columns } });
		const tracked = COLUMNS.filter((column) => column.name !== "member_address").map(({ name }) => name);
		const allTracked = await served().key({ scope: { columns: tracked } });
		const granted = COLUMNS.map(({ name }) => name).filter((name) => columns.includes(name));
		for (const path of [
			`${HISTORY}&fields=id`,
			"/v1/changes?limit=1&fields=id",
			"/v1/changes?limit=1&fields=id&field=member_last_name",
		]) {
			assert.deepEqual((await metaOf(served(), path, few)).scope, { columns: granted }, path);
			assert.ok(!("scope" in (await metaOf(served(), path, allTracked))), path);
		}
	});

	test("name the masked columns that are shown", async () => {
		const key = await served().key({ tier: "trial" });
		for (const path of ["/v1/licenses?limit=1", "/v1/licenses/32200000101", HISTORY])
			assert.deepEqual((await metaOf(served(), path, key)).masked, CONTACT, path);
		const one = await metaOf(served(), "/v1/licenses?limit=1&fields=matched_phone,id", key);
		assert.deepEqual(one.masked, ["matched_phone"]);
		assert.ok(!("masked" in (await metaOf(served(), "/v1/licenses?limit=1&fields=id", key))));
	});
});

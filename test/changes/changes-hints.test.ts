/** Hints of changes: by the other row of each license, and on entries that no page reaches (docs/API.md §11.5). */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ColumnName } from "../../formats/index.js";
import { changesResponse } from "../../server/api/schemas/changes-response.js";
import { historyResponse } from "../../server/api/schemas/endpoint-responses.js";
import { monthRows } from "../http/drop-rows.js";
import { publish, ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { callOk, connectClient } from "../mcp/tool-client.js";

/** Licenses that are new in the last month, beside 3 that left an office. */
const NEW = 1_200;
const LEFT = ["CA-10", "CA-11", "CA-12"];

let served: ServedFixture;
let key: string;
before(async () => {
	served = await ServedFixture.start(ANY_TRANSPORT);
	const rows = monthRows("2026-11");
	const others = Array.from({ length: NEW }, (_, i) => ({
		...rows[0],
		member_state_license_number: `NEW-${i}`,
	}));
	const move = (office: string) =>
		rows.map((row) =>
			LEFT.includes(row.member_state_license_number ?? "") ? { ...row, office_name: office } : row,
		);
	await publish(served.dataFolder, "2026-12", move("Left Behind"));
	await publish(served.dataFolder, "2027-01", [...move("Gone Ahead"), ...others]);
	await served.reload();
	key = await served.key();
});
after(() => served.close());

async function hintsOf(query: string) {
	const { meta } = await served.ok(changesResponse, `/v1/changes?from=2026-12&to=2027-01&${query}`, key);
	return (meta.hints ?? []).map(({ param, value, message, nearest }) => ({ param, value, message, nearest }));
}

test("where no entry matches by one row of licenses, those that match by the other are counted", async () => {
	const moved = "kind=gone,changed&field=office_name";
	const [older] = await hintsOf(`office_name_is=Left+Behind&${moved}`);
	assert.deepEqual(older, {
		param: "filters_on",
		value: "newer",
		message: "with filters_on older, these match: 0 new, 3 changed, 0 gone",
		nearest: ["older"],
	});
	const [newer] = await hintsOf(`office_name_is=Gone+Ahead&${moved}&filters_on=older`);
	assert.equal(newer.message, "with filters_on newer, these match: 0 new, 3 changed, 0 gone");
	const [added] = await hintsOf("license_number=NEW-7&filters_on=older");
	assert.equal(added.message, "with filters_on newer, these match: 1 new, 0 changed, 0 gone");
	for (const [query, param] of [
		["office_name_is=Left+Behind&kind=gone", "from"],
		["office_name_is=Nowhere&kind=changed", "office_name_is"],
		["license_number=CA-20&kind=changed", "from"],
	])
		assert.equal((await hintsOf(query))[0].param, param, query);
});

test("the first page of a tool says how many entries match beyond those that the key's pages reach", async () => {
	const months = { from: "2026-12", to: "2027-01" };
	const client = await connectClient(served, key);
	const first = await callOk(client, "license_changes", { ...months, limit: 5 });
	const [hint, ...rest] = (first.meta?.hints ?? []) as { param: string; message: string }[];
	assert.deepEqual([hint.param, rest], ["cursor", []]);
	assert.match(
		hint.message,
		/^1,203 entries match, of which this key's pages reach the first 1,000: narrow them/,
	);
	const second = await callOk(client, "license_changes", {
		...months,
		limit: 5,
		cursor: first.pagination?.next_cursor,
	});
	assert.equal(second.meta?.hints, undefined);
	const few = await callOk(client, "license_changes", { ...months, kind: "changed" });
	assert.equal(few.meta?.hints, undefined);
	await client.close();
	const bulk = await connectClient(served, await served.key({ scope: { bulk: true } }));
	assert.equal((await callOk(bulk, "license_changes", { ...months, limit: 5 })).meta?.hints, undefined);
	await bulk.close();
});

test("a status that changed to another word of its group is no change of the group, which a hint tells", async (t) => {
	const reworded = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => reworded.close());
	const rows = monthRows("2026-11");
	const isActive = ({ state, member_license_status }: (typeof rows)[number]) =>
		state === "TX" && member_license_status === "Active";
	await publish(reworded.dataFolder, "2026-12", rows);
	await publish(
		reworded.dataFolder,
		"2027-01",
		rows.map((row) => (isActive(row) ? { ...row, member_license_status: "Active (Probated)" } : row)),
	);
	await reworded.reload();
	// The key reads changes of one column, as many as there are fields.
	const columns: ColumnName[] = [
		"state",
		"member_state_license_number",
		"member_license_status",
		"license_status_group",
	];
	const narrow = await reworded.key({ scope: { columns, history: { mode: "all" } } });
	const lost = "kind=gone,changed&filters_on=older&status_group=active&state=TX";
	const changesIn = async (field: string) =>
		(await reworded.ok(changesResponse, `/v1/changes?${lost}&field=${field}`, narrow)).meta;
	const changed = rows.filter(isActive).length;
	assert.deepEqual((await changesIn("member_license_status")).totals, { new: 0, gone: 0, changed });
	const { totals, hints } = await changesIn("license_status_group");
	assert.deepEqual(totals, { new: 0, gone: 0, changed: 0 });
	assert.deepEqual(
		hints?.map(({ param, message }) => [param, message]),
		[["field", `without kind and field, these match: 0 new, ${changed} changed, 0 gone`]],
	);
});

test("hints are of the month whose rows filters read: of the older one for licenses that are gone", async (t) => {
	const renamed = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => renamed.close());
	const rows = monthRows("2026-11").map((row) => ({ ...row, state: "TX", member_license_status: "Active" }));
	const city = (spelled: number) =>
		rows.map((row, i) => ({ ...row, member_city: i < spelled ? "HOUSTON" : "Houston" }));
	await publish(renamed.dataFolder, "2026-12", city(7));
	const newer = city(9).slice(0, -3);
	await publish(
		renamed.dataFolder,
		"2027-01",
		newer.map((row) => ({ ...row, member_license_status: "Current" })),
	);
	await renamed.reload();
	const all = await renamed.key();
	const answerOf = async (query: string) =>
		(
			await renamed.ok(
				changesResponse,
				`/v1/changes?from=2026-12&to=2027-01&state=TX&limit=1000&${query}`,
				all,
			)
		).meta;
	const gone = await answerOf("kind=gone&city=Houston");
	assert.ok(gone.totals.gone > 0);
	assert.match(gone.hints?.[0].message ?? "", /^in 2026-12: 7 rows in TX have member_city "HOUSTON"/);
	assert.match((await answerOf("city=Houston")).hints?.[0].message ?? "", /^9 rows in TX have/);
	const none = await answerOf("kind=gone&license_status=Current");
	assert.match(none.hints?.[0].message ?? "", /^in 2026-12: no row in TX has license_status "Current"/);
	// Licenses that are gone were active, and no row of the newer month is: their status was reworded.
	const { totals, hints = [] } = await answerOf("license_status=Active");
	const reworded = (await answerOf("license_status=Active&filters_on=older")).totals;
	assert.deepEqual([totals.changed, totals.gone, reworded.changed > 0], [0, gone.totals.gone, true]);
	assert.match(hints[0].message, new RegExp(`^with filters_on older, .* ${reworded.changed} changed`));
	assert.match(hints[1].message, /^in 2027-01: no row in TX has license_status "Active"/);
	assert.deepEqual(hints[1].nearest, ["Current"]);
});

test("a number of which only an older month has another spelling is found there, as of a license that is gone", async (t) => {
	const dropped = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => dropped.close());
	const rows = monthRows("2026-11").map((row) => ({ ...row, state: "TX" }));
	await publish(dropped.dataFolder, "2026-12", rows);
	await publish(
		dropped.dataFolder,
		"2027-01",
		rows.filter((row) => row.member_state_license_number !== "QC-19"),
	);
	await dropped.reload();
	const all = await dropped.key();
	const historyHint = async (query: string) => {
		const { meta } = await dropped.ok(historyResponse, `/v1/licenses/history?${query}`, all);
		assert.equal(meta.hints?.length, 1, query);
		return meta.hints[0];
	};
	const spelled = await historyHint("state=TX&license_number=qc19");
	assert.deepEqual(
		[spelled.message, spelled.nearest],
		['in 2026-12: no row in TX has license_number "qc19"; it exists in another spelling', ["QC-19"]],
	);
	const elsewhere = await historyHint("state=CA&license_number=TX-3");
	assert.match(elsewhere.message, /^in 2026-11: no row in CA .* but 1 row of another state does/);
	// States without a row in the latest month.
	assert.match((await historyHint("state=CA&license_number=none")).message, /^in 2026-11: no row in CA has/);
	assert.match((await historyHint("state=TX&license_number=none")).message, /^no row in TX has/);
	assert.match((await historyHint("state=YT&license_number=none")).message, /^no row that this key reads/);

	const changesHint = async (query: string) => {
		const path = `/v1/changes?from=2026-12&to=2027-01&state=TX&${query}`;
		const { meta } = await dropped.ok(changesResponse, path, all);
		assert.equal(meta.hints?.length, 1, query);
		return meta.hints[0];
	};
	const gone = await changesHint("license_number=qc19");
	assert.deepEqual([gone.message.slice(0, 12), gone.nearest], ["in 2026-12: ", ["QC-19"]]);
	const newer = await changesHint("license_number=qc18");
	assert.deepEqual([newer.message.slice(0, 10), newer.nearest], ["no row in ", ["QC-18"]]);
	assert.deepEqual((await changesHint("license_number=qc19&kind=changed,new")).nearest, []);
});

test("the other row is not recommended where it finds the same licenses that are gone and no other", async (t) => {
	const shrunk = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => shrunk.close());
	const rows = monthRows("2026-11");
	await publish(shrunk.dataFolder, "2026-12", rows);
	await publish(
		shrunk.dataFolder,
		"2027-01",
		rows.filter(({ state }) => state !== "TX"),
	);
	await shrunk.reload();
	const all = await shrunk.key();
	const { meta } = await shrunk.ok(changesResponse, "/v1/changes?from=2026-12&to=2027-01&state=TX", all);
	assert.ok(meta.totals.gone > 0);
	assert.deepEqual(
		meta.hints?.map(({ param, message }) => [param, message]),
		[["state", "in 2027-01: no row that this key reads is of state TX"]],
	);
});

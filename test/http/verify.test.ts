/** GET /v1/verify: outcomes, bad input, what it counts as, grants (docs/API.md §11.4). */

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { test } from "node:test";
import { EngineError, Snapshot } from "../../engine/index.js";
import { type ColumnName, isSimilarNumber, snapshotFolder, withoutNumberLabel } from "../../formats/index.js";
import { verifyResponse } from "../../server/api/schemas/endpoint-responses.js";
import { overBothTransports, publish, type ServedFixture } from "./served.js";

const FIELDS = "fields=id,state,member_last_name,member_state_license_number";

/** The path that asks for these licenses. */
function path(...licenses: readonly string[]): string {
	return `/v1/verify?${licenses.map((license) => `license=${encodeURIComponent(license)}`).join("&")}&${FIELDS}`;
}

async function entries(served: ServedFixture, key: string, ...licenses: readonly string[]) {
	return (await served.ok(verifyResponse, path(...licenses), key)).data;
}

test("numbers are similar but for case, separators, leading zeros, and letters that one lacks", () => {
	const similar = [
		["01234567", "1234567"],
		["706941", "706941-SA"],
		["tx 706941 sa", "706941-SA"].map((n) => n.replace("tx ", "")),
		["RES.0012345", "12345"],
		["re-12", "RE12"],
		["12345", "12345-94"],
		["REC-0012-0034", "rec120034"],
		["SL1234567", "sl 1234567"],
	];
	for (const [a, b] of similar) {
		assert.ok(isSimilarNumber(a, b), `${a} ${b}`);
		assert.ok(isSimilarNumber(b, a), `${b} ${a}`);
	}
	const others = [
		["706941-SA", "706941-BB"],
		["1234", "12345"],
		["SL12345", "BK12345"],
		["000", "0"],
		["dup", "DUP"],
		["", ""],
		["12345-94", "12345-90"],
	];
	for (const [a, b] of others) assert.ok(!isSimilarNumber(a, b), `${a} ${b}`);
});

test("a label before a number is told from the letters of the number", () => {
	const labels = [
		["Lic. #BK6321580", "FL", "BK6321580"],
		["No. SA602342000", "AZ", "SA602342000"],
		["Real Estate License No: 01234567", "CA", "01234567"],
		["CO-FA.683303198", "CO", "FA.683303198"],
		["n° A1234", "QC", "A1234"],
		["FLSL2462924", "FL", "SL2462924"],
		["SL2462924", "SL"],
		["co-FA.683303198", "FL"],
		["SA602342000", "AZ"],
		["RES.0012345", "TX"],
		["License", "TX"],
		["NO602342", "AZ"],
	];
	for (const [number, state, ...rest] of labels)
		assert.deepEqual(withoutNumberLabel(number, state), rest, number);
});

test("a label before a number that begins with the state's code leaves the code where it may be part of it", () => {
	const labels = [
		["Lic. #WVS7173507", "WV", "S7173507", "WVS7173507"],
		["WV-WVS7173507", "WV", "S7173507", "WVS7173507"],
		["License No. CO-FA.683303198", "CO", "FA.683303198", "CO-FA.683303198"],
	];
	for (const [number, state, ...rest] of labels)
		assert.deepEqual(withoutNumberLabel(number, state), rest, number);
});

overBothTransports("verify", (served) => {
	test("every outcome, one entry for each license in the order given", async () => {
		const key = await served().key();
		const found = await entries(
			served(),
			key,
			"CA:CA-12",
			"ca:CA-12:DE LA CRUZ:given5",
			"CA:CA-12:Smith",
			"CA:ca 0012",
			"TX:12",
			"TX:no-such-number",
			"CA:CA-12",
			"CA:00CA-12",
			"CA:Lic. #CA 12",
			"TX:License No. 12",
		);
		assert.deepEqual(
			found.map(({ outcome }) => outcome),
			"match match mismatch similar similar not_found match similar similar similar".split(" "),
		);
		assert.deepEqual(found[0].input, "CA:CA-12");
		assert.deepEqual(
			found[0].rows.map((row) => row.member_state_license_number),
			["CA-12"],
		);
		assert.deepEqual(found[2].differs, ["member_last_name"]);
		assert.deepEqual(found[3].similar, ["CA-12"]);
		assert.deepEqual(found[4].similar, ["TX-12"]);
		assert.deepEqual(found[5].rows, []);
		assert.deepEqual(found[7].similar, ["CA-12"], "zeros before letters");
		assert.deepEqual([found[8].similar, found[9].similar], [["CA-12"], ["TX-12"]], "labels");
	});

	test("names compare under the loose fold", async () => {
		const key = await served().key();
		const outcomes = (
			await entries(served(), key, "CA:CA-2:GARCIA", "CA:CA-3:obrien", "CA:CA-13:nguyen", "CA:CA-3:Brian")
		).map(({ outcome }) => outcome);
		assert.deepEqual(outcomes, ["match", "match", "match", "mismatch"]);
	});

	test("a state outside the grant is out of scope, whether or not it has the number", async () => {
		const key = await served().key({ scope: { geography: { countries: [], states: ["TX"] } } });
		const found = await entries(served(), key, "CA:CA-12", "CA:CA-99999", "CA:12", "TX:TX-12");
		assert.deepEqual(
			found.map(({ outcome, rows, similar }) => [outcome, rows.length, similar.length]),
			[
				["out_of_scope", 0, 0],
				["out_of_scope", 0, 0],
				["out_of_scope", 0, 0],
				["match", 1, 0],
			],
		);
	});

	test("a name is a 403 for a key that does not read names, and rows show what it reads", async () => {
		const columns = ["state", "member_state_license_number"] as const;
		const key = await served().key({ scope: { columns: [...columns] } });
		const refusal = await served().refused("/v1/verify?license=CA:CA-12:Smith", key);
		assert.deepEqual([refusal.status, refusal.code, refusal.param], [403, "scope_denied", "license"]);
		const { data } = await served().ok(verifyResponse, "/v1/verify?license=CA:CA-12", key);
		assert.deepEqual(
			Object.keys(data[0].rows[0]).filter((name) => name !== "id" && name !== "snapshot"),
			[...columns],
		);
	});

	test("rows of one number are told apart by the names that the key reads", async () => {
		const row = (number: string, last: string, first: string, full: string) => ({
			state: "CA",
			member_state_license_number: number,
			member_last_name: last,
			member_first_name: first,
			member_full_name: full,
		});
		await publish(served().dataFolder, "2026-12", [
			row("1", "Lee", "Kim", "Kim Lee"),
			row("1", "Lee", "Kim A.", "Kim A. Lee"),
			row("2", "Lee", "Kim", ""),
			row("2", "Roe", "Ann", ""),
			row("3", "", "", "Best Homes LLC"),
			row("3", "", "", "Other Homes LLC"),
			row("4", "", "", "Best Homes LLC"),
			row("4", "", "", "BEST HOMES, LLC"),
			row("5", "Dup", "", "Dup One"),
			row("5", "Dup", "", "Dup Two"),
		]);
		await served().reload();
		const outcomes = async (columns: ColumnName[] | null) => {
			const key = await served().key({ scope: { columns } });
			const asked = ["1", "2", "3", "4", "5"].map((number) => `license=CA:${number}`).join("&");
			const { data } = await served().ok(verifyResponse, `/v1/verify?${asked}&fields=state`, key);
			return data.map(({ outcome }) => outcome);
		};
		assert.deepEqual(await outcomes(null), ["match", "ambiguous", "ambiguous", "match", "ambiguous"]);
		const columns: ColumnName[] = ["state", "member_state_license_number"];
		assert.deepEqual(await outcomes(columns), Array(5).fill("match"), "nothing of names shows");
		assert.deepEqual(await outcomes([...columns, "member_last_name"]), [
			"match",
			"ambiguous",
			"match",
			"match",
			"match",
		]);
		rmSync(snapshotFolder(served().dataFolder, "2026-12"), { recursive: true });
		await served().reload();
	});

	test("names are looked for in the full name of a row that has no parts of it", async () => {
		const row = (number: string, full: string, last = "", first = "") => ({
			state: "CT",
			member_state_license_number: number,
			member_last_name: last,
			member_first_name: first,
			member_full_name: full,
		});
		await publish(served().dataFolder, "2026-12", [
			row("1", "CARLA JEAN ZIMMERMAN"),
			row("2", "DE LA CRUZ, MARÍA"),
			row("3", "LEE LEE"),
			row("4", "", "", ""),
			row("5", "KIM ROE", "ROE"),
			row("6", "HELEN ANNE COFFMAN-TVEDT"),
			row("7", "DI PASQUALE, JEAN-LUC"),
		]);
		await served().reload();
		const asked = {
			"CT:1:Zimmerman:Carla": [],
			"CT:1:zimmerman:Carla Jean": [],
			"CT:1:Smith:Carla": ["member_last_name"],
			"CT:1:Zimmerman:Karen": ["member_first_name"],
			"CT:1:Zimmer": ["member_last_name"],
			"CT:1:-": ["member_last_name"],
			"CT:2:De La Cruz:Maria": [],
			"CT:3:Lee:Lee": [],
			"CT:3:Lee Lee:Lee": ["member_first_name"],
			"CT:4:Lee:Kim": ["member_last_name", "member_first_name"],
			"CT:5:Roe:Kim": [],
			"CT:5:Kim:Kim": ["member_last_name"],
			"CT:6:Coffman Tvedt:HelenAnne": [],
			"CT:6:Anne Coffman Tvedt:Anne": ["member_first_name"],
			"CT:6:Coffman:Helen": ["member_last_name"],
			"CT:7:DiPasquale:Jean Luc": [],
			"CT:7:Pasquale:Jeanluc": [],
			"CT:7:DiPasqual:Jean": ["member_last_name", "member_first_name"],
		};
		const key = await served().key();
		const found = await entries(served(), key, ...Object.keys(asked));
		for (const { input, outcome, differs } of found) {
			const expected: readonly string[] = asked[input as keyof typeof asked];
			assert.deepEqual(
				[outcome, differs],
				[expected.length === 0 ? "match" : "mismatch", expected],
				String(input),
			);
		}
		const reads: ColumnName[] = ["state", "member_state_license_number", "member_last_name", "id"];
		const narrow = await served().key({ scope: { columns: reads } });
		const [entry] = await entries(served(), narrow, "CT:1:Zimmerman");
		assert.equal(entry.outcome, "mismatch", "what a key does not read is not compared with");
		rmSync(snapshotFolder(served().dataFolder, "2026-12"), { recursive: true });
		await served().reload();
	});

	test("bad input is a 400 that says what and where", async () => {
		const key = await served().key();
		const cases: readonly (readonly [string, RegExp])[] = [
			["/v1/verify", /license/],
			["/v1/verify?license=CA-12", /STATE:NUMBER/],
			["/v1/verify?license=CA::Smith", /STATE:NUMBER/],
			["/v1/verify?license=CA:1:a:b:c", /STATE:NUMBER/],
			["/v1/verify?license=XX:12", /no state or province "XX"/],
			["/v1/verify?license=CA:1,CA:2", /several licenses between commas/],
			["/v1/verify?license=CA:1:Smith,+tx:TX-2:Roe,TX:3", /several licenses between commas/],
			["/v1/verify?license=CA:1&license=Q", /number 2 must be written/],
			[
				`/v1/verify?${Array.from({ length: 101 }, (_, i) => `license=CA:${i}`).join("&")}`,
				/at most 100 licenses; got 101/,
			],
			["/v1/verify?license=CA:1&state=CA", /state/],
		];
		for (const [asked, message] of cases) {
			const refusal = await served().refused(asked, key);
			assert.deepEqual([refusal.status, refusal.code], [400, "invalid_parameter"], asked);
			assert.match(refusal.message, message, asked);
		}
		const doctor = await entries(served(), key, "CA:CA-1,2:Smith,+MD:Given3");
		assert.equal(doctor.length, 1, "a title after a comma is no state");
	});

	test("a query string holds 100 licenses in 16,384 characters, and no more", async () => {
		const key = await served().key();
		const query = (length: number) => {
			const others = Array.from({ length: 99 }, (_, i) => `license=CA:${String(i).padStart(150, "9")}`).join(
				"&",
			);
			return `${others}&license=CA:${"9".repeat(length - others.length - "&license=CA:".length)}`;
		};
		const longest = await served().ok(verifyResponse, `/v1/verify?${query(16_384)}`, key);
		assert.equal(longest.data.length, 100);
		const refusal = await served().refused(`/v1/verify?${query(16_385)}`, key);
		assert.deepEqual([refusal.status, refusal.code], [400, "invalid_parameter"]);
		assert.match(refusal.message, /query string is longer than 16384 characters/);
	});

	test("every ten licenses begun count as one request, and none are counted beyond the limit", async (t) => {
		const key = await served().key({ rate_limits: { per_minute: 12 } });
		const remaining = async (count: number) => {
			const asked = path(...Array.from({ length: count }, (_, i) => `CA:CA-${i}`));
			const { status, headers } = await served().request(asked, key);
			return [status, headers.get("ratelimit-remaining")];
		};
		assert.deepEqual(await remaining(10), [200, "11"]);
		assert.deepEqual(await remaining(11), [200, "9"]);
		assert.deepEqual(await remaining(1), [200, "8"]);
		const verified = t.mock.method(Snapshot.prototype, "verifyLicense");
		assert.deepEqual(await remaining(100), [429, "8"]);
		assert.equal(verified.mock.callCount(), 0, "nothing is done for what is refused");
		assert.equal((await served().request(path("CA:CA-1"), key)).status, 200);
		assert.equal(verified.mock.callCount(), 1);
	});

	test("a request for more licenses than a limit ever has room for is told how many one request has", async () => {
		const key = await served().key({ rate_limits: { per_minute: 2 } });
		const refusal = await served().refused(path(...Array.from({ length: 21 }, (_, i) => `CA:CA-${i}`)), key);
		assert.deepEqual([refusal.status, refusal.code], [429, "rate_limited"]);
		assert.match(refusal.message, /waiting does not help.* One request has room for 20 licenses\.$/);
	});

	test("a request for several that fails counts as one", async (t) => {
		const key = await served().key({ rate_limits: { per_minute: 12 } });
		t.mock.method(Snapshot.prototype, "verifyLicense", () => {
			throw new EngineError("no_number_index", "as in a month of the first version");
		});
		const asked = path(...Array.from({ length: 50 }, (_, i) => `CA:CA-${i}`));
		const { status, headers } = await served().request(asked, key);
		assert.deepEqual([status, headers.get("ratelimit-remaining")], [501, "11"]);
	});
});

/** Every parameter of every endpoint, given in every wrong form: 400, naming the parameter and the rule. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { OPERATIONS } from "../../server/api/operation-table.js";
import { overBothTransports, type ServedFixture } from "./served.js";

/** Parameters that an endpoint requires besides the one under test. */
const NEEDED: Readonly<Record<string, string>> = { "/v1/suggest": "field=city&q=sa" };

const TOO_LONG = "a".repeat(1_001);

/** Values that are wrong for any parameter, by the fault. */
const WRONG_FOR_ALL: readonly (readonly [string, string, RegExp])[] = [
	["empty", "", /is empty/],
	["blank", "%20%20", /is empty/],
	["over 1,000 characters", TOO_LONG, /longer than 1,000 characters/],
	["over 1,000 characters of four bytes", "%F0%9F%98%80".repeat(1_001), /longer than 1,000 characters/],
	["broken percent-encoding", "a%zz", /broken percent-encoding/],
	["a lone percent sign", "50%", /broken percent-encoding/],
	["bytes that are not UTF-8", "%ff%fe", /not valid UTF-8/],
	["an overlong UTF-8 form", "%c0%af", /not valid UTF-8/],
	["a surrogate in UTF-8", "%ed%a0%80", /not valid UTF-8/],
	["NUL", "a%00b", /control characters/],
	["a line feed", "a%0Ab", /control characters/],
	["DEL", "a%7Fb", /control characters/],
	["a C1 control", "a%C2%85b", /control characters/],
];

/** Values that are wrong for one parameter: query string, parameter, rule. */
const WRONG: readonly (readonly [string, string, string, RegExp])[] = [
	["/v1/licenses", "page=0", "page", /whole number from 1 to 50,000/],
	["/v1/licenses", "page=-1", "page", /whole number/],
	["/v1/licenses", "page=1.5", "page", /whole number/],
	["/v1/licenses", "page=1e3", "page", /whole number/],
	["/v1/licenses", "page=abc", "page", /whole number/],
	["/v1/licenses", "page=99999999999999999999", "page", /whole number/],
	["/v1/licenses", "page=%2B1", "page", /whole number/],
	["/v1/licenses", "page=%EF%BC%91", "page", /whole number/],
	["/v1/licenses", "limit=0", "limit", /whole number from 1 to 1,000/],
	["/v1/licenses", "limit=1001", "limit", /whole number from 1 to 1,000/],
	[
		"/v1/licenses",
		"limit=100001",
		"limit",
		/1 to 1,000, or to 100,000 with cursor and format=csv or ndjson;/,
	],
	["/v1/licenses", "limit=ten", "limit", /whole number/],
	["/v1/licenses", "page=51&limit=1000", "page", /may not exceed 50,000 rows/],
	["/v1/licenses", "page=501", "page", /may not exceed 50,000 rows/],
	[
		"/v1/licenses",
		"offset=50",
		"offset",
		/"offset": rows are paged by page, which is offset \/ limit \+ 1\. The/,
	],
	["/v1/changes", "offset=50", "offset", /"offset": rows are paged by cursor, pagination\.next_cursor of/],
	["/v1/states", "offset=50", "offset", /no parameter "offset"\. The/],
	["/v1/licenses", "order=ASC", "order", /one of asc, desc.*did you mean "asc"/],
	["/v1/licenses", "order=up", "order", /one of asc, desc/],
	["/v1/licenses", "count=FALSE", "count", /true or false/],
	["/v1/licenses", "count=0", "count", /true or false/],
	["/v1/licenses", "format=CSV", "format", /one of json, csv, ndjson.*did you mean "csv"/],
	["/v1/licenses", "format=xml", "format", /one of json, csv, ndjson/],
	["/v1/licenses", "sort=member_email", "sort", /no sort column "member_email".*sort columns are id, /],
	["/v1/licenses", "sort=-member_last_name", "sort", /order: member_last_name with order desc\. The/],
	["/v1/licenses", "sort=member_last_name%20asc", "sort", /order: member_last_name with order asc\. The/],
	[
		"/v1/licenses",
		"fields=-member_last_name",
		"fields",
		/no column "-member_last_name"; did you mean "member_last_name"/,
	],
	["/v1/aggregate", "by=license_status_group", "by", /did you mean "status_group"/],
	["/v1/aggregate", "by=zip", "by", /did you mean "member_postal_code"\? The dimensions/],
	["/v1/aggregate", "by=brokerage", "by", /did you mean "office_name"/],
	["/v1/licenses", "format=jsonl", "format", /did you mean "ndjson"/],
	["/v1/licenses", "name_is=Lee", "name_is", /did you mean "name" or "last_name"/],
	["/v1/licenses", "licensed_since=2010-01-01", "licensed_since", /did you mean "first_issued_after"\?/],
	["/v1/aggregate", "count_by=state", "count_by", /did you mean "by"\?/],
	["/v1/licenses", "expires_within_days=30", "expires_within_days", /did you mean "expires_before"/],
	["/v1/licenses", "office_name_contains=lee", "office_name_contains", /did you mean "office_name"/],
	["/v1/licenses", "fields=zip_code", "fields", /did you mean "member_postal_code"\? The columns/],
	["/v1/licenses", "fields=status_group", "fields", /did you mean "license_status_group"/],
	["/v1/changes", "field=status_group", "field", /did you mean "license_status_group"\? The tracked/],
	["/v1/changes", "field=type_group", "field", /did you mean "member_type_group"/],
	["/v1/licenses", "state=N.Y.", "state", /did you mean "NY"/],
	["/v1/licenses", "state=Calif.", "state", /did you mean "CA"/],
	["/v1/licenses", "state=Washington%20D.C.", "state", /did you mean "DC"/],
	["/v1/licenses", "state=Tex", "state", /did you mean "TX"/],
	["/v1/licenses", "state=P.E.I.", "state", /did you mean "PE"/],
	["/v1/licenses", "state=Colombie-Britannique", "state", /did you mean "BC"/],
	["/v1/licenses", "state=US-TX", "state", /did you mean "TX"/],
	["/v1/licenses", "state=Texas+(TX)", "state", /did you mean "TX"/],
	["/v1/licenses", "state=State+of+Texas", "state", /did you mean "TX"/],
	["/v1/licenses", "state=Canada", "state", /province "Canada": it is a country\. The/],
	["/v1/licenses", "state=new", "state", /no state or province "new"\. The/],
	["/v1/licenses", "state=PQ", "state", /did you mean "QC"/],
	["/v1/licenses", "sort=Member_Last_Name", "sort", /did you mean "member_last_name"/],
	["/v1/licenses", "sort=id,,state", "sort", /item of the list is empty/],
	[
		"/v1/licenses",
		"fields=member_frist_name",
		"fields",
		/did you mean "member_first_name".*columns are id, /,
	],
	["/v1/licenses", "fields=*", "fields", /no column/],
	["/v1/licenses", "fields=id,", "fields", /item of the list is empty/],
	["/v1/licenses", "state=XX", "state", /no state or province "XX".*codes are AL, /],
	["/v1/licenses", "state=Texas", "state", /did you mean "TX"/],
	["/v1/licenses", "state=CA,XX", "state", /no state or province "XX"/],
	["/v1/licenses", "state=CA,,TX", "state", /item of the list is empty/],
	["/v1/licenses", "country=USA", "country", /must be US or CA.*did you mean "US"/],
	["/v1/licenses", "country=United+States", "country", /must be US or CA.*did you mean "US"\?/],
	["/v1/licenses", "country=canada", "country", /must be US or CA.*did you mean "CA"\?/],
	["/v1/licenses", "country=UK", "country", /must be US or CA; got "UK"$/],
	["/v1/licenses", "country=California", "country", /must be US or CA; got "California"$/],
	["/v1/licenses", "country=US,CA", "country", /must be US or CA/],
	["/v1/licenses", "issued_after=2026-02-30", "issued_after", /calendar date written YYYY-MM-DD/],
	["/v1/licenses", "issued_before=2026-1-1", "issued_before", /calendar date/],
	["/v1/licenses", "expires_after=01/02/2026", "expires_after", /calendar date/],
	["/v1/licenses", "expires_before=2026-13-01", "expires_before", /calendar date/],
	["/v1/licenses", "first_issued_after=0000-01-01", "first_issued_after", /calendar date/],
	["/v1/licenses", "first_issued_before=tomorrow", "first_issued_before", /calendar date/],
	["/v1/licenses", "expires_after=2026-02-01&expires_before=2026-01-01", "expires_after", /later than/],
	["/v1/licenses", "issued_after=2026-02-01&issued_before=2026-01-01", "issued_after", /later than/],
	["/v1/licenses", "zip=90001&postal_code=90001", "zip", /the same filter/],
	["/v1/licenses", "snapshot=2026-13", "snapshot", /month written YYYY-MM/],
	["/v1/licenses", "snapshot=latest", "snapshot", /month written YYYY-MM/],
	["/v1/licenses", "lastname=smith", "lastname", /did you mean "last_name"/],
	["/v1/licenses", "license_state=CA", "license_state", /did you mean "state"\?/],
	[
		"/v1/licenses",
		"state_not=CA",
		"state_not",
		/only type_not, city_not, status_not leave values out; .*\. The parameters/,
	],
	["/v1/licenses", "office_date=2026-01-01", "office_date", /no parameter "office_date"\. The parameters/],
	["/v1/licenses", "license_type=Broker", "license_type", /did you mean "member_type" or "type_group"\?/],
	["/v1/licenses", "license_no=12", "license_no", /did you mean "license_number"\?/],
	["/v1/licenses", "firm=x", "firm", /did you mean "office_name"\?/],
	["/v1/licenses", "pagesize=5", "pagesize", /did you mean "limit"\?/],
	["/v1/licenses", "sortBy=id", "sortBy", /did you mean "sort"\?/],
	["/v1/changes", "form=csv", "form", /no parameter "form"\. The/],
	["/v1/licenses", "town=x", "town", /did you mean "city"\?/],
	["/v1/licenses", "states=CA", "states", /did you mean "state"\?/],
	["/v1/licenses", "expiry_date=x", "expiry_date", /did you mean "expires_after" or "expires_before"\?/],
	["/v1/licenses", "expiration_before=x", "expiration_before", /did you mean "expires_before"\?/],
	["/v1/licenses", "has_email=true", "has_email", /did you mean "present"\?/],
	["/v1/licenses", "as_of=2026-11-30", "as_of", /did you mean "snapshot"\?/],
	["/v1/licenses", "top=5", "top", /did you mean "limit"\?/],
	["/v1/licenses", "type_group=realtor", "type_group", /did you mean "salesperson" or "broker"\?/],
	["/v1/licenses", "type_group=agents", "type_group", /did you mean "salesperson"\?/],
	["/v1/licenses", "status_group=not+active", "status_group", /did you mean "inactive"\?/],
	["/v1/licenses", "member_type_group=broker", "member_type_group", /is filtered by type_group\. The/],
	["/v1/changes", "from_month=2026-10", "from_month", /did you mean "from"\?/],
	["/v1/changes", "kind=added", "kind", /no kind "added"; did you mean "new"\?/],
	["/v1/changes", "kind=lapsed", "kind", /no kind "lapsed"; did you mean "changed"\?/],
	["/v1/changes", "kind=removed", "kind", /did you mean "gone"\?/],
	["/v1/changes", "field=expiry", "field", /did you mean "member_license_expires"\? The tracked/],
	["/v1/aggregate", "by=state&min_size=5", "min_size", /did you mean "min_count"\?/],
	["/v1/aggregate", "by=expiry_month", "by", /did you mean "expires_month"\?/],
	["/v1/suggest", "field=member_city&q=au", "field", /did you mean "city"\?/],
	["/v1/suggest", "field=city&query=au", "query", /did you mean "q"\?/],
	["/v1/licenses", "filter[state]=CA", "filter[state]", /did you mean "state"\?/],
	["/v1/licenses", "expires_before[lte]=x", "expires_before[lte]", /did you mean "expires_before"\?/],
	["/v1/licenses", "status_group=active,pending", "status_group", /one by one, not between commas$/],
	["/v1/licenses", "agent=smith", "agent", /did you mean "name"\?/],
	["/v1/offices", "agent_name=smith", "agent_name", /no parameter "agent_name"\. The/],
	["/v1/offices", "q=smith", "q", /did you mean "name"\?/],
	["/v1/licenses", "lname=smith", "lname", /did you mean "last_name"\?/],
	["/v1/licenses", "frist_name=jo", "frist_name", /did you mean "first_name"\?/],
	["/v1/licenses", "api_key=rc_secret", "api_key", /not read from the query string/],
	["/v1/licenses", "__proto__=1", "__proto__", /no parameter/],
	["/v1/licenses", "constructor=1", "constructor", /no parameter/],
	["/v1/licenses", "=1", "", /no parameter ""/],
	["/v1/licenses/32200000001", "id=5", "id", /given in the path/],
	["/v1/licenses/32200000001", "page=1", "page", /no parameter "page"\. The parameters are fields$/],
	["/v1/licenses/32200000001", "page=", "page", /The parameters are fields$/],
	["/v1/exports/2026-11/CA.parquet", "snapshot=2026-11", "snapshot", /given in the path/],
	["/v1/exports/2026-11/CA.parquet", "format=csv", "format", /no parameter "format"; none is taken here$/],
	["/v1/licenses/abc", "", "id", /an integer/],
	["/v1/licenses/1.0", "", "id", /an integer/],
	["/v1/licenses/1e3", "", "id", /an integer/],
	["/v1/licenses/--1", "", "id", /an integer/],
	["/v1/licenses/%31", "", "id", /an integer/],
	["/v1/licenses/history", "", "license_number", /state and license_number, or id/],
	["/v1/licenses/history", "state=CA", "license_number", /state requires license_number/],
	["/v1/licenses/history", "license_number=CA-1", "state", /license_number requires state/],
	["/v1/licenses/history", "id=32200000001&state=CA&license_number=CA-1", "id", /not both/],
	["/v1/licenses/history", "id=x", "id", /an integer/],
	["/v1/licenses/history", "state=CA,TX&license_number=1", "state", /no state or province "CA,TX"/],
	["/v1/suggest", "field=city&q=sa&field=office", "field", /given more than once; give it once$/],
	["/v1/offices", "sort=rows&sort=office_name", "sort", /given more than once; give it once$/],
	["/v1/licenses", "sort=id&sort=state", "sort", /give it once, with commas between its values$/],
	["/v1/licenses", "fields=id&fields=state", "fields", /give it once, with commas between its values$/],
	["/v1/licenses", "fields=id&cursor=*&fields=state", "fields", /with commas between its values$/],
	["/v1/suggest", "", "field", /field is required/],
	["/v1/suggest", "field=city", "q", /q is required/],
	["/v1/suggest", "field=city&q=s", "q", /at least 2 characters/],
	["/v1/suggest", "field=city&q=%F0%9F%98%80", "q", /at least 2 characters/],
	["/v1/suggest", "field=City&q=sa", "field", /one of city, last_name, office|one of/],
	["/v1/suggest", "field=city&q=sa&limit=21", "limit", /whole number from 1 to 20/],
	["/v1/suggest", "field=city&q=sa&state=CA,TX", "state", /no state or province/],
	["/v1/usage", "days=0", "days", /whole number from 1 to 90/],
	["/v1/usage", "days=91", "days", /whole number from 1 to 90/],
	["/v1/usage", "days=week", "days", /whole number/],
	["/v1/states", "country=MX", "country", /must be US or CA/],
	["/v1/stats", "snapshot=2026", "snapshot", /month written YYYY-MM/],
	["/v1/me", "x=1", "x", /none is taken here/],
	["/v1/snapshots", "page=1", "page", /none is taken here/],
];

/** Other words that a swap makes of a name. */
const SWAPPED_TO_ANOTHER: ReadonlySet<string> = new Set(["form"]);

/** `name` with two adjacent letters swapped, at each place; none of names so short that any other is near. */
function swappedNames(name: string): string[] {
	if (name.length < 3) return [];
	return [...name.slice(1)]
		.map((letter, i) => `${name.slice(0, i)}${letter}${name[i]}${name.slice(i + 2)}`)
		.filter((swapped) => swapped !== name && !SWAPPED_TO_ANOTHER.has(swapped));
}

function pathOf(endpoint: string): string {
	return endpoint.replace("{id}", "32200000001").replace("{snapshot}/{file}", "2026-11/CA.parquet");
}

async function assertRefused(
	served: ServedFixture,
	key: string,
	path: string,
	param: string,
	rule: RegExp,
): Promise<void> {
	const refusal = await served.refused(path, key);
	assert.equal(refusal.status, 400, `${path}: ${refusal.message}`);
	assert.equal(refusal.code, "invalid_parameter");
	assert.match(refusal.message, rule);
	assert.equal(refusal.param, param, refusal.message);
	if (param !== "" && !param.startsWith("api")) assert.ok(refusal.message.includes(param), refusal.message);
}

overBothTransports("parameters", (served) => {
	let key: Promise<string> | null = null;
	/** One key without limits, since the table would exceed them. */
	function anyKey(): Promise<string> {
		key ??= served().key({ rate_limits: { per_minute: null, per_day: null, monthly_quota: null } });
		return key;
	}

	for (const { endpoint, parameters, repeatable, pathParameter } of OPERATIONS) {
		for (const name of Object.keys(parameters.shape)) {
			if (pathParameter?.split("/").includes(name)) continue;
			test(`${endpoint} refuses ${name} in every wrong form`, async () => {
				const token = await anyKey();
				const others = (NEEDED[endpoint] ?? "").split("&").filter((pair) => !pair.startsWith(`${name}=`));
				const ask = (...pairs: string[]) =>
					`${pathOf(endpoint)}?${[...others, ...pairs].filter((pair) => pair !== "").join("&")}`;
				for (const [, value, rule] of WRONG_FOR_ALL)
					await assertRefused(served(), token, ask(`${name}=${value}`), name, rule);
				await assertRefused(served(), token, ask(name), name, /is empty/);
				if (repeatable?.has(name) !== true) {
					await assertRefused(served(), token, ask(`${name}=1`, `${name}=1`), name, /more than once/);
				}
				const variant = name.toUpperCase();
				await assertRefused(
					served(),
					token,
					ask(`${variant}=1`),
					variant,
					new RegExp(`did you mean "${name}"`),
				);
				for (const swapped of swappedNames(name).filter((each) => !(each in parameters.shape)))
					await assertRefused(served(), token, ask(`${swapped}=1`), swapped, /did you mean "/);
			});
		}
	}

	for (const [path, query, param, rule] of WRONG) {
		test(`${path}?${query.slice(0, 60)} is refused`, async () => {
			await assertRefused(served(), await anyKey(), query === "" ? path : `${path}?${query}`, param, rule);
		});
	}

	test("faults of parameters come before what the grant refuses", async () => {
		const token = await served().key({ scope: { geography: { countries: [], states: ["CA"] } } });
		for (const [path, param] of [
			["/v1/licenses?cursor=*&page=2", "page"],
			["/v1/licenses?cursor=*&limit=1001", "limit"],
			["/v1/licenses?cursor=*&issued_after=2026-02-01&issued_before=2026-01-01", "issued_after"],
			["/v1/aggregate?by=state&cursor=*&issued_after=2026-02-01&issued_before=2026-01-01", "issued_after"],
			["/v1/offices?cursor=*&limit=200&page=251", "page"],
			["/v1/changes?state=TX&from=2026-11&to=2026-10", "from"],
			["/v1/changes?cursor=*&limit=1001", "limit"],
		])
			await assertRefused(served(), token, path, param, /./);
	});

	test("an overlong query string is refused", async () => {
		const refusal = await served().refused(`/v1/licenses?city=${"%41".repeat(6_000)}`, await anyKey());
		assert.equal(refusal.status, 400);
	});

	test("form encoding is read: plus is a space, percent-encoded UTF-8 is text, empty pairs are nothing", async () => {
		const token = await anyKey();
		const total = async (query: string) => {
			const { text } = await served().request(`/v1/licenses?limit=1&${query}`, token);
			return JSON.parse(text).pagination.total as number;
		};
		assert.equal(await total("city=San+Jos%C3%A9"), await total("city=San%20Jos%c3%a9"));
		assert.ok((await total("city=San+Jos%C3%A9")) > 0);
		assert.ok((await total("&&city=Austin&&")) > 0);
		assert.equal(await total("last_name=GARC%C3%8DA"), await total("last_name=garc%C3%ADa"));
	});
});

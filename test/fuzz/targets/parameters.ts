/**
 * Query strings and path values of every endpoint, for keys of several grants. Model: an answer is 200,
 * 304, 400, 403, 404, 414 or 429; an error is well-formed, has the status of its code and names its
 * parameter; a page agrees with its pagination; and a query that was read, serialised from what was
 * read, is read as the same.
 */

import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { COLUMNS, JURISDICTIONS } from "../../../formats/index.js";
import { type LicensesRequest, licensesOperation } from "../../../server/api/endpoints/licenses.js";
import { ApiError, ERROR_STATUS } from "../../../server/api/errors.js";
import { OPERATIONS } from "../../../server/api/operation-table.js";
import { decodeQuery } from "../../../server/api/parameters/request-query.js";
import { Grant } from "../../../server/api/scope/grant.js";
import { MONTHS } from "../../http/drop-rows.js";
import type { Draw } from "../../oracle/draw.js";
import type { FuzzTarget } from "../fuzzer.js";
import { mutateText } from "../mutations.js";
import { bodyOf, errorOf, ServedTarget } from "./served-target.js";

const STATUSES = new Set([200, 304, 400, 403, 404, 414, 429]);
/** Longer targets are tested by the HTTP suite. */
const TARGET_LENGTH_MAX = 8_000;

const PATHS = OPERATIONS.map(({ endpoint }) =>
	endpoint.replace("{id}", "32300000001").replace("{snapshot}/{file}", "2026-11/CA.parquet"),
);
const NAMES = [...new Set(OPERATIONS.flatMap(({ parameters }) => Object.keys(parameters.shape)))];
const VALUES: readonly string[] = [
	...COLUMNS.map((column) => column.name),
	...JURISDICTIONS.slice(0, 6).map((jurisdiction) => jurisdiction.state),
	...MONTHS,
	..."ON CA TX US city office last_name rows office_name ON:ON-1 CA:1:Smith active broker asc desc true false json csv ndjson Austin Licensed sm".split(
		" ",
	),
	..."0 1 2 10 100 1000 50000 32300000001 32200000007 2026-01-01 2027-06-30 ON,CA id,state".split(" "),
	..."%00 %ff %C3%A9 %e2%80%a8 %F0%9F%98%80 %2C %26 %3D + %20".split(" "),
];

const SEEDS = [
	"0/v1/licenses?state=ON&sort=member_last_name&order=desc&limit=5",
	"1/v1/licenses?last_name=sm&country=CA&count=false&page=2&limit=3&format=csv",
	"2/v1/licenses?office_name=sm&fields=id,state&format=ndjson",
	"3/v1/licenses?expires_after=2026-01-01&expires_before=2027-01-01",
	"0/v1/licenses?zip=90001&license_status=Licensed&member_type=Broker&city=Austin",
	"0/v1/licenses?license_status=Licensed&license_status=Expired&status_not=x&city_not=Austin&city_not=Dallas",
	"0/v1/licenses?present=office_name,member_email&missing=agent_count&status_group=active&postal_prefix=9",
	"1/v1/licenses?first_name=a&last_name=s&last_name=m&office_name_is=smart&type_not=Broker&state=CA&state=TX",
	"0/v1/aggregate?by=state,license_status&top=5&min_count=2&country=US",
	"2/v1/aggregate?by=expires_month&office_name=s&snapshot=2026-10",
	"0/v1/aggregate?by=office_name&compare=2026-10&sort=growth&min_count=2&state=ON",
	"0/v1/licenses?name=jhon+smith&state=ON&type_group=broker",
	"1/v1/licenses?name=De+La+Cruz,+Jos%C3%A9&sort=office_name",
	"0/v1/licenses?city=montreal&last_name=nunez&license_number=ON1",
	"0/v1/verify?license=ON:ON-1&license=CA:1:Smith:Ann&fields=id",
	"2/v1/verify?license=CA%3ACA-1%3Aobrien&snapshot=2026-10",
	"0/v1/offices?office_name=sm&city=Austin&sort=office_name&limit=2&page=2",
	"1/v1/offices?name=hoems+smart&state=CA&state=TX",
	"0/v1/suggest?field=office&q=hoems",
	"0/v1/licenses/32300000001?fields=id",
	"0/v1/licenses/history?state=ON&license_number=ON-1",
	"0/v1/licenses/history?id=32300000001&fields=id,office_name",
	"0/v1/suggest?field=city&q=au&state=TX&limit=3&snapshot=2026-10",
	"1/v1/states?country=CA",
	"3/v1/stats?snapshot=2026-11",
	"0/v1/usage?days=7",
	"2/v1/me",
	"0/v1/snapshots",
	"0/v1/health",
];

/** A bug planted on request, to show that it is detected. */
function planted(status: number, query: string): number {
	if (!query.includes("sort=")) return status;
	if (!query.includes("fields=")) return status;
	if (!query.includes("count=")) return status;
	return 500;
}

export async function parametersTarget(faulty: boolean): Promise<FuzzTarget> {
	const server = await ServedTarget.start();
	return {
		name: "parameters",
		covers: ["/dist/server/api/", "/dist/engine/", "/dist/test/fuzz/targets/parameters.js"],
		seeds: SEEDS,
		mutate: mutateTarget,
		async run(input) {
			const key = server.keys[Number(input[0])] ?? server.keys[0];
			const target = sendable(input.slice(1));
			const received = await server.ask(
				`GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`,
			);
			const text = bodyOf(received);
			const query = target.includes("?") ? target.slice(target.indexOf("?") + 1) : "";
			const status = faulty ? planted(received.status, query) : received.status;
			assert.ok(STATUSES.has(status), `status ${status} of ${target}`);
			if (status >= 400) checkRefusal(status, text, query);
			else if (target.startsWith("/v1/licenses?")) checkList(query, received.head, text);
		},
		close: () => server.close(),
	};
}

/** As bytes that a request line may contain, UTF-8; starts with a slash. */
function sendable(target: string): string {
	const path = target.startsWith("/") ? target : `/${target}`;
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters end a request line
	const spaceless = path.replaceAll(/[\u0000-\u0020\u007f]/g, (c) => encodeURIComponent(c));
	return Buffer.from(spaceless.slice(0, TARGET_LENGTH_MAX), "utf8").toString("latin1");
}

function checkRefusal(status: number, text: string, query: string): void {
	const { code, message, param } = errorOf(text);
	assert.equal(ERROR_STATUS[code as keyof typeof ERROR_STATUS], status);
	if (code !== "invalid_parameter") return;
	// The parameter at fault is named where there is one; faults of the query as a whole say so.
	if (param === undefined) assert.match(message, /query string|parameter's name|target/, query);
	// Long names are truncated in messages.
	else assert.ok(message.includes(param.slice(0, 40)) || /[^\w-]/.test(param), `${message} names ${param}`);
}

const everything = new Grant({
	scope: { geography: null, columns: null, history: { mode: "all" } },
	scopeTag: "fuzz",
	masked: false,
});

function read(query: string): LicensesRequest | null {
	try {
		return licensesOperation.read(decodeQuery(query, licensesOperation.repeatable), everything);
	} catch (error) {
		if (error instanceof ApiError) return null;
		throw error;
	}
}

const ALL_FIELDS = COLUMNS.map((column) => column.name).join();

/** The query serialised from what was read. */
function rewritten({ query, month, format, projection }: LicensesRequest): string {
	const { filters, sort, order, page, limit, count } = query;
	const parameters = new URLSearchParams();
	for (const [name, value] of Object.entries(filters)) {
		const repeated = Array.isArray(value) && licensesOperation.repeatable?.has(name) === true;
		for (const each of repeated ? value : [value]) parameters.append(name, String(each));
	}
	for (const [name, value] of Object.entries({ order, page, limit, count, format }))
		parameters.append(name, String(value));
	if (sort.length > 0) parameters.append("sort", sort.join());
	if (month !== undefined) parameters.append("snapshot", month);
	const fields = projection.columns.join();
	if (fields !== ALL_FIELDS) parameters.append("fields", fields);
	return parameters.toString();
}

function checkList(query: string, head: string, text: string): void {
	const request = read(Buffer.from(query, "latin1").toString("utf8"));
	if (request === null) return;
	const again = read(rewritten(request));
	assert.ok(again !== null, `${rewritten(request)} is refused`);
	for (const part of ["query", "month", "format", "projection"] as const)
		assert.ok(isDeepStrictEqual(again[part], request[part]), `${part} changes when it is written anew`);
	if (request.format !== "json" || / 304 /.test(head.slice(0, 14))) return;
	const { data, pagination } = JSON.parse(text) as {
		data: unknown[];
		pagination: { page: number; limit: number; total: number | null; has_next: boolean };
	};
	const { page, limit, total } = pagination;
	assert.deepEqual([page, limit], [request.query.page, request.query.limit]);
	assert.ok(data.length <= limit);
	if (total !== null) {
		assert.equal(data.length, Math.max(0, Math.min(limit, total - (page - 1) * limit)));
		assert.equal(pagination.has_next, total > page * limit);
	}
}

function mutateTarget(input: string, other: string, draw: Draw): string {
	const mark = input.indexOf("?");
	const path = mark < 0 ? input.slice(1) : input.slice(1, mark);
	const pairs = mark < 0 ? [] : input.slice(mark + 1).split("&");
	const key = draw.oneIn(6) ? String(draw.below(5)) : (input[0] ?? "0");
	const at = draw.below(pairs.length + 1);
	switch (draw.below(9)) {
		case 0:
			return `${key}${draw.pick(PATHS)}?${pairs.join("&")}`;
		case 1:
		case 2:
		case 3:
			pairs.splice(at, draw.below(2), `${draw.pick(NAMES)}=${draw.pick(VALUES)}`);
			break;
		case 4:
			pairs.splice(at, 1);
			break;
		case 5:
			pairs.splice(at, 0, draw.pick(other.split(/[?&]/)));
			break;
		case 6: {
			const [name = "", value = ""] = (pairs[at] ?? draw.pick(NAMES)).split("=");
			pairs[Math.min(at, pairs.length)] = `${name}=${mutateText(value, other, VALUES, draw)}`;
			break;
		}
		case 7:
			return key + mutateText(input.slice(1), other, [...NAMES, ...VALUES], draw);
		default:
			return `${key}${draw.oneIn(4) ? mutateText(path, other, PATHS, draw) : path}?${pairs.join("&")}`;
	}
	return `${key}${path}?${pairs.join("&")}`;
}

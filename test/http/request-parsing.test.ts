/**
 * Reading a request by tables of rules equals reading it by its zod schema: for random and mutated query
 * strings, the same values, or the same refusal, word for word. The identity of a request (its part of
 * the entity tag, its entry in the cache of parsed requests) distinguishes different requests.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RawParameters } from "../../formats/index.js";
import { ParsedRequestCache } from "../../server/api/caches/parsed-request-cache.js";
import { licensesOperation } from "../../server/api/endpoints/licenses.js";
import { ApiError, invalidParameter } from "../../server/api/errors.js";
import { OPERATIONS } from "../../server/api/operation-table.js";
import { decodeQuery } from "../../server/api/parameters/request-query.js";
import {
	type ParameterObject,
	unknownParameters,
	validateParameters,
} from "../../server/api/parameters/validation.js";
import { Grant } from "../../server/api/scope/grant.js";
import { checkProperty } from "../oracle/seeded.js";

const RUNS = 2_500;

const WHOLE_GRANT = new Grant({
	scope: { geography: null, columns: null, history: { mode: "all" } },
	scopeTag: "all",
	masked: false,
});

/** Values that are valid for some parameter, and some that are valid for none. */
const SOUND = [
	...["CA", "ca", "TX,ca", "CA,CA", "US", "cA", "Smith", "O'Neil", "90001", "2026-11", "2026-02-28"],
	...["id", "member_last_name,member_first_name", "state,id", "asc", "desc", "json", "csv", "true", "false"],
	...["1", "25", "1000", "50000", "0012345678", "city", "office", "last_name", "Zürich", "東京", "a b"],
];
const UNSOUND = [
	"XX",
	"0",
	"-1",
	"1e3",
	"2026-02-30",
	"2026-13",
	"ASC",
	",",
	"CA,,TX",
	"no_column",
	"TRUE",
	"é",
];

const value = fc.oneof(
	{ weight: 6, arbitrary: fc.constantFrom(...SOUND) },
	{ weight: 2, arbitrary: fc.constantFrom(...UNSOUND) },
	{ weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
);

/** Values that only JSON arguments can express. */
const jsonValue = fc.oneof(
	{ weight: 4, arbitrary: value },
	{ weight: 1, arbitrary: fc.array(value, { maxLength: 3 }) },
	{ weight: 1, arbitrary: fc.constantFrom(1, 0, 1.5, 50_000, true, false, null, {}, [1], undefined) },
);

function namesOf(schema: ParameterObject<unknown>): fc.Arbitrary<string> {
	const names = Object.keys(schema.shape);
	const strangers = fc.constantFrom("lastname", "__proto__", "constructor", "toString", "");
	if (names.length === 0) return strangers;
	return fc.oneof({ weight: 30, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: strangers });
}

type Outcome = { readonly read: unknown } | { readonly refused: string; readonly param: string | null };

function outcomeOf(read: () => unknown): Outcome {
	try {
		return { read: read() };
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		return { refused: `${error.code}: ${error.message}`, param: error.param };
	}
}

/** The zod schema's reading of the parameters as one object. */
function readWhole(schema: ParameterObject<unknown>, { names, values }: RawParameters): unknown {
	const stranger = names.find((name) => !Object.hasOwn(schema.shape, name));
	if (stranger !== undefined) throw unknownParameters([stranger], Object.keys(schema.shape));
	const record = Object.fromEntries(names.map((name, i) => [name, values[i]]));
	const parsed = schema.safeParse(record);
	if (parsed.success) return parsed.data;
	const [issue] = parsed.error.issues;
	const name = String(issue.path[0]);
	if (record[name] === undefined) throw invalidParameter(name, `${name} is required`);
	throw invalidParameter(name, `${name} ${issue.message}`);
}

function given(pairs: readonly (readonly [string, unknown])[]): RawParameters {
	const parameters = new RawParameters();
	for (const [name, value] of pairs) if (!parameters.has(name)) parameters.add(name, value);
	return parameters;
}

/** The value of each parameter of `schema`, inherited ones included; undefined means absent. */
function withoutAbsent(outcome: Outcome, { shape }: ParameterObject<unknown>): unknown {
	if (!("read" in outcome)) return outcome;
	const read = outcome.read as Readonly<Record<string, unknown>>;
	const entries = Object.keys(shape).map((name): [string, unknown] => [name, read[name]]);
	return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

for (const { operationId, parameters } of OPERATIONS) {
	test(`${operationId} reads parameters as its schema does`, (t) => {
		const pairs = fc.array(fc.tuple(namesOf(parameters), jsonValue), { maxLength: 5 });
		checkProperty(
			t,
			RUNS,
			fc.property(pairs, (pairs) => {
				const asked = given(pairs);
				const read = outcomeOf(() => validateParameters(parameters, asked));
				const whole = outcomeOf(() => readWhole(parameters, asked));
				assert.deepEqual(withoutAbsent(read, parameters), withoutAbsent(whole, parameters));
			}),
		);
	});
}

/** Decoding as the URL standard defines it, pair by pair, for strings without faults. */
function decodeStandard(query: string): [string, string][] {
	return [...new URLSearchParams(query)];
}

const component = fc.oneof(
	fc.string({ unit: fc.constantFrom(..."abcXYZ019-._~,:* /?'()é東😀") }),
	fc.string({ unit: "grapheme", maxLength: 8 }),
);

test("a query string is decoded as the URL standard defines", (t) => {
	const pairs = fc.uniqueArray(fc.tuple(component, component), { selector: ([name]) => name, maxLength: 5 });
	checkProperty(
		t,
		RUNS,
		fc.property(pairs, fc.boolean(), (pairs, plus) => {
			const encode = (text: string) =>
				plus ? encodeURIComponent(text).replaceAll("%20", "+") : encodeURIComponent(text);
			const query = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
			const decoded = outcomeOf(() => decodeQuery(query));
			// What the standard accepts and this API refuses is in the table of parameters.test.ts.
			if (!("read" in decoded)) return;
			const { names, values } = decoded.read as RawParameters;
			assert.deepEqual(
				names.map((name, i) => [name, values[i]]),
				decodeStandard(query),
			);
		}),
	);
});

test("a repeated name is refused among thousands of names as among few, in linear time", (t) => {
	const queryOf = (names: number) => Array.from({ length: names }, (_, i) => `${i.toString(36)}=1`).join("&");
	for (const names of [2, 33, 2_500]) {
		assert.equal(decodeQuery(queryOf(names)).names.length, names);
		for (const again of ["0", (names - 1).toString(36)])
			assert.ok(!("read" in outcomeOf(() => decodeQuery(`${queryOf(names)}&${again}=2`))));
	}
	// Counted, not timed: how often names that were read before are looked at.
	let reads = 0;
	const counting: ProxyHandler<string[]> = {
		get(names, property, receiver) {
			reads++;
			return Reflect.get(names, property, receiver);
		},
	};
	const { add } = RawParameters.prototype;
	t.mock.method(RawParameters.prototype, "add", function (this: RawParameters, name: string, value: unknown) {
		if (this.names.length === 0) Object.assign(this, { names: new Proxy(this.names, counting) });
		add.call(this, name, value);
	});
	const readsOf = (names: number) => {
		reads = 0;
		decodeQuery(queryOf(names));
		return reads;
	};
	// Eight times the names are looked at about eight times as often; compared pairwise, sixty times.
	const [few, many] = [312, 2_500].map(readsOf);
	assert.ok(few >= 312, "names are counted");
	assert.ok(many < 12 * few, `${few} and ${many} reads`);
});

test("every query string, however broken, is read or refused", (t) => {
	const piece = fc.constantFrom(
		"&",
		"=",
		"%",
		"%4",
		"%41",
		"%ff",
		"+",
		"state",
		"CA",
		"\uFFFD",
		"é",
		"key",
		"\0",
	);
	checkProperty(
		t,
		RUNS,
		fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
			const query = pieces.join("");
			const outcome = outcomeOf(() => decodeQuery(query));
			if (!("read" in outcome)) return;
			const { names, values } = outcome.read as RawParameters;
			assert.equal(names.length, new Set(names).size);
			assert.equal(names.length, query.split("&").filter((pair) => pair !== "").length);
			for (const text of values) assert.notEqual(String(text).trim(), "");
		}),
	);
});

test("equal requests have equal identities, different ones different", (t) => {
	const name = fc.constantFrom(
		"state",
		"city",
		"license_number",
		"postal_code",
		"zip",
		"sort",
		"order",
		"page",
	);
	const pairs = fc.array(fc.tuple(name, fc.constantFrom(...SOUND)), { maxLength: 4 });
	const read = (parameters: RawParameters) => licensesOperation.read(parameters, WHOLE_GRANT);
	const identities = new Map<string, string>();
	checkProperty(
		t,
		RUNS,
		fc.property(pairs, (pairs) => {
			const asked = outcomeOf(() => read(given(pairs)));
			if (!("read" in asked)) return;
			const { identity, ...rest } = asked.read as ReturnType<typeof read>;
			const meaning = JSON.stringify(rest);
			assert.equal(identities.get(identity) ?? meaning, meaning);
			identities.set(identity, meaning);
			const names = new Set(pairs.map(([name]) => name));
			const reversed = pairs.filter(([name]) => names.delete(name)).reverse();
			assert.equal(read(given(reversed)).identity, identity);
			assert.equal(read(given([...reversed, ["format", "json"]])).identity, identity);
		}),
	);
	assert.equal(new Set(identities.values()).size, identities.size);
});

test("a request as read is cached from the second time on, by everything that determines it", () => {
	const cache = new ParsedRequestCache();
	const operation = {};
	const name = { operation, grant: WHOLE_GRANT, pathValue: null, query: "state=CA" };
	assert.equal(cache.find(name), undefined);
	cache.offer(name, "first");
	assert.equal(cache.find(name), undefined);
	cache.offer(name, "second");
	assert.equal(cache.find(name), "second");
	for (const other of [{ operation: {} }, { grant: {} }, { pathValue: "1" }, { query: "state=TX" }]) {
		assert.equal(cache.find({ ...name, ...other }), undefined);
	}
	for (let i = 0; i < 100_000; i++) cache.offer({ ...name, query: `license_number=${i}` }, i);
	assert.equal(cache.find(name), "second");
});

test("requests that repeat cyclically are found in the cache, for any difference", () => {
	const shapes = [
		(i: number) => ({ query: `license_number=${i}`, pathValue: null }),
		(i: number) => ({ query: `state=CA&city=Town%20${i}&sort=office_name`, pathValue: null }),
		(i: number) => ({ query: "", pathValue: String(32_200_000_000 + i) }),
		(i: number) => ({ query: `state=${i % 62}&page=${Math.floor(i / 62)}`, pathValue: null }),
	];
	const operation = {};
	for (const shape of shapes) {
		const cache = new ParsedRequestCache();
		const names = Array.from({ length: 2_000 }, (_, i) => ({
			operation,
			grant: WHOLE_GRANT,
			...shape(i),
		}));
		let found = 0;
		for (let round = 0; round < 6; round++) {
			found = 0;
			for (const name of names) {
				const made = cache.find(name);
				if (made === undefined) cache.offer(name, name);
				else assert.equal(made, name);
				if (made !== undefined) found++;
			}
		}
		assert.ok(found > 0.95 * names.length, `${found} of ${names.length} like ${shape(7).query}`);
	}
});

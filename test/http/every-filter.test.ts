/** Every filter over HTTP: its rows, its place in `meta.filters_applied`, and its name for one misspelled. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parseQueryText } from "../../builder/commands/query-text.js";
import { FILTERS } from "../../formats/index.js";
import { aggregateResponse } from "../../server/api/schemas/aggregate-response.js";
import { licensesResponse } from "../../server/api/schemas/endpoint-responses.js";
import { NaiveMonth } from "../oracle/naive-query.js";
import { makeRows } from "../oracle/naive-rows.js";
import { monthRows } from "./drop-rows.js";
import { EVERY_FILTER, misspelled } from "./every-filter.js";
import { overBothTransports } from "./served.js";

const MONTH = "2026-11";
const naive = new NaiveMonth(MONTH, makeRows(monthRows(MONTH), MONTH));

overBothTransports("every filter", (served) => {
	test("selects the rows of the naive scan in lists and in aggregates, and is reported as applied", async () => {
		const key = await served().key();
		for (const { param, aliases } of FILTERS) {
			for (const name of [param, ...aliases]) {
				const text = EVERY_FILTER[param].replaceAll(`${param}=`, `${name}=`);
				const expected = naive.count(parseQueryText(text).query.filters, null);
				const list = await served().ok(licensesResponse, `/v1/licenses?${text}&limit=1`, key);
				assert.deepEqual([list.pagination.total, list.meta.filters_applied], [expected, [param]], text);
				const { meta } = await served().ok(aggregateResponse, `/v1/aggregate?by=country&${text}`, key);
				assert.deepEqual([meta.rows, meta.filters_applied], [expected, [param]], text);
			}
		}
	});

	test("misspelled is refused with the right name", async () => {
		const key = await served().key();
		for (const { param, aliases } of FILTERS) {
			for (const name of [param, ...aliases]) {
				for (const path of ["/v1/licenses?", "/v1/aggregate?by=state&", "/v1/changes?"]) {
					const { status, text } = await served().request(`${path}${misspelled(name)}=x`, key);
					const { code, message } = JSON.parse(text).error;
					assert.deepEqual([status, code], [400, "invalid_parameter"], path + name);
					assert.ok(message.includes(`did you mean "${name}"?`), `${path}${name}: ${message}`);
				}
			}
		}
	});
});

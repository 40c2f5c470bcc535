/**
 * Walks of every list by cursor, while months are published and withdrawn and the server starts anew between
 * their pages of random sizes: the pages are those of the answer as it was when the walk began (docs/API.md §11.6).
 */

import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { monthRows } from "../http/drop-rows.js";
import { publish, ServedFixture } from "../http/served.js";
import { transportsHere } from "../http/transports.js";
import { Draw } from "../oracle/draw.js";
import { SEED, tellSeed } from "../oracle/seeded.js";

interface Listed {
	readonly data: unknown[];
	readonly pagination: { readonly next_cursor: string | null; readonly has_next: boolean };
}

/** Each list: its query, the parameter of a page's size, and the largest page. */
const LISTS = [
	["/v1/licenses", "name=smith", "limit", 1_000],
	["/v1/licenses", "name=smi&order=desc&count=false", "limit", 1_000],
	["/v1/licenses", "sort=office_name,member_last_name&order=desc", "limit", 1_000],
	["/v1/changes", "from=2026-10&to=2026-11", "limit", 1_000],
	["/v1/changes", "from=2026-09&to=2026-11", "limit", 1_000],
	["/v1/aggregate", "by=member_city,license_status", "top", 1_000],
	["/v1/aggregate", "by=office_name&min_count=2&state=CA,TX", "top", 1_000],
	["/v1/offices", "", "limit", 200],
	["/v1/offices", "name=realty", "limit", 200],
	["/v1/offices", "state=TX&sort=office_name", "limit", 200],
] as const;

for (const transport of transportsHere("walks over swaps")) {
	describe(`walks over swaps of months and restarts, over ${transport}`, () => {
		let served: ServedFixture;
		before(async () => {
			served = await ServedFixture.start(transport);
		});
		after(() => served?.close());

		const ask = async (path: string, key: string): Promise<Listed> => {
			const { status, text } = await served.request(path, key);
			assert.equal(status, 200, `${path}: ${text}`);
			return JSON.parse(text);
		};

		test("every list is walked whole, once and in order", async (t) => {
			tellSeed(t, LISTS.length);
			const draw = new Draw(SEED);
			const key = await served.key({ scope: { bulk: true } });
			const folder = (name: string) => join(served.dataFolder, "snapshots", name);
			const events = [
				// A newer month goes live, ...
				async () => publish(served.dataFolder, "2026-12", monthRows("2026-10")),
				// ... the server starts anew, ...
				async () => {
					await served.stop();
					served = await ServedFixture.start(transport, { data: served.dataFolder });
				},
				// ... and the newer month is withdrawn.
				async () => renameSync(folder("2026-12"), join(served.dataFolder, "aside")),
			];
			const walks = await Promise.all(
				LISTS.map(async ([path, query, size, most]) => {
					const whole = await ask(`${path}?${query}&cursor=*&${size}=${most}`, key);
					assert.equal(whole.pagination.next_cursor, null, path);
					const first = await ask(`${path}?${query}&${size}=${1 + draw.below(2)}`, key);
					assert.equal(first.pagination.has_next, true, `${path}?${query}`);
					return { path, size, whole: whole.data, walked: first.data, cursor: first.pagination.next_cursor };
				}),
			);
			for (let page = 0; walks.some(({ cursor }) => cursor !== null); page++) {
				// The first pages are small, so that every walk goes on when the last event has happened.
				const isSmall = events.length > 0;
				if (draw.oneIn(2)) await events.shift()?.();
				await served.reload();
				for (const walk of walks) {
					if (walk.cursor === null) continue;
					const size = isSmall ? 1 : 1 + draw.below(draw.pick([5, 200]));
					const answer = await ask(`${walk.path}?cursor=${walk.cursor}&${walk.size}=${size}`, key);
					walk.walked.push(...answer.data);
					walk.cursor = answer.pagination.next_cursor;
					assert.equal(answer.pagination.has_next, walk.cursor !== null);
				}
				assert.ok(page < 1_000, "walks end");
			}
			for (const { path, whole, walked } of walks) assert.deepEqual(walked, whole, path);
		});

		test("a cursor of groups is refused altered, of another list, query or grant, and with a page", async () => {
			const key = await served.key({ scope: { bulk: true } });
			const narrow = { bulk: true, geography: { countries: [], states: ["CA"] } };
			const narrowed = await served.key({ scope: narrow });
			for (const [path, query, size] of [
				["/v1/aggregate", "by=member_city", "top"],
				["/v1/offices", "sort=rows", "limit"],
			] as const) {
				const { pagination } = await ask(`${path}?${query}&${size}=2`, key);
				const cursor = String(pagination.next_cursor);
				const refusals = async (asked: string, by: string) => {
					const { status, code, param } = await served.refused(asked, by);
					return [status, code, param];
				};
				for (let at = 0; at < cursor.length; at += 5) {
					const letter = cursor[at] === "A" ? "B" : "A";
					const altered = cursor.slice(0, at) + letter + cursor.slice(at + 1);
					assert.deepEqual(await refusals(`${path}?cursor=${altered}`, key), [
						400,
						"invalid_parameter",
						"cursor",
					]);
				}
				const invalid = [400, "invalid_parameter", "cursor"];
				const other = path === "/v1/offices" ? "/v1/aggregate" : "/v1/offices";
				assert.deepEqual(await refusals(`${other}?cursor=${cursor}`, key), invalid);
				assert.deepEqual(await refusals(`${path}?cursor=${cursor}&${query}&state=CA`, key), invalid);
				assert.deepEqual(await refusals(`${path}?cursor=${cursor}`, narrowed), [
					403,
					"scope_denied",
					"cursor",
				]);
				const plain = await served.key();
				assert.deepEqual(await refusals(`${path}?cursor=*&${query}`, plain), [403, "scope_denied", "cursor"]);
				const page = await ask(`${path}?${query}`, plain);
				assert.equal("next_cursor" in (page.pagination ?? {}), false);
			}
			const { pagination } = await ask("/v1/offices?limit=2", key);
			const both = await served.refused(`/v1/offices?cursor=${pagination.next_cursor}&page=2`, key);
			assert.deepEqual([both.status, both.param], [400, "page"]);
			const dimensionless = await served.refused("/v1/aggregate?cursor=*", key);
			assert.deepEqual([dimensionless.status, dimensionless.param], [400, "by"]);
		});
	});
}

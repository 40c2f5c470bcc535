/** Pages of groups, at any position, are those of all groups sorted. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { GroupPage } from "../../engine/aggregate/group-page.js";
import type { CountedGroup } from "../../engine/aggregate/top-groups.js";
import { Draw } from "../oracle/draw.js";
import { checkProperty } from "../oracle/seeded.js";

const GROUPS_MAX = 3_000;

test("a page has the groups at its positions, for any order, size and position", (t) => {
	const property = fc.property(fc.nat(), (seed) => {
		const draw = new Draw(seed);
		const count = draw.below(draw.pick([2, 40, GROUPS_MAX]));
		const rowsMax = draw.pick([1, 3, 1_000_000]);
		const costs = draw.oneIn(2) ? null : Uint16Array.from({ length: GROUPS_MAX }, () => draw.below(4));
		const isByRows = draw.oneIn(2);
		const page = new GroupPage({ costs, isByRows });
		const groups: CountedGroup[] = [];
		for (let i = 0; i < count; i++) {
			const second = i % 3;
			const first = draw.oneIn(2) ? i : count - i;
			if (groups.some((group) => group.first === first && group.second === second)) continue;
			const group = { first, second, rows: 1 + draw.below(rowsMax) };
			groups.push(group);
			page.take(group.first, group.second, group.rows);
		}
		assert.equal(page.count, groups.length);
		const key = ({ first, second, rows }: CountedGroup) => [
			costs === null ? 0 : costs[first],
			isByRows ? -rows : 0,
			first,
			second,
		];
		const sorted = groups.sort((a, b) => {
			const [of, than] = [key(a), key(b)];
			const place = of.findIndex((part, i) => part !== than[i]);
			return of[place] - than[place];
		});
		for (let ask = 0; ask < 4; ask++) {
			const from = draw.below(count + 2);
			const to = from + draw.below(draw.pick([2, 30, count + 2]));
			assert.deepEqual(page.inOrder(from, to), sorted.slice(from, to), `groups [${from}, ${to}) of ${count}`);
		}
	});
	checkProperty(t, 100, property);
});

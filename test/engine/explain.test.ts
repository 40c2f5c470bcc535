/**
 * Golden tests of `explain --analyze`: each file of test/engine/explain is one query, and below it the plan
 * and what ran, without times. A new file is a new test. `ROLLCALL_UPDATE_GOLDEN=1 npm test -- explain`
 * rewrites the texts; read the difference before committing it.
 */

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { DEFAULT_QUERY, formatAnalysis, formatPlan, type Query, type Snapshot } from "../../engine/index.js";
import { Draw } from "../oracle/draw.js";
import { LARGE_MONTH, largeRows } from "../oracle/large-month.js";
import { compileRows, openMonth } from "./compiled-month.js";

const PLANS = fileURLToPath(new URL("../../../test/engine/explain", import.meta.url));
const UPDATE = process.env.ROLLCALL_UPDATE_GOLDEN === "1";

describe("explain", () => {
	const folder = mkdtempSync(join(tmpdir(), "rollcall-test-"));
	let snapshot: Snapshot;

	before(async () => {
		await compileRows(largeRows(1), LARGE_MONTH, folder, false, new Draw(1));
		snapshot = openMonth(folder, "mmap");
	});
	after(() => rmSync(folder, { recursive: true }));

	for (const name of readdirSync(PLANS).sort()) {
		test(name.replace(".txt", "").replaceAll("-", " "), () => {
			const path = join(PLANS, name);
			const [asked, ...expected] = readFileSync(path, "utf8").split("\n");
			const query: Query = { ...DEFAULT_QUERY, ...JSON.parse(asked) };
			const plan = formatAnalysis(snapshot.analyze(query), false);
			assert.ok(plan.startsWith(formatPlan(snapshot.explain(query))));
			if (UPDATE) writeFileSync(path, `${asked}\n\n${plan}`);
			else assert.equal(plan, expected.slice(1).join("\n"));
		});
	}
});

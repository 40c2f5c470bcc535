/**
 * The portal in use, in Chromium: a double click whose answer comes between its clicks, and the time zone of the chart.
 * Skipped where no Chromium is installed.
 */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Browser, chromium } from "playwright-core";
import { CHROMIUM, skip } from "./installed-chromium.js";
import { SignupFixture } from "./signup-fixture.js";

/** West of UTC: there, a day of UTC begins on the day before. */
const WEST = "America/New_York";

async function startBrowser(t: TestContext): Promise<Browser> {
	const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
	t.after(() => browser.close());
	return browser;
}

test("the portal's chart has the label of the UTC day at each day, west of UTC too", { skip }, async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 1_000 });
	const { key } = await signup.keyFor("jo@example.com");
	await signup.access.settle();
	const browser = await startBrowser(t);
	const labelsIn = async (timezoneId: string) => {
		const page = await browser.newPage({ timezoneId });
		await page.addInitScript(`window.labels = [];
			const { fillText } = CanvasRenderingContext2D.prototype;
			CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
				labels.push([text, Math.round(x)]);
				fillText.call(this, text, x, y, ...rest);
			};`);
		await page.goto(`${signup.origin}/portal`);
		await page.getByLabel("Key", { exact: true }).fill(key);
		await page.getByRole("button", { name: "Open" }).press("Enter");
		await page.locator("#chart canvas").waitFor();
		await page.waitForFunction("labels.length > 0");
		return page.evaluate("labels");
	};
	assert.deepEqual(await labelsIn(WEST), await labelsIn("UTC"));
});

test("a double click whose answer comes between its clicks replaces a key once", { skip }, async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 1_000 });
	const { key } = await signup.keyFor("jo@example.com");
	await signup.access.settle();
	const page = await (await startBrowser(t)).newPage({ viewport: { width: 1_000, height: 3_000 } });
	await page.clock.install();
	await page.goto(`${signup.origin}/portal`);
	await page.getByLabel("Key", { exact: true }).fill(key);
	await page.getByRole("button", { name: "Open" }).press("Enter");
	const replace = page.getByRole("button", { name: "Replace" });
	let rotations = 0;
	page.on("request", (request) => {
		if (request.url().endsWith("/portal/rotate")) rotations++;
	});
	await replace.click();
	const shown = page.locator("#new-key pre:focus");
	await shown.waitFor();
	await page.clock.runFor(200);
	await replace.click();
	await signup.access.settle();
	assert.equal(signup.authenticate(key), "ok", "for an hour: a second rotation would have ended its grace");
	assert.equal(signup.authenticate(await page.locator("#new-key pre").innerText()), "ok");
	await page.clock.runFor(1_000);
	await replace.click();
	await shown.waitFor();
	assert.equal(rotations, 2);
});

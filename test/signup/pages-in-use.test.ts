/**
 * Console and portal in use, in Chromium: a token that is wrong, double clicks, a keyboard in a table that is
 * refreshed, a server that is gone, text of twice the size, and the time zone of charts. Skipped where no Chromium is
 * installed.
 */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";
import { freePort } from "../free-port.js";
import { fixtureFolder } from "../http/served.js";
import { limitlessKey, ServerProcess } from "../serve/server-process.js";
import { CHROMIUM, skip } from "./installed-chromium.js";
import { SignupFixture } from "./signup-fixture.js";

const TOKEN = "operator-token-of-the-test";
const REFRESH_MS = 10_000;
/** West of UTC: there, a day of UTC begins on the day before. */
const WEST = "America/New_York";

async function startBrowser(t: TestContext): Promise<Browser> {
	const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
	t.after(() => browser.close());
	return browser;
}

/** Clicks the last button of the table of keys twice within a double click, as a mouse does: by its place. */
async function clickTwice(page: Page): Promise<void> {
	let box = await page.locator("#keys button").boundingBox();
	// A refresh may have replaced the table meanwhile.
	for (let i = 0; box === null && i < 10; i++) box = await page.locator("#keys button").boundingBox();
	assert.ok(box !== null);
	const place = [box.x + box.width / 2, box.y + box.height / 2] as const;
	await page.mouse.click(...place);
	await page.locator("#keys button", { hasText: "Resume" }).waitFor();
	await page.mouse.click(...place);
}

test("the console tells a wrong token, changes a key once by a double click, and tells what is stale", {
	skip,
}, async (t) => {
	const data = await fixtureFolder();
	mkdirSync(join(data, "reports"), { recursive: true });
	writeFileSync(join(data, "reports", "2026-11.html"), "<h1>Build of 2026-11</h1>");
	const { id, text } = await limitlessKey(data);
	const adminPort = await freePort();
	const flags = ["--admin-port", String(adminPort), "--operator-token", TOKEN, "--workers", "1"];
	const server = await ServerProcess.start(t, data, ...flags);
	// As tall as the page, for clicks by place.
	const page = await (await startBrowser(t)).newPage({ viewport: { width: 1_000, height: 3_000 } });
	const refresh = () => page.clock.runFor(REFRESH_MS);
	await page.clock.install();
	await page.goto(`http://127.0.0.1:${adminPort}/console`);
	const status = page.locator("#status");

	await page.getByRole("link", { name: "open the report of 2026-11" }).focus();
	const asked: string[] = [];
	page.on("request", (request) => asked.push(request.url()));
	await refresh();
	assert.equal(await page.evaluate("document.activeElement.innerText"), "open", "the keyboard stays");
	assert.deepEqual(asked, []);

	const suspend = page.getByRole("button", { name: `suspend ${id}` });
	await suspend.press("Enter");
	const enter = async (token: string) => {
		await page.getByLabel("Operator token").fill(token);
		await page.getByRole("button", { name: "Open" }).press("Enter");
	};
	const answered = page.waitForResponse("**/console/state");
	await refresh();
	await answered;
	assert.equal(await status.innerText(), "Enter the operator token, then try again.", "a refresh leaves it");
	await enter("wrong");
	await page.getByText("The operator token is missing or wrong.").waitFor();
	assert.ok(await page.locator("#sign-in").isVisible());
	await enter(TOKEN);
	await page.locator("#sign-in").waitFor({ state: "hidden" });

	await suspend.waitFor();
	await page.clock.pauseAt(Date.now() + 60_000);
	await clickTwice(page);
	const headers = { Authorization: `Bearer ${text}` };
	const me = await fetch(`http://127.0.0.1:${server.port}/v1/me`, { headers });
	assert.equal(me.status, 401, "suspended, not resumed by the second click");
	await page.clock.runFor(1_000);
	await page.locator("#keys button").click();
	await suspend.waitFor();

	await page.evaluate("document.activeElement.blur()");
	await page.setViewportSize({ width: 360, height: 740 });
	await page.evaluate("document.documentElement.style.fontSize = '200%'");
	assert.equal(
		await page.evaluate("document.documentElement.scrollWidth - innerWidth"),
		0,
		"no sideways scroll",
	);
	await page.route("**/console/state", (route) => route.fulfill({ status: 502, body: "<html>Bad gateway" }));
	await refresh();
	await status.getByText("The service is not available (status 502)").waitFor();
	assert.match(
		await page.locator("#ready").innerText(),
		/^Not known at the moment: .* \d\d:\d\d:\d\d UTC\.$/,
	);
	await page.unroute("**/console/state");
	await page.route("**/console/state", (route) => route.abort());
	await refresh();
	await status.getByText("The service cannot be reached.").waitFor();
	await page.unroute("**/console/state");
	await refresh();
	await page.getByText("Requests are served.").waitFor();
	assert.equal(await status.innerText(), "");
	await server.end("SIGTERM");
});

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
	// Only the test moves the clock on: under load, more than a double click may pass between two clicks.
	await page.clock.pauseAt(Date.now() + 60_000);
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

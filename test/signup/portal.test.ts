/** The portal in Chromium: without its script, before that has loaded, and on the narrowest phone. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { COLUMNS } from "../../formats/index.js";
import { createKey } from "../../server/keys/lifecycle.js";
import { CHROMIUM, skip } from "./installed-chromium.js";
import { SignupFixture } from "./signup-fixture.js";

const WAIT_MS = 30_000;
/** Long enough for a browser to send a form. */
const SENDING_MS = 500;
/** As long as a key. */
const PASTED = `rollcall_${"k".repeat(33)}`;

/** A page whose requests, addresses and bodies, are kept. */
async function watchedPage(context: BrowserContext): Promise<{ page: Page; sent: string[] }> {
	const page = await context.newPage();
	page.setDefaultTimeout(WAIT_MS);
	const sent: string[] = [];
	page.on("request", (request) => sent.push(`${request.method()} ${request.url()} ${request.postData()}`));
	return { page, sent };
}

test("without its script the portal sends no key anywhere, and says what it needs", { skip }, async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 1_000 });
	const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
	t.after(() => browser.close());
	const context = await browser.newContext({ javaScriptEnabled: false });
	const { page, sent } = await watchedPage(context);
	await page.goto(`${signup.origin}/portal`);
	assert.match(await page.locator("main").innerText(), /requires JavaScript/);
	assert.ok(await page.getByRole("button", { name: "Open" }).isDisabled());
	await page.locator("#key").fill(PASTED);
	await page.keyboard.press("Enter");
	await page.waitForTimeout(SENDING_MS);
	assert.equal(page.url(), `${signup.origin}/portal`);
	assert.deepEqual(
		sent.filter((each) => each.includes(PASTED)),
		[],
	);
});

test("forms of the portal that the browser sends by itself carry nothing", { skip }, async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 1_000 });
	const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
	t.after(() => browser.close());
	const context = await browser.newContext();
	for (const [form, field] of [
		["#sign-in", "#key"],
		["#rotate", null],
		["#revoke", "#confirm"],
	] as const) {
		const { page, sent } = await watchedPage(context);
		await page.route("**/pages/portal.js", (route) => route.abort());
		await page.goto(`${signup.origin}/portal`);
		await page.evaluate(`document.querySelector("#portal").hidden = false`);
		if (field !== null) await page.locator(field).fill(PASTED);
		// The same as a browser's own, without regard to a disabled button.
		await page.evaluate(`document.querySelector("${form}").submit()`);
		await page.waitForURL(`${signup.origin}/portal`);
		await page.getByText("This address takes GET").waitFor();
		assert.deepEqual(
			sent.filter((each) => each.includes(PASTED) || each.includes("?")),
			[],
			form,
		);
		await page.close();
	}
});

test("Enter before the portal's script has loaded sends nothing, and the key stays for when it has", {
	skip,
}, async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 1_000 });
	const { key } = await signup.keyFor("jo@example.com");
	await signup.access.settle();
	const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
	t.after(() => browser.close());
	const { page, sent } = await watchedPage(await browser.newContext());
	let load = () => {};
	const released = new Promise<void>((resolve) => {
		load = resolve;
	});
	await page.route("**/pages/portal.js", async (route) => {
		await released;
		await route.continue();
	});
	await page.goto(`${signup.origin}/portal`, { waitUntil: "commit" });
	await page.locator("#key").fill(key);
	await page.keyboard.press("Enter");
	await page.waitForTimeout(SENDING_MS);
	assert.equal(page.url(), `${signup.origin}/portal`);
	load();
	await page.locator("#sign-in button:enabled").waitFor();
	await page.locator("#key").press("Enter");
	await page.getByText("trial key, active").waitFor();
	assert.deepEqual(
		sent.filter((each) => each.includes(key)),
		[],
	);
});

test("the portal fits a phone of 320 pixels, with long names and many digits", { skip }, async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 1_000 });
	const { access, clock } = signup;
	const limits = { per_minute: 1_000_000, per_day: 100_000_000, monthly_quota: 1_000_000_000 };
	const scope = {
		geography: null,
		columns: COLUMNS.map(({ name: column }) => column),
		history: { mode: "latest" },
	} as const;
	const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
	t.after(() => browser.close());
	const context = await browser.newContext({ viewport: { width: 320, height: 640 } });
	for (const name of ["jo", "W".repeat(100)]) {
		const request = { tier: "production", name, scope, rate_limits: limits } as const;
		const { text } = await createKey(access.store, request, { by: "test", nowMs: clock.now() });
		await access.settle();
		const { page } = await watchedPage(context);
		await page.goto(`${signup.origin}/portal`);
		await page.locator("#key").fill(text);
		await page.getByRole("button", { name: "Open" }).click();
		await page.getByText("production key, active").waitFor();
		await page.getByRole("button", { name: "Replace" }).click();
		await page.locator("#new-key pre").waitFor();
		await page.getByText("Requests by day, as a table").click();
		const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
		assert.ok((wide as number) <= 0, `${wide} pixels too wide, name of ${name.length} characters`);
		await page.close();
	}
});

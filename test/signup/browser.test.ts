/**
 * The whole way in Chromium: the form with its proof of work, the mail, the link, the button, the key,
 * the portal. Every page is checked with axe-core in light and dark and at two widths, loads nothing
 * from elsewhere, and breaks no rule of its policy. Skipped where no Chromium is installed.
 * ROLLCALL_SCREENSHOTS=DIR keeps a picture of each page.
 */

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { freePort } from "../free-port.js";
import { fixtureFolder } from "../http/served.js";
import { limitlessKey, ServerProcess } from "../serve/server-process.js";
import { CHROMIUM, skip } from "./installed-chromium.js";
import { linkOf } from "./mail-server.js";
import { SignupFixture } from "./signup-fixture.js";

const WAIT_MS = 30_000;
/** How late responses come in the test of double clicks. */
const SLOW_MS = 400;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDTHS = [
	{ name: "phone", width: 360, height: 740 },
	{ name: "desktop", width: 1280, height: 800 },
];
const SCREENSHOTS = process.env.ROLLCALL_SCREENSHOTS;

interface Violation {
	readonly id: string;
	readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Checks the page as it is, in every colour scheme and width. */
async function checkLook(page: Page, name: string): Promise<void> {
	for (const colorScheme of ["light", "dark"] as const) {
		await page.emulateMedia({ colorScheme });
		for (const { name: width, ...viewport } of WIDTHS) {
			await page.setViewportSize(viewport);
			if (SCREENSHOTS !== undefined) {
				mkdirSync(SCREENSHOTS, { recursive: true });
				await page.screenshot({
					path: join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`),
					fullPage: true,
				});
			}
			const found = (await page.evaluate(`axe.run(document, {
				runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
				rules: { "label-content-name-mismatch": { enabled: true } },
			}).then(({ violations }) => violations)`)) as Violation[];
			const told = found.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.html).join(" ")}`);
			assert.deepEqual(told, [], `${name}, ${colorScheme}, ${width}`);
			const wide = (await page.evaluate("document.documentElement.scrollWidth - innerWidth")) as number;
			assert.ok(wide <= 0, `${name} fits the ${width} (${wide} pixels too wide)`);
		}
	}
}

/** Records the labels that charts draw, each with its place, for {@link checkLabels}. */
const RECORD_LABELS = `window.labels = [];
const { fillText } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
	const half = this.measureText(text).width / 2;
	if (this.textAlign === "center") labels.push({ chart: this.canvas.width, text, y, from: x - half, to: x + half });
	fillText.call(this, text, x, y, ...rest);
};`;

/** Checks that no label of a horizontal axis touches the next one. */
async function checkLabels(page: Page): Promise<void> {
	const touching = await page.evaluate(`labels.flatMap((a, i) => {
		const b = labels[i + 1];
		return b !== undefined && b.y === a.y && b.from > a.from && b.from - a.to < 6 ? [a.text + b.text] : [];
	})`);
	assert.deepEqual(touching, []);
	assert.ok(((await page.evaluate("labels.length")) as number) > 0);
}

/** A page whose complaints and requests elsewhere fail the test. */
async function withPage(
	browser: Browser,
	origin: string,
	work: (page: Page) => Promise<void>,
): Promise<void> {
	// The policy forbids scripts put into the page; axe is one.
	const context = await browser.newContext();
	await context.addInitScript(AXE);
	const page = await context.newPage();
	page.setDefaultTimeout(WAIT_MS);
	const complaints: string[] = [];
	page.on("pageerror", (error) => complaints.push(error.message));
	page.on("console", (message) => {
		if (message.type() === "error") complaints.push(message.text());
	});
	page.on("request", (request) => {
		const url = request.url();
		if (!url.startsWith(origin) && !url.startsWith("data:")) complaints.push(`request to ${url}`);
	});
	await work(page);
	assert.deepEqual(complaints, []);
	await context.close();
}

test("a person gets a key and views it, with the keyboard alone", { skip }, async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 1_000 });
	const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
	t.after(() => browser.close());
	let key = "";
	await withPage(browser, signup.origin, async (page) => {
		await page.goto(`${signup.origin}/signup`);
		const send = page.getByRole("button", { name: "Send me a key" });
		await page.locator("form button[type=submit]:enabled").waitFor();
		await checkLook(page, "signup");
		await page.getByLabel("Email address").focus();
		await page.keyboard.type("jo@example.com");
		await send.focus();
		await page.keyboard.press("Enter");
		await page.getByText("an email is on its way").waitFor();
		await checkLook(page, "accepted");

		await signup.selfServe.queue.run();
		const [mail] = signup.mail.mailsTo("jo@example.com");
		await page.goto(signup.origin + linkOf(mail));
		await checkLook(page, "link");
		await page.getByRole("button", { name: "Show my key" }).press("Enter");
		key = await page.locator("#key").innerText();
		assert.match(key, /^rollcall_[0-9A-Za-z]{33}$/);
		await checkLook(page, "key");
		await page.goto(signup.origin + linkOf(mail));
	}).catch((error: Error) => {
		// The spent link is a 410, which Chromium reports on its console.
		assert.match(error.message, /410 \(Gone\)/, error.stack);
	});
	await signup.access.settle();
	await withPage(browser, signup.origin, async (page) => {
		await page.goto(`${signup.origin}/portal`);
		await checkLook(page, "portal-sign-in");
		await page.getByLabel("Key", { exact: true }).fill(key);
		await page.getByRole("button", { name: "Open" }).press("Enter");
		await page.getByText("trial key, active").waitFor();
		assert.match(await page.locator("#limits").innerText(), /per minute\s+30\s+0\s+30/);
		assert.match(await page.locator("#scope").innerText(), /masked/);
		assert.ok((await page.locator("#chart canvas").count()) === 1);
		await checkLook(page, "portal");

		await page.getByRole("button", { name: "Replace" }).press("Enter");
		const next = await page.locator("#new-key pre").innerText();
		assert.notEqual(next, key);
		assert.equal(signup.authenticate(next), "ok");
		assert.equal(signup.authenticate(key), "ok", "for an hour");
		signup.clock.nowMs += 3_600_000;
		assert.equal(signup.authenticate(key), "unauthorized");
		const [{ id }] = signup.access.store.keys();
		await page.getByLabel("Revoke the key permanently").fill(id);
		await page.getByRole("button", { name: "Revoke" }).press("Enter");
		await page.getByText("The key is revoked.").waitFor();
		assert.equal(signup.authenticate(next), "unauthorized");
	});
});

test("a double click shows the key of a link, and replaces a key once", { skip }, async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 1_000 });
	// As slow as a network, so that the second click comes before the response to the first.
	const { signups } = signup.selfServe;
	const claim = signups.claim.bind(signups);
	const settle = signup.access.settle.bind(signup.access);
	t.mock.method(signups, "claim", async (...given: Parameters<typeof claim>) => {
		const claimed = await claim(...given);
		await setTimeout(SLOW_MS);
		return claimed;
	});
	t.mock.method(signup.access, "settle", () => setTimeout(SLOW_MS).then(settle));
	const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
	t.after(() => browser.close());
	await signup.signUp("jo@example.com");
	await withPage(browser, signup.origin, async (page) => {
		const link = signup.origin + linkOf(signup.mail.received[0]);
		await page.goto(link);
		const sent = await page.evaluate(`
			const sent = [];
			const form = document.forms[0];
			form.addEventListener("submit", (event) => {
				sent.push(!event.defaultPrevented);
				event.preventDefault();
			});
			form.requestSubmit();
			form.requestSubmit();
			dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
			form.requestSubmit();
			sent;`);
		assert.deepEqual(sent, [true, false, true], "a page that the browser kept is sent again");
		await page.goto(link);
		await page.getByRole("button", { name: "Show my key" }).dblclick();
		const key = await page.locator("#key").innerText();
		await settle();
		await page.goto(`${signup.origin}/portal`);
		await page.route("**/portal/key", async (route) => {
			await setTimeout(SLOW_MS);
			await route.continue();
		});
		const open = async (text: string) => {
			await page.getByLabel("Key", { exact: true }).fill(text);
			await page.getByRole("button", { name: "Open" }).press("Enter");
		};
		await open("ключ");
		await page.getByText("This is not a key").waitFor();
		await open(key);
		// While the first one is under way, which the page shows and changes.
		await open("another");
		await page.getByText("trial key, active").waitFor();
		await page.getByRole("button", { name: "Replace" }).dblclick();
		const next = await page.locator("#new-key pre").innerText();
		await setTimeout(2 * SLOW_MS);
		await settle();
		assert.equal(signup.authenticate(next), "ok");
		assert.equal(signup.authenticate(key), "ok", "for an hour");
	});
});

test("the pages say what to do where the service is away, or the browser lacks what HTTPS gives", {
	skip,
}, async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 1_000 });
	const { key } = await signup.keyFor("jo@example.com");
	await signup.access.settle();
	// A name that is not this machine's for the browser, so that plain HTTP is not secure.
	const args = ["--no-sandbox", "--host-resolver-rules=MAP rollcall.test 127.0.0.1"];
	const browser = await chromium.launch({ executablePath: CHROMIUM, args });
	t.after(() => browser.close());
	const page = await browser.newPage();
	const faults: string[] = [];
	page.on("pageerror", (error) => faults.push(error.message));
	const origin = signup.origin.replace("127.0.0.1", "rollcall.test");
	await page.goto(`${origin}/portal`);
	const open = async () => {
		await page.getByLabel("Key", { exact: true }).fill(key);
		await page.getByRole("button", { name: "Open" }).press("Enter");
	};
	const path = "**/portal/key";
	await page.route(path, (route) => route.fulfill({ status: 502, body: "<html>Bad gateway</html>" }));
	await open();
	await page.getByText("The service is not available (status 502)").waitFor();
	await page.unroute(path);
	await page.route(path, (route) => route.abort());
	await open();
	await page.getByText("The service cannot be reached").waitFor();
	await page.unroute(path);
	await open();
	await page.getByText("trial key, active").waitFor();
	await page.getByRole("button", { name: "Copy: curl" }).press("Enter");
	await page.getByRole("button", { name: "Selected: copy it" }).waitFor();
	assert.match(String(await page.evaluate("String(getSelection())")), /^curl .*limit=3"$/);
	await page.goto(`${origin}/signup`);
	await page.getByText("The check needs HTTPS").waitFor();
	assert.deepEqual(faults, []);
});

test("a key's name is shown as text, and no page can be framed or scripted", { skip }, async (t) => {
	const signup = await SignupFixture.start(t);
	const { createKey } = await import("../../server/keys/lifecycle.js");
	const name = '<img src=x onerror="window.broken = true">';
	const scope = { geography: null, columns: null, history: { mode: "latest" } } as const;
	const { text } = await createKey(
		signup.access.store,
		{ tier: "production", name, scope, rate_limits: {} },
		{ by: "test", nowMs: signup.clock.now() },
	);
	await signup.access.settle();
	const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
	t.after(() => browser.close());
	await withPage(browser, signup.origin, async (page) => {
		await page.goto(`${signup.origin}/portal`);
		await page.getByLabel("Key", { exact: true }).fill(text);
		await page.getByRole("button", { name: "Open" }).click();
		await page.getByText(name).waitFor();
		assert.equal(await page.evaluate("window.broken"), undefined);
		assert.equal(
			await page.evaluate("localStorage.length + sessionStorage.length + document.cookie.length"),
			0,
		);
	});
	const framing = await browser.newPage();
	await framing.setContent(`<iframe src="${signup.origin}/portal"></iframe>`);
	await framing.waitForTimeout(500);
	const framed = framing.frames()[1];
	assert.ok(framed === undefined || !framed.url().startsWith(signup.origin), "the frame stays empty");
});

test("the console shows the service, and suspends a key with the token", { skip }, async (t) => {
	const data = await fixtureFolder();
	const { id, text } = await limitlessKey(data);
	const adminPort = await freePort();
	const token = "operator-token-of-the-test";
	const flags = ["--admin-port", String(adminPort), "--operator-token", token, "--workers", "1"];
	const server = await ServerProcess.start(t, data, ...flags);
	const headers = { Authorization: `Bearer ${text}` };
	const me = async () => (await fetch(`http://127.0.0.1:${server.port}/v1/me`, { headers })).status;
	const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
	t.after(() => browser.close());
	await withPage(browser, `http://127.0.0.1:${adminPort}`, async (page) => {
		for (let asked = 0; asked < 20; asked++) await me();
		// Two samples make an interval to draw.
		await page.waitForTimeout(21_000);
		await page.goto(`http://127.0.0.1:${adminPort}/console`);
		await page.getByText("Requests are served.").waitFor();
		await page.locator("#rate canvas").waitFor();
		assert.match(await page.locator("#months").innerText(), /2026-11/);
		await checkLook(page, "console");
		await page.addInitScript(RECORD_LABELS);
		await page.setViewportSize({ width: 320, height: 800 });
		await page.reload();
		await page.locator("#rate canvas").waitFor();
		await checkLabels(page);
		await page.getByRole("button", { name: `suspend ${id}` }).press("Enter");
		await page.getByLabel("Operator token").fill(token);
		await page.getByRole("button", { name: "Open" }).press("Enter");
		await page.locator("#sign-in").waitFor({ state: "hidden" });
		await page.getByRole("button", { name: `suspend ${id}` }).press("Enter");
		await page.getByRole("button", { name: `resume ${id}` }).waitFor();
		assert.equal(await me(), 401);
		await page.getByRole("button", { name: `resume ${id}` }).press("Enter");
		await page.getByRole("button", { name: `suspend ${id}` }).waitFor();
		assert.equal(await me(), 200);
	});
	await server.end("SIGTERM");
});

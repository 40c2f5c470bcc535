/**
 * The reference at /docs in a browser: a key is entered, a query is sent, the answer is shown, no request
 * goes anywhere but to the service, and texts and landmarks pass axe-core. Skipped where no Chromium is installed.
 */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { chromium, type Page } from "playwright-core";
import { ServedFixture } from "./served.js";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
	existsSync(path),
);
const WAIT_MS = 20_000;
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Requests and errors while a page was open. */
interface Seen {
	readonly requests: string[];
	readonly complaints: string[];
}

async function withPage(work: (page: Page, seen: Seen) => Promise<void>): Promise<void> {
	const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
	try {
		const page = await browser.newPage();
		// The policy forbids scripts put into the page; axe is one.
		await page.addInitScript(AXE);
		page.setDefaultTimeout(WAIT_MS);
		const seen: Seen = { requests: [], complaints: [] };
		page.on("request", (request) => seen.requests.push(request.url()));
		page.on("pageerror", (error) => seen.complaints.push(error.message));
		page.on("console", (message) => {
			if (message.type() === "error") seen.complaints.push(message.text());
		});
		await work(page, seen);
	} finally {
		await browser.close();
	}
}

test("a key is entered, a query sent and rows shown, without a request elsewhere", {
	skip: CHROMIUM === undefined ? "no Chromium is installed" : false,
}, async () => {
	const served = await ServedFixture.start("node");
	try {
		const key = await served.key();
		await withPage(async (page, seen) => {
			const origin = `http://127.0.0.1:${served.port}`;
			await page.goto(`${origin}/docs`);
			const authorize = page.getByRole("button", { name: "Authorize", exact: true }).first();
			await authorize.press("Enter");
			const dialog = page.getByRole("dialog", { name: "Available authorizations" });
			assert.equal(await dialog.getByRole("button", { name: "Close", exact: true }).first().count(), 1);
			assert.equal(await dialog.locator(".close-modal").getAttribute("aria-label"), "Close");
			await page.keyboard.press("Escape");
			await dialog.waitFor({ state: "detached" });
			await page.locator("button.authorize:focus").waitFor();
			await authorize.click();
			await page.locator(".auth-container input[type=text]").first().fill(key);
			await page.locator(".auth-container button.authorize").first().click();
			await page.locator(".btn-done").first().click();

			const operation = page.locator("#operations-Licenses-listLicenses");
			await operation.locator(".opblock-summary").click();
			await operation.locator('tr[data-param-name="country"] select').selectOption("US");
			await operation.locator("button.execute").click();
			const answer = operation.locator(".live-responses-table");
			await answer.locator(".response-col_status").first().waitFor();
			assert.match(await answer.locator("tbody .response-col_status").first().innerText(), /200/);
			assert.match(await answer.innerText(), /"country": "US"/);
			assert.equal(await page.getByRole("status").innerText(), "Response with status 200");
			const state = operation.getByRole("listbox", { name: "state", exact: true });
			assert.equal(await state.count(), 1, "a control has the name of its parameter");
			const cities = operation.locator('tr[data-param-name="city"]');
			await cities.getByRole("button", { name: "Add" }).click();
			assert.equal(await cities.getByRole("textbox", { name: "city", exact: true }).count(), 1);
			// What each operation's head is, a button with links and buttons in it, is beyond this page's reach.
			const faults = await page.evaluate(`axe.run(document, {
				runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
				rules: {
					"nested-interactive": { enabled: false },
					"landmark-no-duplicate-main": { enabled: true },
					"landmark-main-is-top-level": { enabled: true },
				},
			}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))`);
			assert.deepEqual(faults, []);
			const links = (await page.evaluate("[...document.links].map(({ href }) => href)")) as string[];
			assert.deepEqual(
				links.filter((href) => !href.startsWith(origin)),
				[],
			);

			assert.deepEqual(seen.complaints, []);
			const elsewhere = seen.requests.filter((url) => !url.startsWith(origin) && !url.startsWith("data:"));
			assert.deepEqual(elsewhere, []);
			assert.ok(seen.requests.some((url) => url.includes("country=US")));
		});
	} finally {
		await served.close();
	}
});

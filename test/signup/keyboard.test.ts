/**
 * Signup and portal by the keyboard alone, in Chromium: the order of tab stops, that each shows where the
 * keyboard is, that none is a trap, and the whole way with Tab, Space and Enter. Skipped where no Chromium is
 * installed.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { chromium, type Page } from "playwright-core";
import { CHROMIUM, skip } from "./installed-chromium.js";
import { linkOf } from "./mail-server.js";
import { SignupFixture } from "./signup-fixture.js";

const WAIT_MS = 30_000;
/** More than any page has. */
const STOPS_MAX = 40;

/** What every page begins with. */
const EVERYWHERE = [/a Skip to the content/, /a Rollcall/];

/** Where the keyboard is. */
interface Stop {
	/** Element and name; empty: nowhere, as before the first stop and after the last. */
	readonly name: string;
	/** Whether it is marked: by an outline or a shadow that it does not have without focus. */
	readonly isMarked: boolean;
	readonly isInView: boolean;
	/** Its place, to compare with that of others. */
	readonly top: number;
}

const HERE = `(() => {
	const element = document.activeElement;
	if (element === null || element === document.body) return { name: "", isMarked: true, isInView: true, top: 0 };
	const box = element.getBoundingClientRect();
	const name = element.getAttribute("aria-label") ?? element.labels?.[0]?.innerText ?? element.innerText ?? "";
	// Widgets draw the mark around what they wrap.
	const marks = [element, element.parentElement].map((each) => getComputedStyle(each));
	const isMarked = marks.some((style) =>
		(style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none");
	return {
		name: (element.tagName.toLowerCase() + " " + name.trim().split("\\n")[0]).trim(),
		isMarked,
		isInView: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
		top: box.top + scrollY,
	};
})()`;

/** The stops from the beginning of the page until the keyboard leaves it. */
async function stopsOf(page: Page): Promise<Stop[]> {
	const stops: Stop[] = [];
	for (let i = 0; i < STOPS_MAX; i++) {
		await page.keyboard.press("Tab");
		const here = (await page.evaluate(HERE)) as Stop;
		if (here.name === "") return stops;
		stops.push(here);
	}
	assert.fail(`the keyboard does not leave: ${stops.map(({ name }) => name).join(", ")}`);
}

/** Checks that the page's stops are these, in this order, there and back. */
async function checkOrder(page: Page, expected: readonly RegExp[]): Promise<void> {
	await page.evaluate("document.activeElement?.blur?.(); getSelection()?.removeAllRanges(); scrollTo(0, 0)");
	const stops = await stopsOf(page);
	const names = stops.map(({ name }) => name);
	const wanted = [...EVERYWHERE, ...expected];
	assert.equal(names.length, wanted.length, names.join(", "));
	for (const [i, { name, isMarked, isInView, top }] of stops.entries()) {
		assert.match(name, wanted[i], names.join(", "));
		assert.ok(isMarked, `${name} shows that the keyboard is there`);
		assert.ok(isInView, `${name} is in view`);
		if (i > 0) assert.ok(top >= stops[i - 1].top - 40, `${name} is not above ${names[i - 1]}`);
	}
	// Backwards from the end; Chromium without a window goes round there.
	const back: string[] = [];
	while (back.length < names.length) {
		await page.keyboard.press("Shift+Tab");
		const { name } = (await page.evaluate(HERE)) as Stop;
		if (name !== "") back.push(name);
	}
	assert.deepEqual(back.reverse(), names);
	assert.equal(await page.locator("[tabindex]:not([tabindex='0']):not([tabindex='-1'])").count(), 0);
}

/** Presses Tab until the keyboard is at a stop of this name. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
	for (let i = 0; i < STOPS_MAX; i++) {
		if (name.test(((await page.evaluate(HERE)) as Stop).name)) return;
		await page.keyboard.press("Tab");
	}
	assert.fail(`no stop ${name}`);
}

test("signup and portal are usable by Tab, Space and Enter, in an order that follows the page", {
	skip,
}, async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 1_000 });
	const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
	t.after(() => browser.close());
	const page = await browser.newPage({ viewport: { width: 1_000, height: 700 } });
	page.setDefaultTimeout(WAIT_MS);

	await page.goto(`${signup.origin}/signup`);
	await page.locator("form button[type=submit]:enabled").waitFor();
	await checkOrder(page, [
		/input Email address/,
		/input (Verified|I'm not a robot)/,
		/button Send me a key/,
		/a See its limits/,
	]);
	await tabTo(page, /Email address/);
	await page.keyboard.type("jo@example.com");
	await tabTo(page, /Send me a key/);
	await page.keyboard.press("Space");
	await page.getByText("an email is on its way").waitFor();

	await signup.selfServe.queue.run();
	const [mail] = signup.mail.mailsTo("jo@example.com");
	await page.goto(signup.origin + linkOf(mail));
	await checkOrder(page, [/button Show my key/]);
	await tabTo(page, /Show my key/);
	await page.keyboard.press("Enter");
	await page.locator("#key").waitFor();
	// The key and the example can be scrolled, and copied, from the keyboard.
	await checkOrder(page, [/pre rollcall_/, /pre curl/, /a See limits/, /a read the reference/]);
	const key = await page.locator("#key").innerText();

	await signup.access.settle();
	await page.goto(`${signup.origin}/portal`);
	await checkOrder(page, [/input Key/, /button Open/]);
	await tabTo(page, /input Key/);
	await page.keyboard.type(key);
	await page.keyboard.press("Enter");
	await page.getByText("trial key, active").waitFor();
	await page.evaluate("document.activeElement?.blur?.()");
	const stops = await stopsOf(page);
	for (const { name, isMarked, isInView } of stops) assert.ok(isMarked && isInView, name);
	const names = stops.map(({ name }) => name);
	const placeOf = (name: RegExp) => names.findIndex((each) => name.test(each));
	const order = [/button Replace/, /input .*Revoke/i, /button Revoke/].map(placeOf);
	assert.ok(order[0] >= 0 && order[0] < order[1] && order[1] < order[2], names.join(", "));
	const [{ id }] = signup.access.store.keys();
	await tabTo(page, /input .*Revoke/i);
	await page.keyboard.type(id);
	await page.keyboard.press("Tab");
	await page.keyboard.press("Space");
	await page.locator("p:focus", { hasText: "The key is revoked." }).waitFor();
	assert.equal(signup.authenticate(key), "unauthorized");
});

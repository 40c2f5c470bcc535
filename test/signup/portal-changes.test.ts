/** Changes of a key in the portal by HTTP: how many a day, several at a time, and by which of its texts. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SignupFixture } from "./signup-fixture.js";

test("a key is rotated in the portal twenty times a day at most, so that the audit log grows no faster", async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 10_000 });
	let { key } = await signup.keyFor("jo@example.com");
	const rotate = () => signup.post("/portal/rotate", { grace: "none" }, { Authorization: `Bearer ${key}` });
	const entries = signup.access.store.generation();
	for (let i = 0; i < 20; i++) {
		const rotated = await rotate();
		assert.equal(rotated.status, 200, rotated.text);
		({ key } = JSON.parse(rotated.text));
	}
	const refused = await rotate();
	assert.deepEqual([refused.status, JSON.parse(refused.text).error.code], [429, "rate_limited"]);
	assert.ok(Number(refused.headers.get("retry-after")) > 0);
	assert.equal(signup.access.store.generation(), entries + 20);
	assert.equal(signup.authenticate(key), "ok", "the key stays as it was");
	signup.clock.nowMs += 86_400_000;
	assert.equal((await rotate()).status, 200);
});

test("of requests that change a key at the same time, one is answered with the key that works then", async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 10_000 });
	const made = await signup.keyFor("jo@example.com");
	const post = (path: string, body: object, key: string) =>
		signup.post(path, body, { Authorization: `Bearer ${key}` });
	const rotations = await Promise.all(
		Array.from({ length: 8 }, () => post("/portal/rotate", { grace: "none" }, made.key)),
	);
	const rotated = rotations.filter(({ status }) => status === 200);
	assert.equal(rotated.length, 1);
	for (const { status, text } of rotations)
		if (status !== 200) assert.deepEqual([status, JSON.parse(text).error.code], [401, "unauthorized"]);
	const { key } = JSON.parse(rotated[0].text);
	assert.equal(signup.authenticate(key), "ok");

	const ends = await Promise.all([
		post("/portal/revoke", { confirm: made.id }, key),
		post("/portal/rotate", { grace: "1h" }, key),
		post("/portal/revoke", { confirm: made.id }, key),
	]);
	const refused = ends.filter(({ status }) => status !== 200);
	assert.ok(refused.length > 0 && refused.every(({ status }) => status === 401));
	assert.notEqual(signup.authenticate(key), "ok");
});

test("the text of a replaced key reads until its grace ends and changes nothing: it may be the one that leaked", async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 10_000 });
	const made = await signup.keyFor("jo@example.com");
	const by = (key: string) => ({ Authorization: `Bearer ${key}` });
	const rotated = await signup.post("/portal/rotate", { grace: "1h" }, by(made.key));
	const { key } = JSON.parse(rotated.text);
	assert.equal((await signup.get("/portal/key", by(made.key))).status, 200);
	for (const [path, body] of [
		["/portal/rotate", { grace: "1h" }],
		["/portal/rotate", { grace: "none" }],
		["/portal/revoke", { confirm: made.id }],
	] as const) {
		const { status, text } = await signup.post(path, body, by(made.key));
		assert.deepEqual([status, JSON.parse(text).error.code], [403, "key_replaced"], path);
	}
	assert.equal(signup.authenticate(key), "ok");
	assert.equal(signup.authenticate(made.key), "ok", "its grace runs");
	assert.equal((await signup.post("/portal/revoke", { confirm: made.id }, by(key))).status, 200);
});

test("the text of a replaced key uses up none of the day's rotations of its owner", async (t) => {
	const signup = await SignupFixture.start(t, { signup_requests_per_minute: 10_000 });
	const made = await signup.keyFor("jo@example.com");
	const rotate = (key: string) =>
		signup.post("/portal/rotate", { grace: "1h" }, { Authorization: `Bearer ${key}` });
	const { key } = JSON.parse((await rotate(made.key)).text);
	for (let i = 0; i < 20; i++) assert.equal((await rotate(made.key)).status, 403);
	assert.equal((await rotate(key)).status, 200);
});

test("the owner gets the new text of a key even if counts cannot be stored then", async (t) => {
	const signup = await SignupFixture.start(t);
	const made = await signup.keyFor("jo@example.com");
	const { settle } = signup.access;
	signup.access.settle = () => Promise.reject(new Error("no room"));
	const by = (key: string) => ({ Authorization: `Bearer ${key}` });
	const rotated = await signup.post("/portal/rotate", { grace: "none" }, by(made.key));
	const { key } = JSON.parse(rotated.text);
	assert.equal(signup.authenticate(key), "ok", rotated.text);
	assert.equal((await signup.post("/portal/revoke", { confirm: made.id }, by(key))).status, 200);
	signup.access.settle = settle;
});

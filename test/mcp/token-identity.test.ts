/** Identification by an access token: when it waits for current keys, and that it ends with the token. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Admission } from "../../server/api/admission.js";
import type { AccessTokens, TokenGrant } from "../../server/mcp/oauth/access-tokens.js";
import { identifyByToken } from "../../server/mcp/oauth/token-identity.js";

const UNTIL_MS = 1_000;

/** The identity of a token that is known; what of admission it calls is added to `called`. */
function identityOf(called: string[]) {
	const admission = {
		identifyById: (id: string) => called.push(`identifyById ${id}`),
		identifyByIdEarly: (id: string) => called.push(`identifyByIdEarly ${id}`),
	} as unknown as Admission;
	const known: TokenGrant = { keyId: "key_1", untilMs: UNTIL_MS };
	const tokens = { known: () => known } as unknown as AccessTokens;
	return identifyByToken(admission, tokens, "a.b.c", {} as never, {} as never);
}

test("a request by a token waits for current keys once its body has come, and not before", async () => {
	const called: string[] = [];
	const { identify, identifyEarly } = await identityOf(called);
	identifyEarly(UNTIL_MS - 1);
	identify(UNTIL_MS - 1);
	assert.deepEqual(called, ["identifyByIdEarly key_1", "identifyById key_1"]);
});

test("a token that expires while its request lasts stands for no key", async () => {
	const called: string[] = [];
	const { identify, identifyEarly } = await identityOf(called);
	for (const each of [identify, identifyEarly])
		assert.throws(() => each(UNTIL_MS), { code: "unauthorized", challenge: ', error="invalid_token"' });
	assert.deepEqual(called, []);
});

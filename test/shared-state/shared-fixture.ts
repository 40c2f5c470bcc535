/** A data folder with the fixture's months and a Redis, for all tests of a suite. */

import { rmSync } from "node:fs";
import { after, before } from "node:test";
import { fixtureFolder } from "../http/served.js";
import { RedisServer } from "./redis-server.js";

export interface SharedFixture {
	/** The data folder. */
	readonly months: string;
	readonly redis: RedisServer;
}

/** Makes both before the tests of the suite it is called in, and removes them after. */
export function sharedFixture(): SharedFixture {
	let months = "";
	let redis: RedisServer | null = null;
	before(async () => {
		months = await fixtureFolder();
		redis = await RedisServer.start();
	});
	after(async () => {
		if (months !== "") rmSync(months, { recursive: true, force: true });
		await redis?.close();
	});
	return {
		get months() {
			return months;
		},
		get redis() {
			if (redis === null) throw new Error("the fixture is used before it is made");
			return redis;
		},
	};
}

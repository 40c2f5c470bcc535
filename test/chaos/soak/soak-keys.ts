/**
 * The keys of a soak: one of every kind of grant, none of them stopped by a limit but the one that
 * is there to be stopped. What answers each may get follows from its record alone.
 */

import type { Key } from "../../../server/keys/key.js";
import { keyOfRecord } from "../../../server/keys/key-of-record.js";
import { createKey, type KeyRequest } from "../../../server/keys/lifecycle.js";
import { Store } from "../../../server/store/store.js";

export const KEY_CLASSES = ["open", "prior", "masked", "demo", "columns", "paused", "rotated"] as const;
export type KeyClass = (typeof KEY_CLASSES)[number];

/** The key whose limit is reached every minute. */
export const LIMITED = "limited";
export const LIMITED_PER_MINUTE = 20;

export interface SoakKey {
	readonly id: string;
	readonly text: string;
	readonly key: Key;
}

export type SoakKeys = Readonly<Record<KeyClass | typeof LIMITED, SoakKey>>;

const UNLIMITED = { per_minute: 1_000_000_000, per_day: null, monthly_quota: null };
const EVERYTHING = { geography: null, columns: null, history: { mode: "all" } } as const;

const REQUESTS: Readonly<
	Record<KeyClass | typeof LIMITED, Pick<KeyRequest, "tier" | "scope" | "rate_limits">>
> = {
	open: { tier: "enterprise", scope: EVERYTHING, rate_limits: UNLIMITED },
	prior: {
		tier: "production",
		scope: {
			geography: { countries: [], states: ["CA", "TX"] },
			columns: null,
			history: { mode: "months", months: 1 },
		},
		rate_limits: UNLIMITED,
	},
	masked: {
		tier: "trial",
		scope: { ...EVERYTHING, history: { mode: "latest" } },
		rate_limits: UNLIMITED,
	},
	demo: {
		tier: "demo",
		scope: { ...EVERYTHING, geography: { countries: ["CA"], states: [] } },
		rate_limits: UNLIMITED,
	},
	columns: {
		tier: "enterprise",
		scope: {
			...EVERYTHING,
			columns: ["id", "snapshot", "state", "member_full_name", "office_name", "member_license_status"],
		},
		rate_limits: UNLIMITED,
	},
	paused: { tier: "production", scope: EVERYTHING, rate_limits: UNLIMITED },
	rotated: { tier: "production", scope: EVERYTHING, rate_limits: UNLIMITED },
	limited: {
		tier: "production",
		scope: EVERYTHING,
		rate_limits: { ...UNLIMITED, per_minute: LIMITED_PER_MINUTE },
	},
};

/** Makes every key in `dataFolder`. */
export async function createSoakKeys(dataFolder: string): Promise<SoakKeys> {
	const store = Store.open({ dataFolder, create: true });
	try {
		const made: Record<string, SoakKey> = {};
		for (const [name, request] of Object.entries(REQUESTS)) {
			const { record, text } = await createKey(
				store,
				{ ...request, name, lifetimeMs: null },
				{ by: "soak", nowMs: Date.now() },
			);
			made[name] = { id: record.id, text, key: keyOfRecord(record) };
		}
		return made as SoakKeys;
	} finally {
		await store.close();
	}
}

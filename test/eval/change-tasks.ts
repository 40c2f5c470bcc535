/** Tasks about what changed from one month to another. */

import type { Drop } from "./drop.js";
import type { Row } from "./session.js";
import type { Task, TaskMaker, World } from "./task.js";

/** Licenses of a state by number; where a month lists one more than once, as the contract says: the lowest id. */
function licensesOf(drop: Drop, state: string): Map<string, number> {
	const rows = drop.where({ state }, (row) => drop.value(row, "member_state_license_number") !== "");
	const fold = (row: number, column: "member_last_name" | "member_first_name") =>
		drop.value(row, column).normalize("NFC").toLowerCase();
	const key = (row: number) => `${fold(row, "member_last_name")}\u0000${fold(row, "member_first_name")}`;
	const isBefore = (a: number, b: number) => {
		const [keyA, keyB] = [key(a), key(b)];
		return keyA === keyB ? a < b : keyA < keyB;
	};
	const licenses = new Map<string, number>();
	for (const row of rows) {
		const number = drop.value(row, "member_state_license_number");
		const known = licenses.get(number);
		if (known === undefined || isBefore(row, known)) licenses.set(number, row);
	}
	return licenses;
}

/** Compares a state's licenses in the last two months. */
function compared({ previous, latest }: World, state: string) {
	const [before, after] = [licensesOf(previous, state), licensesOf(latest, state)];
	const gone = [...before.keys()].filter((number) => !after.has(number)).sort();
	const isNew = [...after.keys()].filter((number) => !before.has(number));
	const changed = (column: "office_name" | "member_license_status") =>
		[...after].filter(([number, row]) => {
			const old = before.get(number);
			return old !== undefined && previous.value(old, column) !== latest.value(row, column);
		}).length;
	return { gone, isNew, changed };
}

export const lostLicenses: TaskMaker = (world) =>
	world.states.slice(0, 3).map((state): Task => {
		const { gone, changed } = compared(world, state);
		const [from, to] = [world.previous.month, world.latest.month];
		return {
			kind: "who lost a license between two months",
			question: `Which licenses of ${state} were there in ${from} and are gone in ${to}, and how many changed status?`,
			key: "full",
			truth: { gone: gone.slice(0, 50), total: gone.length, status: changed("member_license_status") },
			async answer(session) {
				const numbers: unknown[] = [];
				let cursor: unknown;
				let total: unknown = null;
				do {
					const place = cursor === undefined ? {} : { cursor };
					const asked = { from, to, state, kind: "gone", fields: ["id"], limit: 50, ...place };
					const { data, meta, pagination } = await session.call("license_changes", asked);
					numbers.push(...(data as Row[]).map((entry) => entry.license_number));
					total = (meta.totals as Row).gone;
					cursor = pagination.next_cursor ?? undefined;
				} while (cursor !== undefined && numbers.length < 50);
				const status = await session.call("license_changes", {
					from,
					to,
					state,
					kind: "changed",
					field: "member_license_status",
					limit: 1,
				});
				return {
					gone: numbers.map(String).sort().slice(0, 50),
					total,
					status: (status.meta.totals as Row).changed,
				};
			},
		};
	});

/** A task for each of the last three states: to count changes of one kind. */
function countTasks(
	world: World,
	kind: string,
	question: (state: string) => string,
	truth: (state: string) => number,
	asked: Row & { readonly kind: "new" | "changed" },
): Task[] {
	return world.states.slice(-3).map(
		(state): Task => ({
			kind,
			question: question(state),
			key: "full",
			truth: truth(state),
			async answer(session) {
				const { meta } = await session.call("license_changes", { state, ...asked, limit: 1 });
				return (meta.totals as Row)[asked.kind];
			},
		}),
	);
}

export const newLicenses: TaskMaker = (world) =>
	countTasks(
		world,
		"new last month",
		(state) => `How many licenses of ${state} are new in ${world.latest.month}?`,
		(state) => compared(world, state).isNew.length,
		{ kind: "new" },
	);

export const officeChanges: TaskMaker = (world) =>
	countTasks(
		world,
		"office changes in a state",
		(state) => `How many licensees of ${state} changed office since ${world.previous.month}?`,
		(state) => compared(world, state).changed("office_name"),
		{ kind: "changed", field: "office_name" },
	);

/** A task for each of the last three states: which of its offices gained most, and how many of its cities lost licenses. */
export const growthAndDecline: TaskMaker = (world) =>
	world.states.slice(-3).map((state): Task => {
		const office = changesBy(world, state, "office_name");
		const cities = changesBy(world, state, "member_city");
		return {
			kind: "growth of offices, decline of cities",
			question: `How many licenses did the office in ${state} that grew most gain since last month, and how many cities lost some?`,
			key: "full",
			truth: {
				most: Math.max(...office.values()),
				cities: [...cities.values()].filter((change) => change < 0).length,
			},
			async answer(session) {
				const asked = { state, compare: world.previous.month };
				const grown = await session.call("aggregate_licenses", {
					...asked,
					by: "office_name",
					present: "office_name",
					sort: "growth",
					top: 1,
				});
				const lost = await session.call("aggregate_licenses", {
					...asked,
					by: "member_city",
					present: "member_city",
					sort: "decline",
					top: 1,
				});
				return { most: (grown.data as Row[])[0].change, cities: lost.meta.groups };
			},
		};
	});

/** How far the rows of each value of a column changed between the last two months. */
function changesBy(
	{ previous, latest }: World,
	state: string,
	column: "office_name" | "member_city",
): Map<string, number> {
	const changes = new Map<string, number>();
	for (const [drop, sign] of [
		[previous, -1],
		[latest, 1],
	] as const) {
		const counts = drop.count(drop.where({ state }), (row) => drop.value(row, column));
		for (const [value, rows] of Object.entries(counts))
			changes.set(value, (changes.get(value) ?? 0) + sign * rows);
	}
	return changes;
}

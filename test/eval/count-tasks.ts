/** Tasks that count: top lists, shares, vocabularies, exports. */

import type { Row } from "./session.js";
import { countsOf, draw, sorted, type Task, type TaskMaker } from "./task.js";

/** More groups than any of these questions has. */
const ALL_GROUPS = 200;

export const topBrokerages: TaskMaker = (world) =>
	[0, 1, 2].map((): Task => {
		const { latest } = world;
		const { state, member_city: city } = draw(
			world,
			"of a city of some size",
			(row) =>
				row.member_city !== "" &&
				latest.where({ state: row.state, member_city: row.member_city }).length > 20,
		);
		const rows = latest.where({ state, member_city: city }, (row) => latest.isActive(row));
		const sizes = Object.values(latest.count(rows, (row) => latest.value(row, "office_name")));
		return {
			kind: "top brokerages of a city",
			question: `Which five brokerages in ${city}, ${state} have the most active licenses?`,
			key: "full",
			truth: sizes.sort((a, b) => b - a).slice(0, 5),
			async answer(session) {
				const { data } = await session.call("aggregate_licenses", {
					by: "office_name",
					state,
					city,
					status_group: "active",
					present: "office_name",
					top: 5,
				});
				return (data as Row[]).map(({ rows: size }) => size);
			},
		};
	});

export const activeByState: TaskMaker = (world) =>
	(["US", "CA", null] as const).map((country): Task => {
		const counts = ({ latest }: typeof world, drop = latest) =>
			drop.count(
				drop.where(country === null ? {} : { country }, (row) => drop.isActive(row)),
				(row) => drop.value(row, "state"),
			);
		return {
			kind: "active by state, now and before",
			question: `How many active licenses does each state${country === null ? "" : ` of ${country}`} have, now and in ${world.oldest.month}?`,
			key: "full",
			truth: [counts(world), counts(world, world.oldest)],
			async answer(session) {
				const answers: Record<string, number>[] = [];
				for (const snapshot of [world.latest.month, world.oldest.month]) {
					const place = country === null ? {} : { country };
					const asked = { by: "state", status_group: "active", top: ALL_GROUPS, snapshot, ...place };
					answers.push(countsOf((await session.call("aggregate_licenses", asked)).data));
				}
				return answers;
			},
		};
	});

export const largeOffices: TaskMaker = (world) =>
	world.states.slice(-3).map((state): Task => {
		const { latest } = world;
		const sizes = latest.count(latest.where({ state }), (row) => latest.value(row, "office_name"));
		// The threshold of the question is 50 where the months are large enough to have such offices.
		const most = Math.max(...Object.values(sizes));
		const least = Math.min(50, Math.floor(most / 2));
		const truth = Object.values(sizes).filter((size) => size > least).length;
		return {
			kind: "offices above 50 agents",
			question: `How many offices in ${state} have more than ${least} licenses?`,
			key: "full",
			truth,
			async answer(session) {
				const { meta } = await session.call("aggregate_licenses", {
					by: "office_name",
					state,
					present: "office_name",
					min_count: least + 1,
					top: 5,
				});
				return meta.groups;
			},
		};
	});

export const activeWords: TaskMaker = (world) =>
	world.states.slice(-3).map((state): Task => {
		const { latest } = world;
		const rows = latest.where({ state }, (row) => latest.isActive(row));
		const words = latest.count(rows, (row) => latest.value(row, "member_license_status"));
		return {
			kind: "which statuses mean active",
			question: `Which license statuses mean active in ${state}?`,
			key: "full",
			truth: Object.keys(words).sort(),
			async answer(session) {
				const asked = { by: "license_status", state, status_group: "active" };
				const { data } = await session.call("aggregate_licenses", asked);
				return Object.keys(countsOf(data)).sort();
			},
		};
	});

export const zipPrefix: TaskMaker = (world) =>
	[0, 1, 2].map((): Task => {
		const { latest } = world;
		const { member_postal_code } = draw(world, "with a ZIP code", (row) =>
			/^\d{5}$/.test(row.member_postal_code),
		);
		const prefix = member_postal_code.slice(0, 3);
		return {
			kind: "a ZIP prefix",
			question: `How many licensees have an address in ${prefix}xx?`,
			key: "full",
			truth: latest.where({}, (row) => latest.value(row, "member_postal_code").startsWith(prefix)).length,
			async answer(session) {
				const { pagination } = await session.call("search_licenses", { postal_prefix: prefix, limit: 1 });
				return pagination.total;
			},
		};
	});

export const exports: TaskMaker = (world) =>
	world.states.slice(0, 3).map(
		(state): Task => ({
			kind: "export of a small state",
			question: `Give me all licenses of ${state} as a CSV file.`,
			key: "full",
			truth: world.latest.where({ state }).length,
			async answer(session) {
				if (!session.says(/GET \/v1\/licenses.*format=csv/)) return null;
				const { pagination } = await session.call("search_licenses", { state, limit: 1 });
				let rows = 0;
				for (let page = 1; rows < Number(pagination.total); page++) {
					const path = `/v1/licenses?state=${state}&format=csv&limit=1000&page=${page}`;
					const lines = (await session.download(path)).trim().split("\n").length - 1;
					if (lines === 0) break;
					rows += lines;
				}
				return rows;
			},
		}),
	);

export const issuesByYear: TaskMaker = (world) =>
	world.states.slice(-3).map((state): Task => {
		const { latest } = world;
		const years = latest.count(latest.where({ state }), (row) =>
			latest.value(row, "member_license_issued").slice(0, 4),
		);
		return {
			kind: "issues by year",
			question: `How many of the licenses of ${state} were issued in each year?`,
			key: "full",
			truth: sorted(years),
			async answer(session) {
				const { data } = await session.call("aggregate_licenses", {
					by: "issued_year",
					state,
					top: ALL_GROUPS,
				});
				return countsOf(data);
			},
		};
	});

export const emailShare: TaskMaker = (world) =>
	([world.latest, world.previous, world.oldest] as const).map((drop): Task => {
		const stateOf = (row: number) => drop.value(row, "state");
		const rows = drop.where({ country: "US" });
		const all = drop.count(rows, stateOf);
		const withEmail = drop.count(
			rows.filter((row) => drop.value(row, "matched_email") !== ""),
			stateOf,
		);
		const share = (part: Record<string, number>, whole: Record<string, number>) =>
			sorted(
				Object.fromEntries(
					Object.entries(whole).map(([state, count]) => [
						state,
						Math.round((100 * (part[state] ?? 0)) / count),
					]),
				),
			);
		return {
			kind: "e-mail share by state",
			question: `What share of licensees has a matched e-mail address in each US state in ${drop.month}, in percent?`,
			key: "full",
			truth: share(withEmail, all),
			async answer(session) {
				const asked = { by: "state", country: "US", top: ALL_GROUPS, snapshot: drop.month };
				const whole = await session.call("aggregate_licenses", asked);
				const part = await session.call("aggregate_licenses", { ...asked, present: "matched_email" });
				return share(countsOf(part.data), countsOf(whole.data));
			},
		};
	});

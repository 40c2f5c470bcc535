/**
 * Tasks in which the obvious call finds nothing, is refused, or answers only a part: the answer, the hint or
 * the error must say so, and how to go on.
 */

import type { Row, Session } from "./session.js";
import { draw, type Task, type TaskMaker, type World } from "./task.js";

/** The first nearest value of a hint about an argument; undefined: no hint has one. */
function nearestOf(meta: Row, argument: string): string | undefined {
	const hints = (meta.hints ?? []) as { param: string; nearest: string[] }[];
	return hints.find(({ param }) => param === argument)?.nearest[0];
}

/** Searches; without rows, once more with the nearest value that a hint names. */
async function searchWithHint(session: Session, args: Row, argument: string): Promise<Row> {
	const first = await session.call("search_licenses", args);
	if (first.pagination.total !== 0) return first.pagination;
	const near = nearestOf(first.meta, argument);
	if (near === undefined) return first.pagination;
	return (await session.call("search_licenses", { ...args, [argument]: near })).pagination;
}

/** Three tasks that give one filter in a spelling that no row has. */
function spelt(
	world: World,
	kind: string,
	argument: "city" | "license_number" | "office_name_is",
	column: "member_city" | "member_state_license_number" | "office_name",
	spell: (text: string) => string,
): Task[] {
	return [0, 1].map((): Task => {
		const row = draw(world, kind, (each) => each[column].length >= 5 && spell(each[column]) !== each[column]);
		const asked = spell(row[column]);
		const truth = world.latest.where({ state: row.state, [column]: row[column] }).length;
		return {
			kind,
			question: `How many licenses of ${row.state} have ${argument} ${asked}?`,
			key: "full",
			truth,
			async answer(session) {
				return (await searchWithHint(session, { state: row.state, [argument]: asked, limit: 1 }, argument))
					.total;
			},
		};
	});
}

export const citySpellings: TaskMaker = (world) =>
	spelt(world, "a city in another case", "city", "member_city", (text) => text.toUpperCase());

export const numberSpellings: TaskMaker = (world) =>
	spelt(world, "a number in another spelling", "license_number", "member_state_license_number", (text) =>
		/^\d+$/.test(text) ? `${text}-XX` : text,
	);

export const officeSpellings: TaskMaker = (world) =>
	spelt(world, "an office misspelt", "office_name_is", "office_name", (text) =>
		// One letter is left out of a word that is long enough for the hint to forgive it.
		text.replace(/(?<!\p{L})(\p{L}{3})\p{L}(\p{L}{4,})/u, "$1$2"),
	);

/** Refused or empty questions: the truth is what must be said. */
export const refusals: TaskMaker = (world) => [
	{
		kind: "who has this e-mail",
		question: "Whose e-mail address is someone@example.com?",
		key: "full",
		truth: "there is no search by e-mail",
		async answer(session) {
			const reply = await session.call("search_licenses", { member_email: "someone@example.com" }, true);
			return !reply.ok && /without a filter/.test(reply.message) && session.says(/No filter reads e-mails/)
				? "there is no search by e-mail"
				: null;
		},
	},
	{
		kind: "nobody of that name",
		question: "Is Zzyzx Qwortlebee licensed anywhere?",
		key: "full",
		truth: { total: 0, told: true },
		async answer(session) {
			const { pagination, meta } = await session.call("search_licenses", { name: "Zzyzx Qwortlebee" });
			return { total: pagination.total, told: Array.isArray(meta.hints) };
		},
	},
	{
		kind: "a state by its name",
		question: "How many licenses does Texas have?",
		key: "full",
		truth: world.latest.where({ state: "TX" }).length,
		async answer(session) {
			const first = await session.call("search_licenses", { state: "Texass", limit: 1 });
			if (first.ok) return first.pagination.total;
			const state = /did you mean "([A-Z]{2})"/.exec(first.message)?.[1];
			return state === undefined
				? null
				: (await session.call("search_licenses", { state, limit: 1 })).pagination.total;
		},
	},
	{
		kind: "a status of another state",
		question: "How many licenses of the largest state are active?",
		key: "full",
		truth: activeOfLargest(world),
		async answer(session) {
			const state = world.states.at(-1);
			const word = await session.call("search_licenses", {
				state,
				license_status: "In good order",
				limit: 1,
			});
			if (word.pagination.total !== 0 || !Array.isArray(word.meta.hints)) return null;
			const group = await session.call("search_licenses", { state, status_group: "active", limit: 1 });
			return group.pagination.total;
		},
	},
];

function activeOfLargest({ latest, states }: World): number {
	return latest.where({ state: states.at(-1) as string }, (row) => latest.isActive(row)).length;
}

/** What bounds the key must be said with the answer. */
export const bounds: TaskMaker = (world) => [
	{
		kind: "masked e-mail addresses",
		question: "What is the e-mail address of this licensee?",
		key: "trial",
		truth: "masked",
		async answer(session) {
			const asked = { present: "matched_email", fields: ["id", "matched_email"], limit: 1 };
			const { rows, meta } = await session.call("search_licenses", asked);
			if ((meta.masked as string[] | undefined)?.includes("matched_email")) return "masked";
			return rows[0]?.matched_email ?? null;
		},
	},
	{
		kind: "a narrowed key counts its part",
		question: "How many licenses are there?",
		key: "texas",
		truth: { total: world.latest.where({ state: "TX" }).length, of: ["TX"] },
		async answer(session) {
			const { pagination, meta } = await session.call("search_licenses", { limit: 1 });
			const { geography } = (meta.scope ?? {}) as { geography?: { states: string[] } };
			return { total: pagination.total, of: geography?.states ?? "all" };
		},
	},
	{
		kind: "a state outside the key",
		question: "How many licenses does California have?",
		key: "texas",
		truth: "outside this key: states TX",
		async answer(session) {
			const reply = await session.call("search_licenses", { state: "CA", limit: 1 });
			if (reply.ok) return reply.pagination.total;
			return reply.code === "scope_denied"
				? `outside this key: ${/states TX/.exec(reply.message)?.[0]}`
				: null;
		},
	},
	{
		kind: "no history",
		question: "What changed since last month?",
		key: "latest",
		truth: "needs history",
		async answer(session) {
			const reply = await session.call("license_changes", { limit: 1 });
			return reply.code === "history_denied" ? "needs history" : reply.data;
		},
	},
	{
		kind: "a limit reached",
		question: "How many licenses are there?",
		key: "slow",
		truth: "wait",
		async answer(session) {
			for (let i = 0; i < 3; i++) {
				const reply = await session.call("search_licenses", { limit: 1 });
				if (!reply.ok) return reply.retryAfterS !== null && reply.retryAfterS > 0 ? "wait" : null;
			}
			return null;
		},
	},
	{
		kind: "more suggestions than are listed",
		question: "Which cities begin with S?",
		key: "full",
		truth: "more than 20",
		async answer(session) {
			const { data, meta, notice } = await session.call("suggest", { field: "city", q: "sa", limit: 20 });
			const count = (data as unknown[]).length;
			return count === 20 && meta.truncated === true && notice !== "" ? "more than 20" : count;
		},
	},
];

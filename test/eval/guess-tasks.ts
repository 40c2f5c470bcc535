/**
 * Tasks of an agent that guesses: tools, arguments and values by names that they do not have, and lists pasted as
 * people write them. The error must name what is meant, and the answer what was found.
 */

import type { Reply, Row, Session } from "./session.js";
import { draw, type Task, type TaskMaker } from "./task.js";

/** Refusals that a policy follows before it gives up. */
const CORRECTIONS_MAX = 2;

const UNKNOWN = /no parameter "(\w+)"; did you mean "(\w+)"/g;
const VALUE = /^(\w+) (?:has no|must be) .*; did you mean "([^"]+)"\?/;

/** The arguments as the refusal says them; null where it does not. */
function corrected(args: Row, message: string): Row | null {
	const names = new Map([...message.matchAll(UNKNOWN)].map(([, unknown, meant]) => [unknown, meant]));
	if (names.size > 0)
		return Object.fromEntries(Object.entries(args).map(([name, value]) => [names.get(name) ?? name, value]));
	const [, argument, value] = VALUE.exec(message) ?? [];
	return argument === undefined ? null : { ...args, [argument]: value };
}

async function callCorrected(session: Session, tool: string, args: Row): Promise<Reply> {
	let reply = await session.call(tool, args, true);
	for (let i = 0, asked: Row | null = args; i < CORRECTIONS_MAX && !reply.ok; i++) {
		asked = corrected(asked, reply.message);
		if (asked === null) break;
		reply = await session.call(tool, asked, true);
	}
	return reply;
}

/** Searches whose arguments are guessed; the truth is how many licenses match. */
export const guessedArguments: TaskMaker = (world) => {
	const { latest } = world;
	const row = draw(
		world,
		"of an office of a city with a number",
		(each) =>
			each.office_name !== "" && each.member_city !== "" && each.member_state_license_number.length > 4,
	);
	const { state } = row;
	const office = row.office_name.normalize("NFC").toLowerCase();
	const inOffice = (each: number) => latest.value(each, "office_name").toLowerCase().startsWith(office);
	const expiring = (each: number) => {
		const expires = latest.value(each, "member_license_expires");
		return expires !== "" && expires <= "2027-03-31";
	};
	const guesses: readonly (readonly [args: Row, truth: number])[] = [
		[
			{ license_no: row.member_state_license_number, state },
			latest.where({ state, member_state_license_number: row.member_state_license_number }).length,
		],
		[{ firm: row.office_name, state }, latest.where({ state }, inOffice).length],
		[{ town: row.member_city, states: state }, latest.where({ state, member_city: row.member_city }).length],
		[{ state, expiry_before: "2027-03-31" }, latest.where({ state }, expiring).length],
		[
			{ state, type_group: "agents" },
			latest.where({ state }, (each) => latest.typeGroup(each) === "salesperson").length,
		],
		[
			{ state: "Colombie-Britannique", status_group: "licensed" },
			latest.where({ state: "BC" }, (each) => latest.isActive(each)).length,
		],
	];
	return guesses.map(
		([args, truth]): Task => ({
			kind: "arguments by other names",
			question: `How many licenses match ${JSON.stringify(args)}?`,
			key: "full",
			truth,
			async answer(session) {
				const { pagination } = await callCorrected(session, "search_licenses", { ...args, limit: 1 });
				return pagination.total ?? null;
			},
		}),
	);
};

const GUESSED_TOOLS = {
	get_history: "license_history",
	get_changes: "license_changes",
	count_licenses: "aggregate_licenses",
	list_months: "list_snapshots",
} as const;

export const guessedTools: TaskMaker = () =>
	Object.entries(GUESSED_TOOLS).map(
		([name, tool]): Task => ({
			kind: "a tool by another name",
			question: `Which tool does what ${name} says?`,
			key: "full",
			truth: tool,
			async answer(session) {
				const { message } = await session.call(name, {}, true);
				return /did you mean "(\w+)"/.exec(message)?.[1] ?? null;
			},
		}),
	);

/** How people write a number in a list. */
const LABELS: readonly ((number: string, state: string) => string)[] = [
	(number) => `Lic. #${number}`,
	(number) => `License No. ${number}`,
	(number, state) => `${state}-${number}`,
	(number) => `no: ${number.toLowerCase()}`,
];

export const pastedNumbers: TaskMaker = (world) =>
	[0, 1].map((): Task => {
		const rows = LABELS.map(() =>
			draw(world, "of a number with letters before it", ({ member_state_license_number: number }) =>
				/^[A-Z]{2}\.?\d{5,}$/.test(number),
			),
		);
		const license = rows.map(({ state, member_state_license_number: number, member_last_name }, i) => ({
			state,
			license_number: LABELS[i](number, state),
			...(member_last_name === "" ? {} : { last_name: member_last_name }),
		}));
		return {
			kind: "a pasted list of numbers",
			question: `Which licenses are these: ${license.map((each) => each.license_number).join("; ")}?`,
			key: "full",
			truth: rows.map((row) => row.member_state_license_number),
			async answer(session) {
				const { data } = await session.call("verify_licenses", { license });
				return (data as Row[]).map(({ similar }) => (similar as string[] | undefined)?.[0] ?? null);
			},
		};
	});

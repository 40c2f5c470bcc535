/** Tasks about persons and their licenses: look-ups, spellings, rosters, verification. */

import type { DropRow } from "./drop.js";
import type { Reply, Row, Session } from "./session.js";
import { draw, type Task, type TaskMaker, type World } from "./task.js";

const PLAIN_NAME = /^[A-Z][a-z]{4,} [A-Z][a-z]{5,}$/;

/** A row whose name occurs once in its state, in the month's own spelling. */
function person(world: World, what: string, test: (row: DropRow) => boolean): DropRow {
	return draw(
		world,
		what,
		(row) =>
			row.member_license_expires !== "" &&
			row.member_state_license_number !== "" &&
			test(row) &&
			world.latest.where({ state: row.state, member_full_name: row.member_full_name }).length === 1,
	);
}

/** Words of a name as comparisons of people make them: without marks and punctuation. */
function plainWords(name: unknown): string {
	return String(name)
		.normalize("NFKD")
		.replaceAll(/\p{M}|['’.-]/gu, "")
		.toLowerCase();
}

/** The row that is named as asked; else the best match. */
function bestRow({ rows }: Reply, name: string): Row | undefined {
	return rows.find((row) => plainWords(row.member_full_name) === plainWords(name)) ?? rows[0];
}

async function findPerson(session: Session, name: string, state: string): Promise<Row | undefined> {
	return bestRow(await session.call("search_licenses", { name, state }), name);
}

/** Three tasks that name a person in some spelling and ask for the number and expiry. */
function lookups(
	world: World,
	kind: string,
	test: (row: DropRow) => boolean,
	spell: (name: string) => string,
): Task[] {
	return [0, 1, 2].map((): Task => {
		const row = person(world, kind, test);
		const asked = spell(row.member_full_name);
		return {
			kind,
			question: `What is the license number of ${asked} in ${row.state}, and when does it expire?`,
			key: "full",
			truth: [row.member_state_license_number, row.member_license_expires],
			async answer(session) {
				const found = await findPerson(session, asked, row.state);
				return found === undefined ? null : [found.member_state_license_number, found.member_license_expires];
			},
		};
	});
}

const withoutMarks = (name: string) => name.normalize("NFKD").replaceAll(/\p{M}/gu, "");

/** Leaves out one letter in the middle of the last word. */
function misspelt(name: string): string {
	const words = name.split(" ");
	const last = words.pop() as string;
	const middle = Math.floor(last.length / 2);
	return [...words, last.slice(0, middle) + last.slice(middle + 1)].join(" ");
}

export const oneLicense: TaskMaker = (world) =>
	lookups(world, "one person's license and expiry", (row) => PLAIN_NAME.test(row.member_full_name), String);

export const accents: TaskMaker = (world) =>
	lookups(world, "accents", (row) => /\p{M}/u.test(row.member_full_name.normalize("NFKD")), withoutMarks);

export const particles: TaskMaker = (world) =>
	lookups(
		world,
		"O'Brien, McDonald, De La Cruz",
		(row) => /\b(O'|Mc[A-Z]|De La |Van |Mac[A-Z])/.test(row.member_full_name),
		(name) => name.replaceAll("'", "").toLowerCase(),
	);

export const misspellings: TaskMaker = (world) =>
	lookups(world, "misspelt names", (row) => PLAIN_NAME.test(row.member_full_name), misspelt);

/** A number as people type it: in two parts. */
const inParts = (number: string) => `${number.slice(0, 3)}-${number.slice(3)}`;

export const verification: TaskMaker = (world) =>
	[0, 1, 2].map((): Task => {
		const { latest } = world;
		const plain = person(world, "of a plain number", (row) =>
			/^[1-9]\d{5,}$/.test(row.member_state_license_number),
		);
		const rows = Array.from({ length: 9 }, () =>
			person(world, "verifiable", (row) => row.member_last_name !== ""),
		);
		const given = [
			...rows.map((row, i) => ({
				state: row.state,
				license_number: i < 8 ? row.member_state_license_number : `${row.member_state_license_number}0000`,
				last_name: i === 3 ? "Nobodysname" : row.member_last_name,
			})),
			{ state: plain.state, license_number: inParts(plain.member_state_license_number) },
		];
		const expected = given.map((license) => {
			const { state, license_number: number } = license;
			const found = latest.where({ state, member_state_license_number: number });
			if (found.length === 0) return "last_name" in license ? "not_found" : "similar";
			if (!("last_name" in license)) return "match";
			const same = found.some((row) => latest.value(row, "member_last_name") === license.last_name);
			return same ? "match" : "mismatch";
		});
		return {
			kind: "ten numbers verified",
			question: "Do these ten licenses exist, and are they of these people?",
			key: "full",
			truth: expected,
			async answer(session) {
				const { data } = await session.call("verify_licenses", { license: given });
				return (data as Row[]).map((entry) => entry.outcome);
			},
		};
	});

export const roster: TaskMaker = (world) =>
	[0, 1, 2].map((): Task => {
		const size = (row: DropRow) =>
			world.latest.where({ state: row.state, office_name: row.office_name }).length;
		const { office_name, state } = draw(
			world,
			"of an office of some people",
			(row) => row.office_name !== "" && size(row) >= 3 && size(row) <= 60,
		);
		const folded = office_name.normalize("NFC").toLowerCase();
		const truth = world.latest
			.where({ state }, (row) => world.latest.value(row, "office_name").toLowerCase() === folded)
			.map((row) => world.latest.value(row, "member_full_name"))
			.sort();
		return {
			kind: "an office's roster",
			question: `Who works at ${office_name} in ${state}?`,
			key: "full",
			truth,
			async answer(session) {
				const asked = { office_name_is: office_name, state, fields: ["member_full_name"], limit: 100 };
				const { rows } = await session.call("search_licenses", asked);
				return rows.map((row) => String(row.member_full_name ?? "")).sort();
			},
		};
	});

export const severalStates: TaskMaker = (world) =>
	[0, 1, 2].map((): Task => {
		const statesOf = (name: string) =>
			[
				...new Set(
					world.latest.where({ member_full_name: name }).map((row) => world.latest.value(row, "state")),
				),
			].sort();
		const { member_full_name: name } = draw(world, "of a name in several states", (row) => {
			if (!/^[A-Z][a-z]+ [A-Z][a-z]+$/.test(row.member_full_name)) return false;
			const found = world.latest.where({ member_full_name: row.member_full_name });
			return found.length <= 20 && statesOf(row.member_full_name).length >= 2;
		});
		return {
			kind: "the same person in several states",
			question: `In which states is someone named exactly ${name} licensed?`,
			key: "full",
			truth: statesOf(name),
			async answer(session) {
				const { rows } = await session.call("search_licenses", {
					name,
					fields: ["state", "member_full_name"],
					limit: 60,
				});
				const own = rows.filter((row) => row.member_full_name === name);
				return [...new Set(own.map((row) => row.state))].sort();
			},
		};
	});

export const brokersExpiring: TaskMaker = (world) =>
	world.states.slice(-3).map((state): Task => {
		const { latest } = world;
		const [year, month] = latest.month.split("-").map(Number);
		const day = (days: number) => new Date(Date.UTC(year, month, days)).toISOString().slice(0, 10);
		const [from, to] = [day(0), day(30)];
		const found = latest.where(
			{ state },
			(row) =>
				latest.typeGroup(row) === "broker" &&
				latest.value(row, "matched_email") !== "" &&
				latest.value(row, "member_license_expires") >= from &&
				latest.value(row, "member_license_expires") <= to,
		);
		return {
			kind: "brokers expiring in 30 days with e-mail",
			question: `Today is ${from}. How many brokers in ${state} expire by ${to} and have an e-mail address? Name some with their addresses.`,
			key: "full",
			truth: { total: found.length, someAreRight: true },
			async answer(session) {
				const { rows, pagination } = await session.call("search_licenses", {
					state,
					type_group: "broker",
					present: "matched_email",
					expires_after: from,
					expires_before: to,
					sort: "member_license_expires",
					fields: ["member_full_name", "matched_email", "member_license_expires"],
					limit: 10,
				});
				const emails = new Set(found.map((row) => latest.value(row, "matched_email")));
				const someAreRight = rows.length > 0 && rows.every((row) => emails.has(String(row.matched_email)));
				return { total: pagination.total, someAreRight: found.length === 0 || someAreRight };
			},
		};
	});

/** `bench differential`: random questions, the engine's answers compared with a peer's. */

import { Command, Option } from "commander";
import { DEFAULT_MONTH, openSnapshot, prepareData } from "../data/bench-month.js";
import { EngineSubject } from "../measure/engine-subject.js";
import { openPeers, PEER_NAMES, type PeerName } from "../peers/open-peers.js";
import { describe, differenceOf } from "../shapes/index.js";
import { randomComparable } from "../shapes/random-question.js";
import { ValueSource } from "../shapes/value-source.js";
import { type DataFlags, tell, wholeNumber, withDataOptions } from "./options.js";

interface DifferentialFlags extends DataFlags {
	readonly peer: PeerName;
	readonly queries: number;
	readonly querySeed: number;
}

/** Questions between two progress lines. */
const TOLD_EVERY = 200;

export function differentialCommand(): Command {
	const command = new Command("differential")
		.description(
			"ask random questions of the engine and of one peer: lists, rows, suggestions, aggregates, statistics; answers must be equal",
		)
		.addOption(
			new Option("--peer <name>", "what is asked beside the engine").choices(PEER_NAMES).default("duckdb"),
		)
		.option("--queries <n>", "questions asked", wholeNumber, 2000)
		.option("--query-seed <n>", "seed of the questions", wholeNumber, 1);
	return withDataOptions(command).action(async (flags: DifferentialFlags) => {
		const data = await prepareData({ ...flags, months: [DEFAULT_MONTH] }, tell);
		const snapshot = openSnapshot(data);
		const [outcome] = await openPeers([flags.peer], data, snapshot, tell);
		if (!("peer" in outcome)) throw new Error(`${outcome.name} is ${outcome.skipped}`);
		const { peer } = outcome;
		const engine = new EngineSubject(snapshot);
		const source = ValueSource.seeded(snapshot, flags.querySeed, 0);
		let found = 0;
		try {
			for (let asked = 1; asked <= flags.queries; asked++) {
				const question = randomComparable(source);
				const answer = engine.answer(question);
				const difference = differenceOf(answer, (await (await peer.prepare(question))()).answer());
				if (difference !== null) throw new Error(`${difference}; asked ${describe(question)}`);
				if (answer.keys.length > 0) found++;
				if (asked % TOLD_EVERY === 0) tell(`${asked} equal`);
			}
		} finally {
			await peer.close();
		}
		process.stdout.write(
			`${flags.queries} random questions of seed ${flags.querySeed} over ${snapshot.rows} rows: ` +
				`every total, id and value in order and every byte of rows equal to ${peer.name}'s; ${found} with rows\n`,
		);
	});
}

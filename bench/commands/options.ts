/** Options that the benchmark's commands share. */

import { type Command, InvalidArgumentError } from "commander";
import { DEFAULT_WORK_FOLDER } from "../data/bench-month.js";
import { JSON_PEER_NAMES, PEER_NAMES, type PeerName } from "../peers/open-peers.js";
import { machineName } from "../report/results.js";

/** Folder of the machines' results where none is named. */
export const RESULTS_FOLDER = "bench-results";

const ALL_PEER_NAMES: readonly PeerName[] = [...PEER_NAMES, ...JSON_PEER_NAMES];

export interface ResultsFlags {
	readonly results?: string;
	readonly machine: string;
}

export interface DataFlags {
	readonly rows: number;
	readonly seed: number;
	readonly work: string;
}

/** `--rows`, `--seed`, `--work`: the data a command runs on. */
export function withDataOptions(command: Command): Command {
	return command
		.option("--rows <n>", "rows of the synthetic month", wholeNumber, 2_500_000)
		.option("--seed <n>", "seed of the data and of the questions", wholeNumber, 7)
		.option("--work <dir>", "folder that data and peers are kept in from run to run", DEFAULT_WORK_FOLDER);
}

export function withPeersOption(command: Command): Command {
	const names = ALL_PEER_NAMES.join(", ");
	return command.option("--peers <names>", `peers to ask: ${names}, or none`, peerNames, [...ALL_PEER_NAMES]);
}

/** `--results`, `--machine`: where results are kept from run to run. */
export function withResultsOptions(command: Command): Command {
	return command
		.option("--results <dir>", "put the figures into this machine's JSON document in a folder")
		.option("--machine <name>", "what the machine is called there", machineName());
}

/** `--shape`, which may be given several times. */
export function withShapeOption(command: Command): Command {
	return command.option(
		"--shape <text>",
		"only shapes whose name contains the text; may be given several times",
		another,
		[],
	);
}

/** Collects the values of an option that may be given several times. */
export function another(text: string, texts: readonly string[]): string[] {
	return [...texts, text];
}

export function wholeNumber(value: string): number {
	return atLeast(1, value);
}

/** A count of which 0 means none. */
export function wholeNumberOrNone(value: string): number {
	return atLeast(0, value);
}

function atLeast(least: number, value: string): number {
	const number = Number(value);
	if (value.trim() === "" || !Number.isSafeInteger(number) || number < least)
		throw new InvalidArgumentError(`expected a whole number of at least ${least}`);
	return number;
}

function peerNames(value: string): PeerName[] {
	if (value === "none") return [];
	return value.split(",").map((name) => {
		const known = ALL_PEER_NAMES.find((p) => p === name);
		if (known === undefined) throw new InvalidArgumentError(`no peer is named ${name}`);
		return known;
	});
}

/** One line on stderr. */
export function tell(message: string): void {
	process.stderr.write(`${message}\n`);
}

/**
 * `builder retire`, `restore` and `prune`: take months out of service, bring them back, delete them, in a data
 * folder or in an object store that servers take their months from.
 */

import { Command, Option } from "commander";
import { type ObjectStore, openStore, readStoredManifest } from "../../formats/object-store/index.js";
import { makeChangesAround, makeChangesWithout, removeStaleChanges } from "../changes/keep-changes.js";
import { instant, orWarn, printJson } from "../command-line.js";
import { removeStaleExports } from "../export/export-month.js";
import { whileLocked } from "../months/publish.js";
import {
	pruneMonth,
	requireRetired,
	restoreMonth,
	retiredFolder,
	retiredMonths,
	retireMonth,
} from "../months/retire.js";
import {
	type ChangedMonth,
	pruneStored,
	restoreStored,
	retireStored,
} from "../object-store/index-changes.js";
import { monthName, monthNames } from "./month-arguments.js";

interface Flags {
	data?: string;
	store?: string;
	json: boolean;
	liveAt?: number;
}

function placedCommand(name: string, description: string): Command {
	return new Command(name)
		.description(description)
		.option("--data <dir>", "data folder")
		.addOption(
			new Option(
				"--store <url>",
				"object store, s3://BUCKET/PREFIX, whose hosts follow; in place of --data",
			).conflicts("data"),
		)
		.option("--json", "print one JSON document", false);
}

/** A command over one month. */
interface MonthAction {
	readonly name: string;
	readonly description: string;
	/** What the month is afterwards, in its outputs. */
	readonly done: string;
	readonly act: (data: string, month: string) => Promise<void>;
	readonly actStored: (
		store: ObjectStore,
		month: string,
		nowMs: () => number,
		liveAtMs?: number,
	) => Promise<ChangedMonth>;
}

function monthCommand({ name, description, done, act, actStored }: MonthAction): Command {
	const command = placedCommand(name, description).argument("<month>", "month, YYYY-MM", monthName);
	return command.action(async (month: string, flags: Flags) => {
		const place = placeOf(flags, command);
		if ("data" in place) {
			await whileLocked(place.data, () => act(place.data, month));
			if (flags.json) printJson({ month, [done]: true });
			else process.stdout.write(`${month} is ${done}\n`);
			return;
		}
		const store = openStore(place.store, process.env);
		const revision = await revisionOf(store, await actStored(store, month, Date.now, flags.liveAt));
		if (flags.json) printJson({ month, [done]: true, ...revision });
		else process.stdout.write(`${month} is ${done}: ${revisionText(revision)}\n`);
	});
}

/** As it is printed; times are of RFC 3339. */
interface Revision {
	/** Of the snapshot; null, as the rows: the manifest could not be read. */
	readonly digest: string | null;
	readonly rows: number | null;
	readonly live_at: string | null;
	readonly cancelled_live_at: string | null;
}

async function revisionOf(store: ObjectStore, changed: ChangedMonth): Promise<Revision> {
	// The month is changed by now, with a damaged manifest too.
	const { digest, rows } = await readStoredManifest(store, changed.manifest).catch(() => {
		return { digest: null, rows: null };
	});
	const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
	return {
		digest,
		rows,
		live_at: time(changed.liveAtMs),
		cancelled_live_at: time(changed.cancelledLiveAtMs),
	};
}

function revisionText({ digest, rows, live_at, cancelled_live_at }: Revision): string {
	const live = live_at === null ? "" : `, live at ${live_at}`;
	const cancelled =
		cancelled_live_at === null ? "" : `; what was announced for ${cancelled_live_at} is cancelled`;
	const snapshot = digest === null ? "its manifest could not be read" : `snapshot ${digest}, ${rows} rows`;
	return `${snapshot}${live}${cancelled}`;
}

/** Where a command acts; without either flag its usage is wrong. */
function placeOf({ data, store }: Flags, command: Command): { data: string } | { store: string } {
	if (store !== undefined) return { store };
	if (data !== undefined) return { data };
	return command.error("error: either --data <dir> or --store <url> is required", {
		code: "commander.missingMandatoryOptionValue",
	});
}

export function retireCommand(): Command {
	return monthCommand({
		name: "retire",
		description: "take a published month out of service, without deleting it",
		done: "retired",
		act: async (data, month) => {
			await orWarn(() => makeChangesWithout(data, month));
			retireMonth(data, month);
			removeStaleChanges(data);
		},
		actStored: retireStored,
	});
}

export function restoreCommand(): Command {
	return monthCommand({
		name: "restore",
		description: "bring a retired month back into service",
		done: "restored",
		act: async (data, month) => {
			requireRetired(data, month);
			await orWarn(() => makeChangesAround(data, month, retiredFolder(data, month)));
			restoreMonth(data, month);
		},
		actStored: restoreStored,
	}).addOption(
		new Option("--live-at <time>", "with --store: when servers start to serve it, RFC 3339; by default now")
			.argParser(instant)
			.conflicts("data"),
	);
}

export function pruneCommand(): Command {
	const command = placedCommand("prune", "delete retired months permanently").argument(
		"[months...]",
		"months, YYYY-MM; by default all retired months",
		monthNames,
	);
	return command.action(async (months: string[], flags: Flags) => {
		const place = placeOf(flags, command);
		const pruned =
			"store" in place
				? await pruneStored(openStore(place.store, process.env), months, Date.now)
				: await whileLocked(place.data, () => pruneHere(place.data, months));
		if (flags.json) printJson({ pruned });
		else process.stdout.write(`pruned: ${pruned.length === 0 ? "none" : pruned.join(", ")}\n`);
	});
}

function pruneHere(data: string, months: readonly string[]): readonly string[] {
	const chosen = months.length > 0 ? [...new Set(months)] : retiredMonths(data);
	// Before the first is deleted: either all are, or none.
	for (const month of chosen) requireRetired(data, month);
	for (const month of chosen) pruneMonth(data, month);
	removeStaleExports(data);
	return chosen;
}

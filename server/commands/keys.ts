/** `keys …`: makes, shows and changes keys, beside a running server or without one. */

import { existsSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import { operatorName } from "../../formats/index.js";
import { KeyError } from "../keys/errors.js";
import {
	joinedList,
	parseColumns,
	parseDuration,
	parseGeography,
	parseHistory,
	parseLimit,
	parseName,
} from "../keys/grant-options.js";
import { type HistoryScope, type KeyRecord, TIERS, type Tier } from "../keys/key.js";
import {
	type Actor,
	createKey,
	type KeyRequest,
	resumeKey,
	revokeKey,
	rotateKey,
	suspendKey,
} from "../keys/lifecycle.js";
import { isSharedAddress, SHARED_ADDRESS_RULE } from "../shared-state/address.js";
import { backUpStore, restoreStore } from "../store/backup.js";
import { requireDataFolder } from "../store/folder.js";
import type { AuditEntry } from "../store/records.js";
import { Store } from "../store/store.js";
import { TABLE_SCHEMAS } from "../store-tables.js";
import { type KeyRepository, openKeys } from "./key-repositories.js";
import {
	auditText,
	endedGraceDocument,
	endedGraceText,
	type KeyView,
	keyTable,
	keyText,
	keyView,
	newKeyDocument,
	newKeyText,
} from "./keys-view.js";
import { ACKNOWLEDGED_MS_MAX, unconfirmedDocument, unconfirmedText } from "./unconfirmed.js";

interface CommonOptions {
	readonly data: string;
	readonly shared?: string;
	readonly json?: true;
}

/** An argument as parsed; in a wrapping, since commander takes a bare null for an empty argument. */
interface Parsed<T> {
	/** Null: none. */
	readonly value: T | null;
}

interface CreateOptions extends CommonOptions {
	readonly tier: Tier;
	readonly name: string;
	readonly countries?: string;
	readonly states?: string;
	readonly columns?: string;
	readonly history: HistoryScope;
	readonly bulk?: true;
	readonly perMinute?: Parsed<number>;
	readonly perDay?: Parsed<number>;
	readonly monthlyQuota?: Parsed<number>;
	/** Milliseconds. */
	readonly expiresIn?: Parsed<number>;
}

interface RotateOptions extends CommonOptions {
	/** Milliseconds. */
	readonly grace: number;
	/** Absent: as before. */
	readonly bulk?: boolean;
}

/** `keys` with its subcommands. */
export function keysCommand(): Command {
	const keys = new Command("keys").description("make, show and change API keys");
	addCreate(keys);
	addReading(keys);
	addChanging(keys);
	addBackup(keys);
	return keys;
}

function addCreate(keys: Command): void {
	subcommand(keys, "create", "make a key and print it, the only time it is shown")
		.addOption(new Option("--tier <tier>", "what the key comes with").choices(TIERS).makeOptionMandatory())
		.option("--name <name>", "whose key it is", argument(parseName), "unnamed")
		.option("--countries <list>", "grant only these countries' rows: US,CA", joinedList)
		.option("--states <list>", "grant only these states' rows (beside any --countries): CA,TX", joinedList)
		.option("--columns <list>", "grant only these columns; id and snapshot always are", joinedList)
		.addOption(
			new Option("--history <grant>", "snapshots it reads: latest, months:N or all")
				.argParser(argument(parseHistory))
				.default(parseHistory("latest"), "latest"),
		)
		.option("--bulk", "let it read whole results: cursors, streams and exports")
		.option("--per-minute <n>", "requests a minute, or none", argument(wrapped(parseLimit)))
		.option("--per-day <n>", "requests a day, or none", argument(wrapped(parseLimit)))
		.option("--monthly-quota <n>", "requests a month, or none", argument(wrapped(parseLimit)))
		.option(
			"--expires-in <duration>",
			"lifetime such as 14d (s, m, h, d), or none",
			argument(wrapped(parseLifetime)),
		)
		.action(async (options: CreateOptions) => {
			const request = requestOf(options);
			await changeKeys(options, null, async (repository) => {
				const { record, text } = await createKey(repository.changes, request, actor());
				const view = viewOf(repository, record);
				return (unconfirmed) =>
					print(options, { ...newKeyDocument(view, text), ...unconfirmed }, () => newKeyText(view, text));
			});
		});
}

function addReading(keys: Command): void {
	subcommand(keys, "list", "list every key").action(async (options: CommonOptions) => {
		const list = (views: KeyView[]) => print(options, views, () => keyTable(views));
		if (!hasKeys(options)) return list([]);
		await withKeys(options, (repository) =>
			list(repository.keys().map((record) => viewOf(repository, record))),
		);
	});
	subcommand(keys, "show <id>", "show one key").action(async (id: string, options: CommonOptions) => {
		await withKeys(options, (repository) => {
			const view = viewOf(repository, keyNamed(repository, id));
			print(options, view, () => keyText(view));
		});
	});
	subcommand(keys, "audit [id]", "list every change of all keys or of one, oldest first").action(
		async (id: string | undefined, options: CommonOptions) => {
			const list = (entries: AuditEntry[]) => print(options, entries, () => auditText(entries));
			if (id === undefined && !hasKeys(options)) return list([]);
			await withKeys(options, async (repository) => {
				if (id !== undefined) keyNamed(repository, id);
				list((await repository.audit()).filter((entry) => id === undefined || entry.key_id === id));
			});
		},
	);
}

function addChanging(keys: Command): void {
	const changes = [
		["suspend", "pause a key: its requests get key_suspended", suspendKey],
		["resume", "end a suspension", resumeKey],
		["revoke", "end a key for good", revokeKey],
	] as const;
	for (const [name, description, change] of changes) {
		subcommand(keys, `${name} <id>`, description).action(async (id: string, options: CommonOptions) => {
			await changeKeys(options, id, async (repository) => {
				const view = viewOf(repository, await change(repository.changes, id, actor()));
				return (unconfirmed) =>
					print(options, { ...view, ...unconfirmed }, () => `${view.id} is ${view.status}\n`);
			});
		});
	}
	subcommand(keys, "rotate <id>", "give a key a new text and print it, the only time it is shown")
		.option(
			"--grace <duration>",
			"how much longer the old text works (s, m, h, d)",
			argument(parseDuration),
			0,
		)
		.option("--bulk", "let it read whole results from now on; without it the entitlement stays as it is")
		.option("--no-bulk", "take that away")
		.action(async (id: string, options: RotateOptions) => {
			await changeKeys(options, id, async (repository) => {
				const rotated = await rotateKey(repository.changes, id, options.grace, actor(), options.bulk);
				const view = viewOf(repository, rotated.record);
				const document = { ...newKeyDocument(view, rotated.text), ...endedGraceDocument(rotated) };
				return (unconfirmed) => {
					print(options, { ...document, ...unconfirmed }, () => newKeyText(view, rotated.text));
					process.stderr.write(endedGraceText(rotated));
				};
			});
		});
}

function addBackup(keys: Command): void {
	subcommand(keys, "backup", "copy all keys, counts, usage and changes to one file, beside running servers")
		.requiredOption("--out <file>", "file to write; it must not be there")
		.action(async (options: CommonOptions & { readonly out: string }, command: Command) => {
			refuseShared(command);
			const contents = await backUpStore(options.data, options.out, TABLE_SCHEMAS);
			const text = `${options.out}: ${contents.keys} keys, ${contents.bytes} bytes\n`;
			print(options, { file: options.out, ...contents }, () => text);
		});
	subcommand(keys, "restore", "put a backup in the place of the keys; no server may run on them")
		.requiredOption("--from <file>", "backup to restore")
		.action(async (options: CommonOptions & { readonly from: string }, command: Command) => {
			refuseShared(command);
			const contents = await restoreStore(options.data, options.from, TABLE_SCHEMAS);
			const kept = contents.kept === null ? "" : `; what was there is in ${contents.kept}`;
			print(options, contents, () => `${contents.keys} keys are back${kept}\n`);
		});
}

function subcommand(keys: Command, usage: string, description: string): Command {
	return keys
		.command(usage)
		.description(description)
		.option("--data <dir>", "data folder", "./data")
		.addOption(
			new Option("--shared <url>", "keys that hosts share, instead of those of a data folder: redis://…").env(
				"ROLLCALL_SHARED",
			),
		)
		.option("--json", "print one JSON document")
		.hook("preAction", refuseWrongAddress);
}

/** Not by a parser of the option: commander repeats the text that it refuses, which may hold a password. */
function refuseWrongAddress(command: Command): void {
	const { shared = "" } = command.opts<CommonOptions>();
	if (shared !== "" && !isSharedAddress(shared)) command.error(`error: --shared ${SHARED_ADDRESS_RULE}`);
}

/** A backup is of one data folder. The variable may be set for the other commands. */
function refuseShared(command: Command): void {
	if (command.getOptionValueSource("shared") === "cli")
		command.error(
			"error: --shared has no backup of its own: each host that shares keys has all of them in its data folder (--data)",
		);
	// The variable is set for the other commands, so that only a missing folder shows that --data was forgotten.
	const { data, shared = "" } = command.opts<CommonOptions>();
	if (shared !== "" && command.getOptionValueSource("data") === "default" && !existsSync(data))
		command.error(
			`error: there is no ${data}; keys are shared (ROLLCALL_SHARED), and a backup is of the data folder of one host: give it with --data`,
		);
}

function requestOf(options: CreateOptions): KeyRequest {
	const limits = {
		per_minute: options.perMinute?.value,
		per_day: options.perDay?.value,
		monthly_quota: options.monthlyQuota?.value,
	};
	return {
		tier: options.tier,
		name: options.name,
		scope: {
			geography: parseGeography(options.countries, options.states),
			columns: options.columns === undefined ? null : parseColumns(options.columns, options.tier),
			history: options.history,
			...(options.bulk === true ? { bulk: true } : {}),
		},
		rate_limits: Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined)),
		lifetimeMs: options.expiresIn?.value,
	};
}

function parseLifetime(text: string): number | null {
	if (text === "none") return null;
	const ms = parseDuration(text);
	if (ms === 0) throw new KeyError("invalid_grant", "a key that expires at once is of no use");
	return ms;
}

/** A parser of grants as commander wants it: its complaint names the option. */
function argument<T>(parse: (text: string) => T): (text: string) => T {
	return (text) => {
		try {
			return parse(text);
		} catch (error) {
			throw error instanceof KeyError ? new InvalidArgumentError(error.message) : error;
		}
	};
}

function wrapped<T>(parse: (text: string) => T | null): (text: string) => Parsed<T> {
	return (text) => ({ value: parse(text) });
}

/** Whether keys were ever created in the data folder. A data folder that is missing is an error. */
function hasKeys(options: CommonOptions): boolean {
	if ((options.shared ?? "") !== "") return true;
	requireDataFolder(options.data);
	return Store.exists(options.data);
}

/**
 * Runs `work`, which changes the key `id` or makes one (null), and returns how to print the result, once every
 * running server acts on it.
 */
async function changeKeys(
	options: CommonOptions,
	id: string | null,
	work: (repository: KeyRepository) => Promise<(unconfirmed: ReturnType<typeof unconfirmedDocument>) => void>,
): Promise<void> {
	const repository = await openKeys(options, id === null, id ?? undefined);
	try {
		const printResult = await work(repository);
		const unconfirmed = await repository.acknowledged(ACKNOWLEDGED_MS_MAX);
		printResult(unconfirmedDocument(unconfirmed));
		process.stderr.write(unconfirmedText(unconfirmed));
	} finally {
		await repository.close();
	}
}

async function withKeys(
	options: CommonOptions,
	work: (repository: KeyRepository) => void | Promise<void>,
): Promise<void> {
	const repository = await openKeys(options, false);
	try {
		await work(repository);
	} finally {
		await repository.close();
	}
}

function keyNamed(repository: KeyRepository, id: string): KeyRecord {
	const record = repository.key(id);
	if (record === undefined) throw new KeyError("unknown_key", `no key has the id ${JSON.stringify(id)}`);
	return record;
}

function viewOf(repository: KeyRepository, record: KeyRecord): KeyView {
	return keyView(record, repository.lastUsed(record.id), Date.now());
}

function actor(): Actor {
	return { by: operatorName(), nowMs: Date.now() };
}

function print(options: CommonOptions, document: unknown, text: () => string): void {
	process.stdout.write(options.json === true ? `${JSON.stringify(document)}\n` : text());
}

/** `signups …`: shows and removes what signup stored of mailboxes, and makes trials keys of another tier. */

import { createReadStream } from "node:fs";
import { Command, Option } from "commander";
import { operatorName, printable } from "../../formats/index.js";
import { KeyError } from "../keys/errors.js";
import { TIERS, type Tier } from "../keys/key.js";
import { effectiveStatus } from "../keys/key-of-record.js";
import { convertKey } from "../keys/lifecycle.js";
import { REPORT_BYTES_MAX, readBounce } from "../signup/bounce-report.js";
import { takeBounce } from "../signup/bounces.js";
import { SignupError } from "../signup/errors.js";
import type { Mailbox } from "../signup/mailbox.js";
import { signupTables } from "../signup/signup-records.js";
import { Signups } from "../signup/signups.js";
import { requireDataFolder } from "../store/folder.js";
import { Store } from "../store/store.js";
import {
	ACKNOWLEDGED_MS_MAX,
	unconfirmedDocument,
	unconfirmedServers,
	unconfirmedText,
} from "./unconfirmed.js";

interface Options {
	readonly data: string;
	readonly json?: true;
}

/** What requests may do does not matter to commands. */
const NO_POLICY = { mailboxPerDay: 0, networkPerDay: 0, perDay: 0, againAfterMs: 0 };

/** `signups` with its subcommands. */
export function signupsCommand(): Command {
	const signups = new Command("signups").description("mailboxes that signed up for trial keys");
	subcommand(signups, "list", "list every mailbox with its key, and mails that did not arrive").action(list);
	subcommand(
		signups,
		"forget <address>",
		"remove all that is stored of a mailbox, and revoke its trial key",
	).action(forget);
	subcommand(
		signups,
		"bounced [file]",
		"take a mail server's report that a mail did not arrive (a delivery status notification), from a file or from stdin",
	).action(bounced);
	subcommand(signups, "convert <key>", "make a trial key, by its id, one of another tier: id and usage stay")
		.addOption(new Option("--tier <tier>", "the tier from now on").choices(TIERS).default("production"))
		.action(convert);
	return signups;
}

async function list(options: Options): Promise<void> {
	await withSignups(options, (signups, store) => {
		const nowMs = Date.now();
		const mailboxes = signups.list().map(({ name, record, key }) => ({
			mailbox: name,
			address: record.address,
			since: new Date(record.first_ms).toISOString(),
			key_id: record.key_id,
			tier: key?.tier ?? null,
			status: key === undefined ? null : effectiveStatus(key, nowMs),
			expires_at: key?.expires_at ?? null,
		}));
		const mails = signupTables(store)
			.mails.entries()
			.map(({ value: { mailbox, kind, state, attempts, said } }) => ({
				mailbox,
				kind,
				state,
				attempts,
				said,
			}));
		const lines = [
			...mailboxes.map(
				(m) => `${m.mailbox}  ${m.key_id ?? "no key yet"}  ${m.status ?? ""}  ${m.expires_at ?? ""}`,
			),
			...mails.map((m) => `mail to ${m.mailbox}: ${m.kind}, ${m.state}, ${m.said ?? ""}`),
		];
		const text = lines.map((line) => `${printable(line).trimEnd()}\n`).join("");
		print(options, { mailboxes, mails }, text || "no signups\n");
	});
}

async function forget(address: string, options: Options): Promise<void> {
	// The validator is an optional package, which only servers with signup have.
	const { readMailbox } = await import("../signup/mailbox.js");
	const mailbox: Mailbox | null = readMailbox(address);
	if (mailbox === null)
		throw new KeyError("invalid_grant", `"${printable(address)}" is not an e-mail address`);
	await withSignups(options, async (signups, store) => {
		// Versions before this one gave some mailboxes other names.
		const named = signups.list().filter(({ record }) => readMailbox(record.address)?.name === mailbox.name);
		let known = false;
		for (const name of new Set([mailbox.name, ...named.map(({ name }) => name)]))
			if (await signups.forget({ ...mailbox, name }, operatorName(), Date.now())) known = true;
		const text = known ? "everything of the mailbox is removed" : "nothing is stored of the mailbox";
		await printChange(store, options, { mailbox: mailbox.name, forgotten: known }, `${text}\n`);
	});
}

async function bounced(file: string | undefined, options: Options): Promise<void> {
	const report = await readReport(file);
	await withSignups(options, async (_signups, store) => {
		const bounce = readBounce(report);
		const known = bounce !== null && (await takeBounce(store, signupTables(store), bounce));
		// The command is run for every mail to the sender's address: what is no report of ours is no failure.
		const text = known ? "the mail is noted as bounced" : "this is no report of a mail of this server";
		print(options, { mail: bounce?.mailId ?? null, noted: known }, `${text}\n`);
	});
}

/** The source of a mail, as far as reports are read. Rejects with SignupError for a file that cannot be read. */
async function readReport(file: string | undefined): Promise<string> {
	try {
		return await readMail(file === undefined ? process.stdin : createReadStream(file));
	} catch (error) {
		const { message } = error as Error;
		throw new SignupError("unreadable_report", `report ${file ?? "on stdin"} cannot be read: ${message}`);
	}
}

async function readMail(input: NodeJS.ReadableStream): Promise<string> {
	const pieces: Buffer[] = [];
	let bytes = 0;
	for await (const piece of input as AsyncIterable<Buffer>) {
		bytes += piece.length;
		if (bytes <= REPORT_BYTES_MAX) pieces.push(piece);
	}
	return bytes > REPORT_BYTES_MAX ? "" : Buffer.concat(pieces).toString("latin1");
}

async function convert(id: string, options: Options & { readonly tier: Tier }): Promise<void> {
	await withSignups(options, async (_signups, store) => {
		const record = await convertKey(store, id, options.tier, { by: operatorName(), nowMs: Date.now() });
		const document = {
			id,
			tier: record.tier,
			rate_limits: record.rate_limits,
			expires_at: record.expires_at,
		};
		await printChange(store, options, document, `${id} is a ${record.tier} key\n`);
	});
}

function subcommand(parent: Command, usage: string, description: string): Command {
	return parent
		.command(usage)
		.description(description)
		.option("--data <dir>", "data folder", "./data")
		.option("--json", "print one JSON document");
}

async function withSignups(
	{ data }: Options,
	work: (signups: Signups, store: Store) => void | Promise<void>,
): Promise<void> {
	requireDataFolder(data);
	const store = Store.open({ dataFolder: data, create: false });
	try {
		await work(new Signups(store, signupTables(store), NO_POLICY), store);
	} finally {
		await store.close();
	}
}

/** Prints what a change of keys came to, once every running server acts on it, or with those that do not. */
async function printChange(store: Store, options: Options, document: object, text: string): Promise<void> {
	const unconfirmed = await unconfirmedServers(store, ACKNOWLEDGED_MS_MAX);
	print(options, { ...document, ...unconfirmedDocument(unconfirmed) }, text);
	process.stderr.write(unconfirmedText(unconfirmed));
}

function print({ json }: Options, document: unknown, text: string): void {
	process.stdout.write(json === true ? `${JSON.stringify(document)}\n` : text);
}

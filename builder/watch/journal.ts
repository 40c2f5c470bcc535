/**
 * The watcher's journal: one line of JSON for each event of a drop, synced before the next step. After a
 * restart, the watcher's actions follow from the journal alone.
 *
 * A line truncated by a crash or a full disk is ignored, and the next event starts a new line.
 */

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { makeFolder, syncPath } from "../../formats/durable.js";

const eventSchema = z.object({
	/** Number of the line, from 1. */
	seq: z.number().int(),
	/** ISO 8601 instant. */
	at: z.string(),
	/**
	 * `building` precedes every other event of a drop. `published`, `held` and `refused` end it; `released` and
	 * `discarded` concern a held month; `delivered` and `undelivered` concern the webhook of event `of`.
	 */
	event: z.enum([
		"building",
		"published",
		"held",
		"refused",
		"released",
		"discarded",
		"delivered",
		"undelivered",
	]),
	/** Name of the drop in the folder; null for months released or discarded by command. */
	drop: z.string().nullable().default(null),
	/** Sizes, times and inodes of the drop's files, as one text. */
	stamp: z.string().nullable().default(null),
	month: z.string().nullable().default(null),
	/** A description for people. */
	message: z.string().default(""),
	/** Event that a `delivered` or `undelivered` concerns. */
	of: z.number().int().nullable().default(null),
	/** Figures for the webhook. */
	detail: z.record(z.string(), z.unknown()).default({}),
});

export type JournalEvent = z.infer<typeof eventSchema>;
export type NewEvent = Partial<Omit<JournalEvent, "seq" | "at">> & Pick<JournalEvent, "event">;

export class Journal {
	private readonly path: string;

	constructor(
		dataFolder: string,
		private readonly now: () => Date,
	) {
		this.path = join(dataFolder, "watch", "journal.ndjson");
	}

	/** All events, oldest first. Cost O(journal). */
	read(): JournalEvent[] {
		if (!existsSync(this.path)) return [];
		return readFileSync(this.path, "utf8")
			.split("\n")
			.flatMap((line) => {
				const event = parseLine(line);
				return event === null ? [] : [event];
			});
	}

	/** Appends an event and syncs it. `at` defaults to now. Throws system errors; the event is then not in the journal. */
	append(event: NewEvent, at = this.now()): JournalEvent {
		const isNew = !existsSync(this.path);
		makeFolder(dirname(this.path));
		const last = this.read().at(-1)?.seq ?? 0;
		const whole = eventSchema.parse({ seq: last + 1, at: at.toISOString(), ...event });
		const cutShort = !isNew && !readFileSync(this.path, "utf8").endsWith("\n");
		const descriptor = openSync(this.path, "a");
		try {
			// Writes all of it or fails: on a nearly full disk, a single write takes what fits and succeeds.
			writeFileSync(descriptor, `${cutShort ? "\n" : ""}${JSON.stringify(whole)}\n`);
			fsyncSync(descriptor);
		} finally {
			closeSync(descriptor);
		}
		if (isNew) syncPath(dirname(this.path));
		return whole;
	}
}

function parseLine(line: string): JournalEvent | null {
	try {
		const parsed = eventSchema.safeParse(JSON.parse(line));
		return parsed.success ? parsed.data : null;
	} catch {
		// A truncated line, or the empty one at the end.
		return null;
	}
}

/**
 * The watcher's journal: one line of JSON for each event of a drop, synced before the next step. After a
 * restart, the watcher's actions follow from the journal alone.
 *
 * A line truncated by a crash or a full disk is ignored, and the next event starts a new line.
 */

import { closeSync, existsSync, fsyncSync, openSync, readSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { makeFolder, syncPath } from "../../formats/files/durable.js";

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

const EMPTY = Buffer.alloc(0);

/** The events are kept in memory, and what other processes append, such as `builder release`, is read as it comes. */
export class Journal {
	private readonly path: string;
	/** Inode of the file that was read; null: there was none. */
	private file: number | null = null;
	/** Bytes of the file whose lines are in {@link events}. */
	private knownBytes = 0;
	private events: JournalEvent[] = [];
	/** Whether the file ends within a line, and its event if the line lacks nothing but its end. */
	private isCutShort = false;
	private unended: JournalEvent | null = null;

	constructor(
		dataFolder: string,
		private readonly now: () => Date,
	) {
		this.path = join(dataFolder, "watch", "journal.ndjson");
	}

	/** All events, oldest first. Cost O(what was appended since the last call, by any process). */
	read(): readonly JournalEvent[] {
		this.readFurther();
		return this.unended === null ? this.events : [...this.events, this.unended];
	}

	/** Appends an event and syncs it. `at` defaults to now. Throws system errors; the event is then not in the journal. */
	append(event: NewEvent, at = this.now()): JournalEvent {
		const isNew = !existsSync(this.path);
		makeFolder(dirname(this.path));
		const last = this.read().at(-1)?.seq ?? 0;
		const whole = eventSchema.parse({ seq: last + 1, at: at.toISOString(), ...event });
		const descriptor = openSync(this.path, "a");
		try {
			// Writes all of it or fails: on a nearly full disk, a single write takes what fits and succeeds.
			writeFileSync(descriptor, `${this.isCutShort ? "\n" : ""}${JSON.stringify(whole)}\n`);
			fsyncSync(descriptor);
		} finally {
			closeSync(descriptor);
		}
		if (isNew) syncPath(dirname(this.path));
		return whole;
	}

	/** Reads what the file has beyond what is known; all of it if it is another file, or was cut. */
	private readFurther(): void {
		const status = statSync(this.path, { throwIfNoEntry: false });
		if (status === undefined || status.ino !== this.file || status.size < this.knownBytes) {
			this.file = status?.ino ?? null;
			this.knownBytes = 0;
			this.events = [];
		}
		const added = status === undefined ? EMPTY : this.bytesFrom(this.knownBytes, status.size);
		const end = added.lastIndexOf("\n") + 1;
		const lines = added.toString("utf8", 0, end).split("\n");
		for (const line of lines) {
			const event = parseLine(line);
			if (event !== null) this.events.push(event);
		}
		this.knownBytes += end;
		this.isCutShort = end < added.length;
		this.unended = parseLine(added.toString("utf8", end));
	}

	/** Bytes of the file from one offset to another, or to its end. */
	private bytesFrom(from: number, to: number): Buffer {
		if (from === to) return EMPTY;
		const bytes = Buffer.alloc(to - from);
		const descriptor = openSync(this.path, "r");
		try {
			let filled = 0;
			for (let read = -1; read !== 0 && filled < bytes.length; filled += read)
				read = readSync(descriptor, bytes, filled, bytes.length - filled, from + filled);
			return bytes.subarray(0, filled);
		} finally {
			closeSync(descriptor);
		}
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

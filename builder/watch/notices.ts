/** Delivers events of the journal to the webhook: each is retried until it is accepted or abandoned. */

import type { Journal, JournalEvent, NewEvent } from "./journal.js";
import type { WebhookSender } from "./webhook.js";

/** Seconds to wait before each retry; a notice that the last of them does not deliver is abandoned. */
const RETRY_SECONDS = [5, 30, 120, 600, 1800, 7200, 21_600];
/** After this time no further notice is sent at once: a receiver that hangs must not keep drops from being built. */
const PASS_MS_MAX = 10_000;

const TYPES: Readonly<Partial<Record<JournalEvent["event"], string>>> = {
	published: "month.published",
	held: "month.held",
	released: "month.released",
	discarded: "month.discarded",
	refused: "drop.refused",
};

export class Notices {
	/** Attempts made by this process, and the time of the last one, by event. */
	private readonly attempts = new Map<number, { readonly made: number; readonly atMs: number }>();
	/** What became of notices, where it could not be entered in the journal yet, by event. */
	private readonly unrecorded = new Map<number, NewEvent>();

	constructor(
		private readonly journal: Journal,
		private readonly sender: WebhookSender,
		private readonly now: () => Date,
	) {}

	/**
	 * Sends what is due, until `signal` is aborted. An event whose delivery was not recorded before the process ended is
	 * sent again. Throws system errors if the journal cannot be written; what it lacks is entered at the next call.
	 */
	async sendDue(signal: AbortSignal): Promise<void> {
		this.record();
		const startedMs = performance.now();
		for (const event of this.undelivered()) {
			if (signal.aborted || performance.now() - startedMs > PASS_MS_MAX) return;
			if (!this.isDue(event.seq)) continue;
			const notice = { id: `msg_${event.seq}_${Date.parse(event.at)}`, at: this.now(), body: bodyOf(event) };
			const fault = await this.sender.send(notice);
			const made = this.attempts.get(event.seq)?.made ?? 0;
			const about = { of: event.seq, drop: event.drop, month: event.month };
			if (fault === null) this.unrecorded.set(event.seq, { event: "delivered", ...about });
			else if (made >= RETRY_SECONDS.length)
				this.unrecorded.set(event.seq, { event: "undelivered", ...about, message: fault });
			else this.attempts.set(event.seq, { made: made + 1, atMs: this.now().getTime() });
			this.record();
		}
	}

	private record(): void {
		for (const [seq, event] of this.unrecorded) {
			this.journal.append(event);
			this.unrecorded.delete(seq);
			this.attempts.delete(seq);
		}
	}

	/** Where the clock was set back since the last attempt, the next one is due. */
	private isDue(seq: number): boolean {
		const last = this.attempts.get(seq);
		if (last === undefined) return true;
		const passedMs = this.now().getTime() - last.atMs;
		return passedMs < 0 || passedMs >= 1000 * RETRY_SECONDS[last.made - 1];
	}

	private undelivered(): JournalEvent[] {
		const events = this.journal.read();
		const ended = new Set(events.flatMap(({ of }) => (of === null ? [] : [of])));
		return events.filter(({ event, seq }) => TYPES[event] !== undefined && !ended.has(seq));
	}
}

function bodyOf({ event, at, drop, month, message, detail }: JournalEvent): string {
	return JSON.stringify({ type: TYPES[event], timestamp: at, data: { month, drop, message, ...detail } });
}

/** Delivers events of the journal to the webhook: each is retried until it is accepted or abandoned. */

import type { Journal, JournalEvent } from "./journal.js";
import type { WebhookSender } from "./webhook.js";

/** Seconds to wait before each retry; a notice that the last of them does not deliver is abandoned. */
const RETRY_SECONDS = [5, 30, 120, 600, 1800, 7200, 21_600];

const TYPES: Readonly<Partial<Record<JournalEvent["event"], string>>> = {
	published: "month.published",
	held: "month.held",
	released: "month.released",
	discarded: "month.discarded",
	refused: "drop.refused",
};

export class Notices {
	/** Attempts made by this process, and when the next is due, by event. */
	private readonly attempts = new Map<number, { made: number; nextMs: number }>();

	constructor(
		private readonly journal: Journal,
		private readonly sender: WebhookSender,
		private readonly now: () => Date,
	) {}

	/** Sends what is due. An event whose delivery was not recorded before the process ended is sent again. */
	async sendDue(): Promise<void> {
		for (const event of this.undelivered()) {
			const { made, nextMs } = this.attempts.get(event.seq) ?? { made: 0, nextMs: 0 };
			if (this.now().getTime() < nextMs) continue;
			const notice = { id: `msg_${event.seq}_${Date.parse(event.at)}`, at: this.now(), body: bodyOf(event) };
			const fault = await this.sender.send(notice);
			const about = { of: event.seq, drop: event.drop, month: event.month };
			if (fault === null) this.journal.append({ event: "delivered", ...about });
			else if (made >= RETRY_SECONDS.length)
				this.journal.append({ event: "undelivered", ...about, message: fault });
			else
				this.attempts.set(event.seq, {
					made: made + 1,
					nextMs: this.now().getTime() + 1000 * RETRY_SECONDS[made],
				});
		}
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

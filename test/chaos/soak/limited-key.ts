/**
 * The key whose limit is reached: it sends more than it may in every minute, and what was admitted is
 * compared to the limit exactly. It sends nothing near the turn of a minute, where the two clocks may differ
 * about which minute it is.
 */

import { Connection } from "./connection.js";
import { LIMITED_PER_MINUTE } from "./soak-keys.js";

const INTERVAL_MS = 400;
const QUIET_MS = 1_500;
const MINUTE_MS = 60_000;

interface Minute {
	offered: number;
	admitted: number;
	/** Admitted by a server that was killed in this minute: its last counts may be lost. */
	losable: number;
	/** Something broke or was late: what is admitted is held to the limit from above alone. */
	disturbed: boolean;
}

export class LimitedKey {
	minutes = 0;
	admitted = 0;
	refused = 0;
	/** Minutes in which the limit did not hold. */
	breaches = 0;
	private current: Minute | null = null;
	private minute = -1;
	private readonly connection: Connection;
	private readonly timer: NodeJS.Timeout;
	private readonly request: string;

	/** `told` is called if a limit does not hold. */
	constructor(
		port: number,
		text: string,
		private readonly told: (fault: string) => void,
	) {
		this.connection = new Connection(port, () => undefined);
		this.request = `GET /v1/me HTTP/1.1\r\nHost: soak\r\nAuthorization: Bearer ${text}\r\n\r\n`;
		this.timer = setInterval(() => this.ask(), INTERVAL_MS);
	}

	killed(): void {
		if (this.current === null) return;
		this.current.disturbed = true;
		this.current.losable++;
	}

	close(): void {
		clearInterval(this.timer);
		this.finish();
		this.connection.close();
	}

	private ask(): void {
		const nowMs = Date.now();
		const minute = Math.floor(nowMs / MINUTE_MS);
		const within = nowMs % MINUTE_MS;
		if (within < QUIET_MS || within > MINUTE_MS - QUIET_MS || !this.connection.idle) return;
		if (minute !== this.minute) {
			this.finish();
			this.minute = minute;
			this.current = { offered: 0, admitted: 0, losable: 0, disturbed: false };
		}
		const { current } = this;
		if (current === null) return;
		current.offered++;
		this.connection.send(this.request, {
			onAnswer: ({ status, head }) => {
				if (Date.now() - nowMs > QUIET_MS) current.disturbed = true;
				if (status === 200) current.admitted++;
				else if (status !== 429) current.disturbed = true;
				else {
					this.refused++;
					if (!/\r\nRetry-After: \d/i.test(head)) this.told("a 429 without Retry-After");
				}
			},
			onBroken: () => {
				current.disturbed = true;
			},
		});
	}

	private finish(): void {
		const { current } = this;
		if (current === null) return;
		this.current = null;
		const { offered, admitted, losable, disturbed } = current;
		const most = Math.min(offered, LIMITED_PER_MINUTE);
		this.minutes++;
		this.admitted += admitted;
		// The last request may be under way.
		const least = disturbed ? 0 : most - 1;
		if (admitted >= least && admitted <= most + losable) return;
		this.breaches++;
		this.told(`${admitted} of ${offered} requests admitted in a minute, the limit is ${LIMITED_PER_MINUTE}`);
	}
}

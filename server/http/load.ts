/**
 * How much a thread has on its hands, and what it does about too much: new requests are shed with
 * 503 while it is behind, and slow readers are cut off while their answers fill the memory they may.
 *
 * Requests queue where nobody sees them, in the sockets. What shows is that the event loop does not
 * turn: a timer marks each turn, and where it has not come for long, the requests being served in
 * this turn have waited as long. They are shed until the loop turns, which costs little each, so that
 * the queue empties at once and clients that come back find room.
 */

/** Bounds of one thread. */
export interface LoadBounds {
	/** Requests begun and not answered in full. */
	readonly pendingMax: number;
	/** Time that the loop may go without a turn before requests are shed, in milliseconds. */
	readonly turnMsMax: number;
	/** Bytes of answers held for readers that have not taken them yet. */
	readonly heldBytesMax: number;
}

/** An answer that waits for its reader. */
export interface HeldAnswer {
	readonly bytes: number;
	/** Ends the connection; the answer's transport then releases it. */
	cut(): void;
}

const TURN_INTERVAL_MS = 20;

export class Load {
	/** Requests begun and not answered in full. Kept by the transport. */
	pending = 0;
	private readonly bounds: LoadBounds;
	/** The one that has gone longest without progress first. */
	private readonly held = new Set<HeldAnswer>();
	private bytesHeld = 0;
	private cutOff = 0;
	private shedRequests = 0;
	private lastTurnMs = performance.now();
	private readonly timer: NodeJS.Timeout;

	constructor(bounds: LoadBounds) {
		this.bounds = bounds;
		this.timer = setInterval(() => {
			this.lastTurnMs = performance.now();
		}, TURN_INTERVAL_MS);
		this.timer.unref();
	}

	/** Bytes of answers that wait for their readers. */
	get heldBytes(): number {
		return this.bytesHeld;
	}

	/** Readers cut off so far. */
	get cuts(): number {
		return this.cutOff;
	}

	/** Requests shed so far. */
	get shed(): number {
		return this.shedRequests;
	}

	/** Whether a request that comes now is to be shed; counts it if so. Cost: a look at the clock. */
	sheds(): boolean {
		const { pendingMax, turnMsMax } = this.bounds;
		const over = this.pending >= pendingMax || performance.now() - this.lastTurnMs > turnMsMax;
		if (over) this.shedRequests++;
		return over;
	}

	/** Takes note of an answer that waits. Cuts off those longest without progress where there are too many bytes. */
	hold(answer: HeldAnswer): void {
		this.held.add(answer);
		this.bytesHeld += answer.bytes;
		for (const oldest of this.held) {
			if (this.bytesHeld <= this.bounds.heldBytesMax) break;
			this.cutOff++;
			this.release(oldest);
			oldest.cut();
		}
	}

	/** The reader took some: it is the last to be cut off now. */
	progressed(answer: HeldAnswer): void {
		if (!this.held.delete(answer)) return;
		this.held.add(answer);
	}

	/** The answer has gone or its reader has. */
	release(answer: HeldAnswer): void {
		if (this.held.delete(answer)) this.bytesHeld -= answer.bytes;
	}

	/** Stops the timer. */
	close(): void {
		clearInterval(this.timer);
	}
}

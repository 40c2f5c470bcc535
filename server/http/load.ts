/**
 * The load of one thread and its response to overload: new requests are shed with 503 while the event loop
 * lags, and slow readers are disconnected while their responses exceed the memory budget.
 *
 * Requests queue in the sockets, where the thread cannot count them. What it can observe is that the event loop
 * does not turn: a timer marks each turn, and if it has not fired for long, the requests served in this turn
 * have waited as long. They are shed until the loop turns. Shedding is cheap, so the queue empties quickly and
 * clients that retry are served.
 */

/** Bounds of one thread. */
export interface LoadBounds {
	/** Requests in progress: their body received, and not completely answered. */
	readonly pendingMax: number;
	/** Time that the event loop may go without a turn before requests are shed, in milliseconds. */
	readonly turnMsMax: number;
	/** Bytes of responses buffered for clients that have not read them yet. */
	readonly heldBytesMax: number;
}

/** A response that waits for its client to read. */
export interface HeldAnswer {
	readonly bytes: number;
	/** Closes the connection; the response's transport then releases it. */
	cut(): void;
}

const TURN_INTERVAL_MS = 20;

export class Load {
	/** Requests not completely answered, except those whose body is being received. Updated by the transport. */
	pending = 0;
	/** Requests whose body is being received. Updated by the transport. */
	receiving = 0;
	private readonly bounds: LoadBounds;
	/** In order of last progress, the longest without progress first. */
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

	/** Bytes of responses that wait for their clients. */
	get heldBytes(): number {
		return this.bytesHeld;
	}

	/** Slow readers disconnected so far. */
	get cuts(): number {
		return this.cutOff;
	}

	/** Requests shed so far. */
	get shed(): number {
		return this.shedRequests;
	}

	/** Whether a request that arrives now must be shed; counts it if so. Cost: one clock read. */
	sheds(): boolean {
		const { pendingMax, turnMsMax } = this.bounds;
		const over = this.pending >= pendingMax || performance.now() - this.lastTurnMs > turnMsMax;
		if (over) this.shedRequests++;
		return over;
	}

	/** Counts a connection that was refused because there are too many. */
	countShed(): void {
		this.shedRequests++;
	}

	/** Registers a response that waits. Over budget, disconnects the clients longest without progress. */
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

	/** Records that the client read some bytes: the response moves to the end of the order. */
	progressed(answer: HeldAnswer): void {
		if (!this.held.delete(answer)) return;
		this.held.add(answer);
	}

	/** Removes a response that was sent or whose client disconnected. */
	release(answer: HeldAnswer): void {
		if (this.held.delete(answer)) this.bytesHeld -= answer.bytes;
	}

	/** Stops the timer. */
	close(): void {
		clearInterval(this.timer);
	}
}

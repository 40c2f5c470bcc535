/**
 * What gives way in a full cache, and when: any entry, at random, so that finding costs no upkeep, and
 * only for one newcomer in eight, so that those that come too rarely to be found again do not spend
 * their time on taking places from each other.
 */

/** Of the newcomers that find no room, one in so many is kept in place of others. */
const ADMITTED_ONE_IN = 8;

export class Displacement {
	private state = 1;

	/** Whether a newcomer that finds no room is kept. */
	admits(): boolean {
		return this.draw() % ADMITTED_ONE_IN === 0;
	}

	/** Which of `count` entries gives way to it. */
	victim(count: number): number {
		return this.draw() % count;
	}

	/** Xorshift32: even enough to choose by. */
	private draw(): number {
		let { state } = this;
		state ^= state << 13;
		state ^= state >>> 17;
		state ^= state << 5;
		this.state = state;
		return state >>> 0;
	}
}

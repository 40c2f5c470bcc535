/**
 * By when a host must have each month of the index in order to be ready: have it downloaded before it goes live, and
 * serve it in all threads from then on.
 *
 * - A month that was announced in time must have been downloaded {@link LEAD_MS} before it goes live, so that a
 *   balancer has taken a host that lacks it out of service by then, and no client sees an older month after a newer
 *   one.
 * - One that was announced later than that, or as live at once, has until {@link LATE_MS} after it goes live: no
 *   host could have it, and all of them would be out of service together.
 * - A host that reads an index before it is in service has no such excuse, whenever the month was announced.
 * - An older month that a host in service must have only since a newer one was retired (`--keep-months`) has no deadline:
 *   it was served by no host, and all of them would be out of service together while they download it.
 * - A month that was downloaded before it goes live will be served in time: the host stays ready while its threads
 *   open it, until {@link LATE_MS} after it goes live.
 */

/** Longer than a balancer takes to notice that a host is not ready, in milliseconds. */
const LEAD_MS = 2_000;

/** How late a month may go live before the host reports that it is not ready, in milliseconds. */
export const LATE_MS = 1_000;

interface Announced {
	readonly month: string;
	/** Digest of the manifest. */
	readonly manifest: string;
	readonly liveAtMs: number;
}

export class Deadlines {
	private deadlines = new Map<string, number>();

	/**
	 * Takes over the months of an index read at `nowMs`; those of the index before keep their deadlines. `isSpare`: whether
	 * the index before had the month, among older ones that were not kept.
	 */
	follow(
		months: readonly Announced[],
		nowMs: number,
		isInService: boolean,
		isSpare: (announced: Announced) => boolean,
	): void {
		this.deadlines = new Map(
			months.map((each) => {
				const inTime = !isInService || each.liveAtMs - nowMs >= LEAD_MS;
				const deadline = each.liveAtMs + (inTime ? -LEAD_MS : LATE_MS);
				const first = isInService && isSpare(each) ? Number.POSITIVE_INFINITY : deadline;
				return [nameOf(each), this.deadlines.get(nameOf(each)) ?? first];
			}),
		);
	}

	/** The month was downloaded before it goes live. */
	inTime(announced: Announced): void {
		this.deadlines.set(nameOf(announced), announced.liveAtMs + LATE_MS);
	}

	/** When the month must be here, in milliseconds since 1970. */
	of(announced: Announced): number {
		return this.deadlines.get(nameOf(announced)) ?? announced.liveAtMs + LATE_MS;
	}
}

function nameOf({ month, manifest, liveAtMs }: Announced): string {
	return `${month} ${manifest} ${liveAtMs}`;
}

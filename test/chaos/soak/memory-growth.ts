/**
 * Whether memory grows, from samples over time. Only anonymous memory is judged: pages of mapped
 * months come with what is asked and go when the machine wants them.
 */

export interface MemorySample {
	/** Since the load began, in seconds. */
	readonly atS: number;
	readonly residentMib: number;
	readonly anonymousMib: number;
	/** Identifies a serving process. */
	readonly life: number;
}

export interface Growth {
	readonly fromS: number;
	readonly toS: number;
	readonly medianMib: number;
	/** Slope over all pairs of samples (Theil and Sen), in MiB an hour. */
	readonly mibPerHour: number;
	/** Growth over the observed time at this slope, in MiB. */
	readonly grownMib: number;
	readonly grows: boolean;
}

/** A process is warm after so long, or a quarter of its life where that is longer. */
const WARM_UP_S = 120;
/** Shorter lives are not judged. */
const JUDGED_S_MIN = 120;
/** Growth that is a garbage collector's mood: so much, and this share of the level. */
const TOLERATED_MIB = 16;
const TOLERATED_SHARE = 0.1;

/** One judgement a process that lived long enough. Cost O(samples²) of at most 360 samples each. */
export function growthOf(samples: readonly MemorySample[]): Growth[] {
	const lives = [...new Set(samples.map((sample) => sample.life))];
	return lives.flatMap((life) => {
		const own = samples.filter((sample) => sample.life === life);
		const [first, last] = [own[0], own[own.length - 1]];
		const warmS = first.atS + Math.max(WARM_UP_S, (last.atS - first.atS) / 4);
		const warm = thinned(own.filter((sample) => sample.atS >= warmS));
		if (warm.length < 12 || last.atS - warmS < JUDGED_S_MIN) return [];
		const medianMib = median(warm.map((sample) => sample.anonymousMib));
		const perSecond = slope(warm);
		const grownMib = perSecond * (last.atS - warmS);
		return [
			{
				fromS: warmS,
				toS: last.atS,
				medianMib,
				mibPerHour: perSecond * 3_600,
				grownMib,
				grows: grownMib > TOLERATED_MIB + TOLERATED_SHARE * medianMib,
			},
		];
	});
}

function thinned(samples: readonly MemorySample[]): MemorySample[] {
	const step = Math.ceil(samples.length / 360);
	return samples.filter((_, i) => i % step === 0);
}

function slope(samples: readonly MemorySample[]): number {
	const slopes: number[] = [];
	for (const [i, a] of samples.entries()) {
		for (const b of samples.slice(i + 1))
			if (b.atS > a.atS) slopes.push((b.anonymousMib - a.anonymousMib) / (b.atS - a.atS));
	}
	return median(slopes);
}

function median(values: readonly number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[sorted.length >> 1] ?? 0;
}

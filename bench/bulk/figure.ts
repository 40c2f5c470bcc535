/** A measured figure beside its target, and the peers' figures beside it. */

import { formatTable } from "../../builder/command-line.js";

export interface Figure {
	readonly name: string;
	readonly measured: string;
	/** Empty: reported for comparison only. */
	readonly target: string;
	/** Null without a target, or where it could not be measured. */
	readonly reached: boolean | null;
	/** What peers measure, by their names. */
	readonly peers?: Readonly<Record<string, string>>;
}

/** A figure that is to be at least `least`, written by `text`. */
export function atLeast(name: string, value: number, least: number, text: (value: number) => string): Figure {
	return { name, measured: text(value), target: `at least ${text(least)}`, reached: value >= least };
}

/** A figure that is to be at most `most`, written by `text`. */
export function atMost(name: string, value: number, most: number, text: (value: number) => string): Figure {
	return { name, measured: text(value), target: `at most ${text(most)}`, reached: value <= most };
}

export function figuresTable(figures: readonly Figure[]): string {
	const peers = [...new Set(figures.flatMap((figure) => Object.keys(figure.peers ?? {})))];
	return formatTable(
		["figure", "measured", "to reach", "", ...peers],
		figures.map(({ name, measured, target, reached, peers: theirs = {} }) => [
			name,
			measured,
			target,
			reached === null ? "" : reached ? "reached" : "NOT reached",
			...peers.map((peer) => theirs[peer] ?? ""),
		]),
	);
}

export const perSecond = (value: number) => `${Math.round(value).toLocaleString("en-US")}/s`;
export const ms = (value: number) => `${value.toPrecision(3)} ms`;
export const times = (value: number) => `${value.toFixed(2)} x`;
export const mib = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
export const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

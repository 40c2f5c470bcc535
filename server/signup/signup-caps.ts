/**
 * Counts signups of a day: all of them, those of a network (IPv4: /24, IPv6: /64) and those of an IPv6 /48.
 *
 * Providers give a site a /56 or a /48 of IPv6 addresses, hundreds of networks, so that one site could use up the signups
 * of everybody. It has a share of them.
 */

import type { Table } from "../store/table.js";

/** Part of the day's signups that one IPv6 /48 may have. */
const SITE_SHARE = 10;

export interface SignupCaps {
	/** Requests from one network (/24, /64) a day. */
	readonly networkPerDay: number;
	/** Requests from everywhere a day. */
	readonly perDay: number;
}

export type CapFault = "network_full" | "day_full";

/** Counts a request from `network` on `day`; if it exceeds a cap, returns that and counts nothing. */
export function countRequest(
	counts: Table<number>,
	caps: SignupCaps,
	network: string,
	day: number,
): CapFault | null {
	const countOf = (name: string) => counts.get(name) ?? 0;
	const networks = [{ name: `${day} net ${network}`, max: caps.networkPerDay }];
	const site = siteOf(network);
	if (site !== null) networks.push({ name: `${day} net ${site}`, max: sitePerDay(caps) });
	if (networks.some(({ name, max }) => countOf(name) >= max)) return "network_full";
	if (requestsOfDay(counts, day) >= caps.perDay) return "day_full";
	for (const name of [allOf(day), ...networks.map((counted) => counted.name)])
		counts.put(name, countOf(name) + 1);
	return null;
}

/** Requests counted on `day`. */
export function requestsOfDay(counts: Table<number>, day: number): number {
	return counts.get(allOf(day)) ?? 0;
}

function allOf(day: number): string {
	return `${day} all`;
}

/** No less than a network of it may have. */
function sitePerDay({ networkPerDay, perDay }: SignupCaps): number {
	return Math.max(networkPerDay, Math.floor(perDay / SITE_SHARE));
}

/** The /48 of an IPv6 network; null for IPv4. */
function siteOf(network: string): string | null {
	return network.includes(":") ? `${network.split(":", 3).join(":")}::/48` : null;
}

/**
 * Takes published months out of service that the index does not list, or that are older than those kept, and keeps a
 * host's disk from filling up over the years.
 *
 * - A month that is older than those kept is deleted where the store has the same revision of it. Any other is moved to
 *   `retired/`, from where it is restored without a download; one revision of each month is kept there.
 * - Changes that no month here needs are deleted once every month of the index is published.
 */

import { join } from "node:path";
import { removeFolder } from "../../formats/files/durable.js";
import { publications, RETIRED_FOLDER } from "../../formats/index.js";
import { removeOutdatedChanges } from "../../formats/object-store/outdated-changes.js";
import { retireUnwanted } from "../../formats/object-store/wanted-months.js";
import type { Log } from "../log.js";
import type { MonthSchedule } from "./month-schedule.js";
import type { PublishedDigests } from "./published-digests.js";

export interface MonthRemovalOptions {
	readonly dataFolder: string;
	readonly schedule: MonthSchedule;
	readonly published: PublishedDigests;
	/** By digest of a manifest, the digest of its snapshot. */
	readonly digests: ReadonlyMap<string, string>;
	readonly log: Log;
}

export class MonthRemoval {
	/** The published months whose changes were examined last. */
	private examined = "";

	constructor(private readonly options: MonthRemovalOptions) {}

	/** Throws system errors; what is left is removed at the next call. Cost if nothing is to do: a stat per month. */
	run(nowMs: number): void {
		const { dataFolder, schedule, log } = this.options;
		const before = [...publications(dataFolder).keys()];
		const inStore = new Set(before.filter((month) => this.isInStore(month)));
		for (const month of retireUnwanted(dataFolder, schedule.retained(nowMs))) {
			if (inStore.has(month)) {
				removeFolder(join(dataFolder, RETIRED_FOLDER, month));
				log.info({ month }, "a month older than those kept was deleted; the object store has it");
			} else
				log.info({ month }, "a month that the object store does not list, or that is not kept, was retired");
		}
		const now = JSON.stringify([...publications(dataFolder)]);
		if (now === this.examined || schedule.lacking(nowMs).length > 0) return;
		removeOutdatedChanges(dataFolder);
		this.examined = now;
	}

	/** Whether the index lists the revision of the month that is published here. */
	private isInStore(month: string): boolean {
		const { schedule, published, digests } = this.options;
		const digest = digests.get(schedule.manifestOf(month) ?? "");
		return digest !== undefined && digest === published.of(month);
	}
}

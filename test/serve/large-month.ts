/** A month whose largest pages are too large for a socket's buffers, in a data folder of its own. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { SNAPSHOTS_FOLDER } from "../../formats/index.js";
import { type DropRow, monthRows } from "../http/drop-rows.js";
import { publish } from "../http/served.js";
import { prebuilt } from "../prebuilt.js";

const COPIES = 8;
const MANY_COPIES = 60;

/** Publishes 2026-11 with some thousand rows. A page of 1,000 is more than half a megabyte. */
export function largeMonthFolder(): Promise<string> {
	return prebuilt("large-month", (folder) => publishLarge(folder, COPIES));
}

/** The same with so many rows that the buffers of a connection do not take all of them. */
export function largerMonthFolder(): Promise<string> {
	return prebuilt("larger-month", (folder) => publishLarge(folder, MANY_COPIES));
}

async function publishLarge(folder: string, copies: number): Promise<void> {
	mkdirSync(join(folder, SNAPSHOTS_FOLDER));
	const rows = monthRows("2026-11");
	const many = Array.from({ length: copies }, (_, copy) =>
		rows.map(
			(row): DropRow => ({
				...row,
				office_name: `${"Long Office Name ".repeat(12)}${copy}`,
				member_state_license_number: `${row.member_state_license_number}-${copy}`,
			}),
		),
	).flat();
	await publish(folder, "2026-11", many);
}

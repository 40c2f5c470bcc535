/** `builder rows`: adds or drops a published month's row store without a rebuild. */

import { utimesSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { syncPath } from "../../formats/files/durable.js";
import { dropStoredRows, ROW_STORE_FOLDER } from "../../formats/index.js";
import { BackgroundSync } from "../build/background-sync.js";
import { addOlderRowsBefore } from "../changes/keep-changes.js";
import { orWarn, printJson } from "../command-line.js";
import { writeRowStore } from "../compile/compile-month.js";
import { whileLocked } from "../months/publish.js";
import { openPool, ROW_BYTES } from "../open-pool.js";
import { describeMonth, openPublished } from "../published-months.js";
import { monthName } from "./month-arguments.js";

interface Flags {
	data: string;
	json: boolean;
}

export function rowsCommand(): Command {
	const rows = new Command("rows").description("add or drop a published month's row store");
	const sub = (name: string, description: string, act: (data: string, month: string) => Promise<void>) =>
		rows
			.command(name)
			.description(description)
			.argument("<month>", "month, YYYY-MM", monthName)
			.requiredOption("--data <dir>", "data folder")
			.option("--json", "print one JSON document", false)
			.action(async (month: string, flags: Flags) => {
				await whileLocked(flags.data, () => act(flags.data, month));
				const described = describeMonth(flags.data, month);
				if (flags.json) printJson(described);
				else process.stdout.write(`${month}: ${storeText(described.row_store_bytes)}\n`);
			});
	sub("add", "write the row store, which answers whole rows faster", addRows);
	sub("drop", "delete the row store; responses are then rendered from the columns", dropRows);
	return rows;
}

async function addRows(data: string, month: string): Promise<void> {
	const { folder, catalog } = openPublished(data, month);
	dropStoredRows(data, month);
	const pool = openPool(null, ROW_BYTES * catalog.rows);
	const sync = new BackgroundSync(join(folder, ROW_STORE_FOLDER));
	const end = async () => {
		await pool.close();
		await sync.stop();
	};
	try {
		// The catalog is written last; until then readers ignore the store.
		await writeRowStore(
			folder,
			catalog.rows,
			(kind, input) => pool.run(kind, input),
			() => sync.finish(),
		);
		await orWarn(() => addOlderRowsBefore(data, month));
		// Servers that have opened the month since the folder of the rows was made find another publication.
		const now = new Date();
		utimesSync(folder, now, now);
		syncPath(folder);
	} catch (error) {
		await end();
		// Readers ignore what was written of it, which takes space all the same.
		dropStoredRows(data, month);
		throw error;
	}
	await end();
}

async function dropRows(data: string, month: string): Promise<void> {
	openPublished(data, month);
	dropStoredRows(data, month);
}

function storeText(bytes: number): string {
	return bytes === 0 ? "no row store" : `row store of ${bytes} bytes`;
}

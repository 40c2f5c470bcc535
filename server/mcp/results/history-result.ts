/** The result of license_history: the newest months that fit, rows as arrays of values. */

import type { z } from "zod";
import { historyOperation } from "../../api/endpoints/history.js";
import type { AnyOperation } from "../../api/operation-table.js";
import type { historyResponse } from "../../api/schemas/endpoint-responses.js";
import { bodyValue, type ToolAnswer } from "../tool.js";
import { countFitting, ROWS_BYTES_MAX, THIRD_PARTY_NOTE } from "./budget.js";

export const licenseHistory: ToolAnswer = (given, call) => {
	const operation = historyOperation as AnyOperation;
	const { data, meta } = bodyValue<z.infer<typeof historyResponse>>(operation, given, call);
	const { snapshots: _, matches, ...bounds } = meta;
	const columns = Object.keys(data.rows[0] ?? {});
	const rows = data.rows.map((row) => Object.values(row));
	const room = ROWS_BYTES_MAX - Buffer.byteLength(JSON.stringify({ ...data, rows: [] }));
	const shown = countFitting(rows, room);
	const repeated = matches.filter((match) => match.rows > 1);
	const notice = `rows holds the newest ${shown} of ${rows.length} months; ask for fewer fields to get them all`;
	const result = {
		columns,
		data: { ...data, rows: rows.slice(0, shown) },
		...(shown < rows.length ? { notice } : {}),
	};
	const more = JSON.stringify({ ...bounds, ...(repeated.length > 0 ? { matches: repeated } : {}) });
	return `${JSON.stringify(result).slice(0, -1)},"meta":${more.slice(0, -1)}${THIRD_PARTY_NOTE}}}`;
};

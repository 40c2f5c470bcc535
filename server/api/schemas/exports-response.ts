/** The body of /v1/exports. */

import { z } from "zod";
import { EXPORT_FORMATS } from "../../../formats/index.js";
import { bounds, count, hint, month, stateCode } from "./endpoint-responses.js";

export const exportsResponse = z.strictObject({
	data: z.array(
		z.strictObject({
			snapshot: month,
			state: stateCode.nullable().describe("State whose rows the file holds; null: the whole month."),
			format: z.enum(EXPORT_FORMATS),
			rows: count,
			bytes: count,
			sha256: z.string().describe("SHA-256 of the file, 64 hexadecimal digits."),
			path: z.string().describe("Path of the file on this service."),
			exported_at: z.string().describe("When the files of the snapshot were last exported, ISO 8601."),
		}),
	),
	meta: z.strictObject({ files: count, bytes: count, scope: bounds.scope, hints: z.array(hint).optional() }),
});

/** What the document shows. */
export const EXPORTS_EXAMPLE: z.infer<typeof exportsResponse> = {
	data: [
		{
			snapshot: "2026-11",
			state: "CA",
			format: "parquet",
			rows: 307_377,
			bytes: 19_102_004,
			sha256: "0b1d57f0c1f0a7f2b0a4cf2b6d5c0f5e5f7ad7e9c1a4b4f66a4b3a0f9d1c2e3b",
			path: "/v1/exports/2026-11/CA.parquet",
			exported_at: "2026-12-02T04:12:09.000Z",
		},
	],
	meta: { files: 1, bytes: 19_102_004 },
};

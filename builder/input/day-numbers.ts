/** The system by which a workbook counts days, which must be the one that a map reads its day numbers by. */

import { columnNamed } from "../../formats/domain/columns.js";
import { BuildError } from "../errors.js";
import type { SourcePlan } from "./source-plan.js";

/** The date format of day numbers that count from 1900, or from 1904. */
export type DayNumbers = "excel" | "excel1904";

/**
 * Throws {@link BuildError} `bad_date_format` if dates of a workbook whose cells have `dayNumbers` are read by the other
 * system: they would be four years off. `mapFile`: what names the format; null: the command line.
 */
export function requireDayNumbers(
	{ dateFormats, targets }: Pick<SourcePlan, "dateFormats" | "targets">,
	dayNumbers: DayNumbers,
	file: string,
	mapFile: string | null,
): void {
	const other = dayNumbers === "excel" ? "excel1904" : "excel";
	if (!dateFormats.includes(other) || !targets.some(({ column }) => columnNamed(column).kind === "date"))
		return;
	const year = dayNumbers === "excel" ? 1900 : 1904;
	const rule =
		`the workbook counts days from ${year}: set "dateFormat" to "${dayNumbers}" in ${mapFile ?? "a --map file"}, not to ` +
		`"${other}", which is four years off`;
	throw new BuildError("bad_date_format", rule, { file });
}

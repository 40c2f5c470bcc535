/** Parameters of /v1/changes. */

import { z } from "zod";
import { CHANGE_KINDS, type ChangeKind, FILTERED_ROWS, type FilteredRow } from "../../../engine/index.js";
import {
	CHANGE_FIELDS,
	type ColumnName,
	columnListRule,
	FORMATS,
	oneOfRule,
	QUERY_RULES,
	wordListRule,
} from "../../../formats/index.js";
import { schemaOfRule } from "../parameters/schema-rule.js";
import type { ParameterObject } from "../parameters/validation.js";
import { bulkLimitParameter, cursorParameter } from "./bulk-parameters.js";
import { fields, filterShape } from "./endpoint-parameters.js";
import { documented, monthParameter } from "./value-types.js";

export interface ChangesParameters {
	readonly from?: string;
	readonly to?: string;
	readonly kind?: ChangeKind[];
	readonly field?: ColumnName[];
	readonly filters_on: FilteredRow;
	readonly fields?: ColumnName[];
	readonly limit: number;
	readonly format: (typeof FORMATS)[number];
	readonly cursor?: string;
	readonly [filter: string]: unknown;
}

export const changesParameters = z.strictObject({
	from: monthParameter("The older month, YYYY-MM; default: the newest before `to`."),
	to: monthParameter("The newer month, YYYY-MM; default: the latest."),
	kind: documented(schemaOfRule(wordListRule("kind", CHANGE_KINDS), true).optional(), {
		description: "Kinds of change: new, gone, changed; default: all, or changed where field is given.",
		schema: { type: "string" },
		json: { type: "array", items: { type: "string", enum: [...CHANGE_KINDS] }, minItems: 1 },
		example: "new,gone",
	}),
	field: documented(schemaOfRule(columnListRule("tracked column", CHANGE_FIELDS), true).optional(), {
		description:
			"Tracked columns, or license_status_group and member_type_group: licenses changed in any of them.",
		schema: { type: "string" },
		json: { type: "array", items: { type: "string", enum: [...CHANGE_FIELDS] }, minItems: 1 },
		example: "member_license_status,office_name",
	}),
	filters_on: documented(schemaOfRule(oneOfRule(...FILTERED_ROWS)).default("newer"), {
		description:
			"Which row of a changed license filters read: older finds those who left what is asked for, an office or a status. New licenses have no older row.",
		schema: { type: "string", enum: FILTERED_ROWS, default: "newer" },
	}),
	...filterShape(),
	fields,
	limit: bulkLimitParameter,
	format: documented(schemaOfRule(QUERY_RULES.format).default("json"), {
		description: "Format of the answer.",
		schema: { type: "string", enum: FORMATS, default: "json" },
	}),
	cursor: cursorParameter,
}) as unknown as ParameterObject<ChangesParameters>;

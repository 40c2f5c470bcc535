/** Parameters of `/v1/verify` (docs/API.md §11.4). */

import { z } from "zod";
import { LICENSE_OBJECTS_MAX, LICENSE_TEXTS_MAX, licensesRule } from "../../../formats/index.js";
import { schemaOfRule } from "../parameters/schema-rule.js";
import { fields, snapshotParameter } from "./endpoint-parameters.js";
import { documented } from "./value-types.js";

/** JSON Schema of a license as an object. */
export const LICENSE_OBJECT = {
	type: "object",
	properties: {
		state: { type: "string" },
		license_number: { type: "string" },
		last_name: { type: "string" },
		first_name: { type: "string" },
	},
	required: ["state", "license_number"],
} as const;
const LICENSE_TEXT = { type: "string", minLength: 4, maxLength: 1000 } as const;

export const verifyParameters = z.strictObject({
	license: documented(schemaOfRule(licensesRule), {
		description: `A license as STATE:NUMBER, STATE:NUMBER:LAST or STATE:NUMBER:LAST:FIRST; repeat it for up to ${LICENSE_TEXTS_MAX}.`,
		schema: { type: "array", items: LICENSE_TEXT, minItems: 1, maxItems: LICENSE_TEXTS_MAX },
		json: {
			type: "array",
			minItems: 1,
			maxItems: LICENSE_OBJECTS_MAX,
			items: { ...LICENSE_OBJECT, additionalProperties: false },
		},
		example: ["CA:01234567"],
	}),
	snapshot: snapshotParameter,
	fields,
});

/** Every table that the store has besides the keys and their counts: backups are checked by their schemas. */

import { SHARED_SCHEMAS } from "./shared-state/shared-tables.js";
import { SIGNUP_SCHEMAS } from "./signup/signup-records.js";
import type { TableSchemas } from "./store/table.js";

export const TABLE_SCHEMAS: TableSchemas = { ...SIGNUP_SCHEMAS, ...SHARED_SCHEMAS };

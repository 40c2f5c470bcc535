/** Every operation, in the order of docs/API.md §7: routes, documentation and tools are made from this list. */

import { aggregateOperation } from "./endpoints/aggregate.js";
import { changesOperation } from "./endpoints/changes.js";
import { exportFileOperation, exportsOperation } from "./endpoints/exports.js";
import { historyOperation } from "./endpoints/history.js";
import { licenseOperation } from "./endpoints/license.js";
import { licensesOperation } from "./endpoints/licenses.js";
import { meOperation } from "./endpoints/me.js";
import { officesOperation } from "./endpoints/offices.js";
import { snapshotsOperation } from "./endpoints/snapshots.js";
import { statesOperation } from "./endpoints/states.js";
import { statsOperation } from "./endpoints/stats.js";
import { suggestOperation } from "./endpoints/suggest.js";
import { usageOperation } from "./endpoints/usage.js";
import { verifyOperation } from "./endpoints/verify.js";
import type { Operation } from "./operation.js";

/** An operation whose request type only it knows. */
export type AnyOperation = Operation<unknown>;

export const OPERATIONS = [
	meOperation,
	usageOperation,
	snapshotsOperation,
	statesOperation,
	statsOperation,
	suggestOperation,
	licensesOperation,
	licenseOperation,
	historyOperation,
	changesOperation,
	aggregateOperation,
	verifyOperation,
	officesOperation,
	exportsOperation,
	exportFileOperation,
] as readonly AnyOperation[];

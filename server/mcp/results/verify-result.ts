/** The result of verify_licenses: an entry for each license, whose rows are arrays of values. */

import { licenseGrant, type VerifyRequest, verifyOperation } from "../../api/endpoints/verify.js";
import type { Call } from "../../api/operation.js";
import { openMeta } from "../../api/scope/answer-bounds.js";
import { resolveSnapshot } from "../../api/scope/history-entitlement.js";
import { LICENSES_COUNTED, requestsFor } from "../../limits/counted-units.js";
import { parametersOf } from "../arguments.js";
import type { ToolAnswer } from "../tool.js";
import { noticeMember, ROWS_BYTES_MAX, THIRD_PARTY_NOTE } from "./budget.js";
import { oversizedRow } from "./page-cursor.js";

const COMMA = 0x2c;

/**
 * Counts the call before its work as the requests that it is at most, so that one which a limit refuses costs none and
 * tells nothing; then as those that the result has. One that fails counts as one.
 */
export const verifyLicenses: ToolAnswer = (given, call) => {
	const request = verifyOperation.read(parametersOf(given), call.grant);
	const most = requestsFor(request.licenses.length, LICENSES_COUNTED);
	if (most > 1) call.recount?.(most, LICENSES_COUNTED);
	let shown = 0;
	try {
		shown = writeResult(request, call);
	} finally {
		const requests = requestsFor(shown, LICENSES_COUNTED);
		if (requests < most) call.recount?.(requests, LICENSES_COUNTED);
	}
	return call.services.sink.view();
};

/** Writes the result into the sink; returns how many licenses it has. Throws ApiError. */
function writeResult(
	{ licenses, projection, bounds, month }: VerifyRequest,
	{ grant, services }: Call,
): number {
	const snapshot = resolveSnapshot(services.loaded, grant.history, month);
	const writer = snapshot.rowWriter(projection);
	const granted = licenseGrant(grant);
	const { sink } = services;
	sink.reset();
	sink.text(`{"columns":${JSON.stringify(projection.columns)},"data":[`);
	let shown = 0;
	for (; shown < licenses.length; shown++) {
		const before = sink.length;
		const { outcome, rows, differs, similar } = snapshot.verifyLicense(licenses[shown], granted);
		if (shown > 0) sink.byte(COMMA);
		sink.text(`{"input":${JSON.stringify(licenses[shown].input)},"outcome":"${outcome}","rows":[`);
		rows.forEach((row, i) => {
			if (i > 0) sink.byte(COMMA);
			writer.write(row, sink);
		});
		sink.text("]");
		if (differs.length > 0) sink.text(`,"differs":${JSON.stringify(differs)}`);
		if (similar.length > 0) sink.text(`,"similar":${JSON.stringify(similar)}`);
		sink.text("}");
		if (sink.length <= ROWS_BYTES_MAX) continue;
		if (shown === 0) throw oversizedRow();
		sink.length = before;
		break;
	}
	const notice =
		shown < licenses.length
			? `only the first ${shown} of ${licenses.length} licenses fit a result; ask for the others in another call`
			: "";
	sink.text(`]${openMeta(snapshot.month)}${bounds}${THIRD_PARTY_NOTE}}${noticeMember(notice)}}`);
	return shown;
}

/** The result of verify_licenses: an entry for each license, whose rows are arrays of values. */

import { INPUTS_PER_REQUEST, verifyOperation } from "../../api/endpoints/verify.js";
import { openMeta } from "../../api/scope/answer-bounds.js";
import { resolveSnapshot } from "../../api/scope/history-entitlement.js";
import { parametersOf } from "../arguments.js";
import type { ToolAnswer } from "../tool.js";
import { noticeMember, ROWS_BYTES_MAX, THIRD_PARTY_NOTE } from "./budget.js";
import { oversizedRow } from "./page-cursor.js";

const COMMA = 0x2c;

export const verifyLicenses: ToolAnswer = (given, call) => {
	const { grant, services } = call;
	const request = verifyOperation.read(parametersOf(given), grant);
	const { licenses, projection, bounds } = request;
	const snapshot = resolveSnapshot(services.loaded, grant.history, request.month);
	const writer = snapshot.rowWriter(projection);
	const { sink } = services;
	sink.reset();
	sink.text(`{"columns":${JSON.stringify(projection.columns)},"data":[`);
	let shown = 0;
	for (; shown < licenses.length; shown++) {
		const before = sink.length;
		const { outcome, rows, differs, similar } = snapshot.verifyLicense(licenses[shown], grant.geography);
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
	const requests = Math.ceil(shown / INPUTS_PER_REQUEST);
	if (requests > 1) call.recount?.(requests);
	return sink.view();
};

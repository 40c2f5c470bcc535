/** The result of get_license: the body of its HTTP twin with the note on third-party text. */

import { licenseOperation, writeLicense } from "../../api/endpoints/license.js";
import { parametersOf } from "../arguments.js";
import type { ToolAnswer } from "../tool.js";
import { THIRD_PARTY_NOTE } from "./budget.js";

export const getLicense: ToolAnswer = (given, call) => {
	writeLicense(licenseOperation.read(parametersOf(given), call.grant), call);
	const { sink } = call.services;
	sink.text(THIRD_PARTY_NOTE);
	sink.text("}}");
	return sink.view();
};

/** The result of get_license: the body of its HTTP twin with the note on third-party text. */

import { licenseOperation } from "../../api/endpoints/license.js";
import type { AnyOperation } from "../../api/operation-table.js";
import { answerOf, type ToolAnswer } from "../tool.js";
import { THIRD_PARTY_NOTE } from "./budget.js";

/** What closes `meta` and the answer. */
const END = "}}";

export const getLicense: ToolAnswer = (given, call) => {
	// Renders into the sink.
	answerOf(licenseOperation as AnyOperation, given, call).body();
	const { sink } = call.services;
	sink.length -= END.length;
	sink.text(THIRD_PARTY_NOTE);
	sink.text(END);
	return sink.view();
};

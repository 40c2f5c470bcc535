/** The rule for licenses to verify: text `STATE:NUMBER[:LAST[:FIRST]]`, or objects in JSON arguments. */

import { findJurisdiction } from "../domain/jurisdictions.js";
import { didYouMeanName } from "./nearest.js";
import { didYouMeanOther } from "./other-names.js";
import { RuleViolation } from "./rule.js";
import { stateRule } from "./value-rules.js";

/** Maximum number of licenses per request, as text and as objects. */
export const LICENSE_TEXTS_MAX = 100;
export const LICENSE_OBJECTS_MAX = 500;

/** A license to verify. A type alias, so that it is assignable to JSON values. */
export type GivenLicense = {
	/** As given. */
	readonly input: string | Readonly<Record<string, unknown>>;
	readonly state: string;
	readonly licenseNumber: string;
	readonly lastName?: string;
	readonly firstName?: string;
};

const FORM = "must be written STATE:NUMBER, STATE:NUMBER:LAST or STATE:NUMBER:LAST:FIRST";
const MEMBERS = ["state", "license_number", "last_name", "first_name"];

/** One license or an array of them, in the order given; duplicates are kept. */
export function licensesRule(given: unknown): GivenLicense[] | RuleViolation {
	const all = Array.isArray(given) ? given : [given];
	const most = all.every((each) => typeof each === "string") ? LICENSE_TEXTS_MAX : LICENSE_OBJECTS_MAX;
	if (all.length === 0) return new RuleViolation("must have at least one license");
	if (all.length > most) return new RuleViolation(`takes at most ${most} licenses; got ${all.length}`);
	const licenses: GivenLicense[] = [];
	for (const [i, each] of all.entries()) {
		const license = typeof each === "string" ? licenseOfText(each) : licenseOfObject(each);
		if (license instanceof RuleViolation)
			return all.length === 1 ? license : new RuleViolation(`number ${i + 1} ${license.message}`);
		licenses.push(license);
	}
	return licenses;
}

function licenseOfText(text: string): GivenLicense | RuleViolation {
	const parts = text.split(":").map((part) => part.trim());
	if (isList(parts))
		return new RuleViolation("has several licenses between commas; give each as a license of its own");
	if (parts.length < 2 || parts.length > 4 || parts.includes(""))
		return new RuleViolation(`${FORM}; got ${JSON.stringify(text.slice(0, 100))}`);
	const [state, licenseNumber, lastName, firstName] = parts;
	return licenseOf(text, state, licenseNumber, lastName, firstName);
}

/** Whether the parts are those of several licenses: after a comma, a state ends one and a number begins the next. */
function isList(parts: readonly string[]): boolean {
	for (let i = 1; i < parts.length - 1; i++) {
		const [, state] = /,\s*([a-z]{2})$/i.exec(parts[i]) ?? [];
		if (state !== undefined && findJurisdiction(state.toUpperCase()) !== undefined && /\d/.test(parts[i + 1]))
			return true;
	}
	return false;
}

function licenseOfObject(given: unknown): GivenLicense | RuleViolation {
	if (typeof given !== "object" || given === null || Array.isArray(given))
		return new RuleViolation(`${FORM}, or an object with ${MEMBERS.join(", ")}`);
	const record = given as Readonly<Record<string, unknown>>;
	const unknown = Object.keys(record).find((name) => !MEMBERS.includes(name));
	if (unknown !== undefined) {
		const suggestion = didYouMeanOther(unknown, MEMBERS) || didYouMeanName(unknown, MEMBERS) || ".";
		return new RuleViolation(
			`has no member ${JSON.stringify(unknown.slice(0, 100))}${suggestion} The members are ${MEMBERS.join(", ")}`,
		);
	}
	const texts: (string | undefined)[] = [];
	for (const [place, name] of MEMBERS.entries()) {
		const value = record[name] ?? undefined;
		if (value === undefined && place >= 2) texts.push(undefined);
		else if (typeof value === "string" && value.trim() !== "" && value.length <= 1000)
			texts.push(value.trim());
		else {
			const text = typeof value === "number" ? `: ${JSON.stringify(String(value))}` : "";
			const isNameAlone = name === "license_number" && value === undefined;
			const advice = isNameAlone ? "; without a number, search_licenses finds people by name" : "";
			return new RuleViolation(`must have ${name} as text of 1 to 1,000 characters${text}${advice}`);
		}
	}
	const [state, licenseNumber, lastName, firstName] = texts;
	return licenseOf(record, state as string, licenseNumber as string, lastName, firstName);
}

function licenseOf(
	input: GivenLicense["input"],
	given: string,
	licenseNumber: string,
	lastName: string | undefined,
	firstName: string | undefined,
): GivenLicense | RuleViolation {
	const state = stateRule(given);
	if (state instanceof RuleViolation) return state;
	return {
		input,
		state,
		licenseNumber,
		...(lastName === undefined ? {} : { lastName }),
		...(firstName === undefined ? {} : { firstName }),
	};
}

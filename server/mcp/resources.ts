/**
 * What agents may read besides the tools: the data dictionary, the jurisdictions, and the values
 * that statuses and types have at present. The vocabularies come from the statistics operation, so
 * that they obey the key's grant.
 */

import type { Resource, ResourceTemplate } from "@modelcontextprotocol/sdk/types.js";
import {
	COLUMNS,
	type Column,
	type FilterKind,
	filtersOn,
	JURISDICTIONS,
	nearest,
	quoted,
	resoField,
	stateNamed,
	suggested,
} from "../../formats/index.js";
import { snapshotsOperation } from "../api/endpoints/snapshots.js";
import { statsOperation } from "../api/endpoints/stats.js";
import { ANSWER_BYTES_MAX, ApiError } from "../api/errors.js";
import type { Call } from "../api/operation.js";
import type { AnyOperation } from "../api/operation-table.js";
import { wellFormed } from "./arguments.js";
import { type CacheHint, type ProtocolMode, RPC } from "./protocol.js";
import { RpcError } from "./rpc-error.js";
import { bodyText, bodyValue } from "./tool.js";

/** Characters of an unknown URI that the error repeats. */
const URI_SHOWN_MAX = 1_000;

const JSON_MIME = "application/json";
const VOCABULARY = "rollcall://vocabulary";
const VOCABULARY_OF_STATE = /^rollcall:\/\/vocabulary\/([A-Za-z]{2})$/;
const VOCABULARY_OF_NAME = /^rollcall:\/\/vocabulary\/([^/]{3,60})$/;

interface Readable {
	readonly listed: Resource;
	readonly cache: CacheHint;
	text(call: Call): string;
}

const FIXED: CacheHint = { ttlMs: 3_600_000, cacheScope: "public" };
/** A month is published now and then, and a vocabulary is narrowed to the key's grant. */
const CURRENT: CacheHint = { ttlMs: 60_000, cacheScope: "private" };

/** How each kind of filter compares. */
const MATCHING: Readonly<Record<FilterKind, string>> = {
	state: "list",
	country: "exact",
	exact: "exact",
	group: "exact",
	prefix: "prefix",
	name: "forgiving search by words",
	fold: "whole value, in any letter case",
	not: "none of",
	present: "has a value",
	missing: "has no value",
	from: "on or after",
	to: "on or before",
};

/** The entry of a column in the data dictionary. */
function describeColumn(column: Column) {
	const { name, kind, nullable, contact, sortable, suggest, description } = column;
	const filters = filtersOn(name).map((filter) => `${filter.param} (${MATCHING[filter.kind]})`);
	const types = { id: "integer", int: "integer", date: "date YYYY-MM-DD", snapshot: "month YYYY-MM" };
	return {
		name,
		type: kind in types ? types[kind as keyof typeof types] : "text",
		nullable,
		description,
		reso_data_dictionary: resoField(name),
		filter: filters.length === 0 ? null : filters.join(", "),
		sortable,
		suggest_field: suggest,
		masked_for_demo_and_trial_keys: contact,
	};
}

const DICTIONARY = JSON.stringify({ columns: COLUMNS.map(describeColumn) });
const JURISDICTION_LIST = JSON.stringify({ jurisdictions: JURISDICTIONS });

const READABLE: readonly Readable[] = [
	{
		listed: {
			uri: "rollcall://columns",
			name: "columns",
			title: "Data dictionary",
			description:
				"Every column: type, meaning, name in the RESO Data Dictionary, the filter that reads it, whether results sort by it.",
			mimeType: JSON_MIME,
		},
		cache: FIXED,
		text: () => DICTIONARY,
	},
	{
		listed: {
			uri: "rollcall://jurisdictions",
			name: "jurisdictions",
			title: "States and provinces",
			description: "Codes, names and countries of all licensing jurisdictions.",
			mimeType: JSON_MIME,
		},
		cache: FIXED,
		text: () => JURISDICTION_LIST,
	},
	{
		listed: {
			uri: VOCABULARY,
			name: "vocabulary",
			title: "Statuses and types",
			description: "Every license status and member type of the latest snapshot with its rows.",
			mimeType: JSON_MIME,
		},
		cache: CURRENT,
		text: (call) => vocabulary({}, call),
	},
	{
		listed: {
			uri: "rollcall://snapshots",
			name: "snapshots",
			title: "Monthly snapshots",
			description: "The loaded months, newest first, and which of them the key reads.",
			mimeType: JSON_MIME,
		},
		cache: CURRENT,
		text: (call) => bodyText(snapshotsOperation as AnyOperation, {}, call),
	},
];

/** Whether what `uri` names may change while the server runs: what follows from the loaded months. */
export function changesByMonth(uri: string): boolean {
	if (VOCABULARY_OF_STATE.test(uri)) return true;
	return READABLE.some(({ listed, cache }) => listed.uri === uri && cache === CURRENT);
}

export const RESOURCES: readonly Resource[] = READABLE.map((r) => r.listed);

export const RESOURCE_TEMPLATES: readonly ResourceTemplate[] = [
	{
		uriTemplate: `${VOCABULARY}/{state}`,
		name: "vocabulary-of-state",
		title: "Statuses and types of a state",
		description:
			"The license statuses and member types that one state or province uses in the latest snapshot.",
		mimeType: JSON_MIME,
	},
];

interface Entry {
	readonly value: string;
	readonly rows: number;
}
interface Statistics {
	readonly data: { readonly license_status?: Entry[]; readonly member_type?: Entry[] };
	readonly meta: { readonly snapshot: string };
}

/** The vocabularies, without their counts by state. Throws ApiError as the statistics do. */
function vocabulary(raw: Readonly<Record<string, unknown>>, call: Call): string {
	const { data, meta } = bodyValue<Statistics>(statsOperation as AnyOperation, raw, call);
	const brief = (entries: Entry[] | undefined) => entries?.map(({ value, rows }) => ({ value, rows }));
	return JSON.stringify({
		snapshot: meta.snapshot,
		...raw,
		license_status: brief(data.license_status),
		member_type: brief(data.member_type),
	});
}

/** The result of reading `uri`, and how long it keeps. Throws RpcError. */
export function readResource(
	uri: string,
	mode: ProtocolMode,
	call: Call,
): { result: string; cache: CacheHint } {
	const found = READABLE.find((r) => r.listed.uri === uri);
	if (found !== undefined)
		return { result: refusing(() => contents(uri, found.text(call))), cache: found.cache };
	const state = VOCABULARY_OF_STATE.exec(uri)?.[1].toUpperCase();
	if (state === undefined) {
		const suggestion = suggestResource(uri);
		const code = mode === "handshake" ? RPC.resourceNotFound : RPC.invalidParams;
		throw new RpcError(code, `no resource ${quoted(wellFormed(uri))}${suggestion}`, null, {
			uri: wellFormed(uri.slice(0, URI_SHOWN_MAX)),
		});
	}
	return { result: refusing(() => contents(uri, vocabulary({ state }, call))), cache: CURRENT };
}

/** Ends the message about a URI that is no resource. */
function suggestResource(uri: string): string {
	const name = VOCABULARY_OF_NAME.exec(uri)?.[1];
	if (name === undefined) {
		// Without the scheme, which all have in common: beside it, every name would be near every other.
		const near = nearest(
			uri.replace(SCHEME, ""),
			READABLE.map((r) => r.listed.name),
			1,
		);
		return suggested(near.map((found) => `rollcall://${found}`)) || RESOURCES_ADVICE;
	}
	const code = stateNamed(decodedName(name));
	if (code === null) return "; a vocabulary is named by a code of rollcall://jurisdictions";
	return `; did you mean "${VOCABULARY}/${code}"?`;
}

const SCHEME = /^rollcall:\/*/i;

const RESOURCES_ADVICE = "; resources/list lists them";

/** The text of a part of a URI; broken escapes are left as they are. */
function decodedName(part: string): string {
	try {
		return decodeURIComponent(part);
	} catch {
		return part;
	}
}

/** Throws ApiError where the result would exceed the bound on answers, as where a column of names was mapped as statuses. */
function contents(uri: string, text: string): string {
	const result = JSON.stringify({ contents: [{ uri, mimeType: JSON_MIME, text }] });
	if (result.length * 3 > ANSWER_BYTES_MAX && Buffer.byteLength(result) > ANSWER_BYTES_MAX) throw tooMany();
	return result;
}

/** The vocabularies alone can be as large. */
function tooMany(): ApiError {
	const mebibytes = ANSWER_BYTES_MAX >> 20;
	const message = `the values would take more than ${mebibytes} MiB; get_stats lists the most frequent ones`;
	return new ApiError("invalid_parameter", message, "uri");
}

/** Resource reads have no error results, so a refusal is a protocol error with the API's code. */
function refusing(read: () => string): string {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof ApiError)) throw error;
		throw new RpcError(RPC.invalidParams, error.message, null, { code: error.code, param: error.param });
	}
}

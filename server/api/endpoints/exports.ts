/** GET /v1/exports and GET /v1/exports/{snapshot}/{file}: whole months as files (docs/API.md §11.7). */

import type { Snapshot } from "../../../engine/index.js";
import {
	type ExportedFile,
	type ExportManifest,
	exportName,
	type FileFormat,
	partsOfFormat,
} from "../../../formats/index.js";
import { ApiError } from "../errors.js";
import type { Hint } from "../hints/hint.js";
import { type Call, jsonAnswer, type Operation } from "../operation.js";
import { validateParameters } from "../parameters/validation.js";
import { entityTag, fingerprint } from "../responses/entity-tag.js";
import {
	type ExportFileParameters,
	type ExportsParameters,
	exportFileParameters,
	exportsParameters,
	type NamedExport,
} from "../schemas/exports-parameters.js";
import { exportsResponse } from "../schemas/exports-response.js";
import { grantBounds } from "../scope/answer-bounds.js";
import type { Grant } from "../scope/grant.js";
import { readableSnapshots, resolveSnapshot } from "../scope/history-entitlement.js";

/** Content types of files by format; the files are compressed, not their transfer. */
const FILE_TYPES: Readonly<Record<FileFormat, string>> = {
	parquet: "application/vnd.apache.parquet",
	"csv.gz": "application/gzip",
	"ndjson.gz": "application/gzip",
};

/** Files contain every column unmasked, so a key restricted in columns or masked reads none of them. */
function requireFiles(grant: Grant): void {
	const lacks = !grant.bulk
		? "the bulk entitlement"
		: grant.projection.masked
			? "unmasked contact columns"
			: grant.hasAllColumns
				? null
				: "all columns";
	if (lacks === null) return;
	throw new ApiError(
		"scope_denied",
		`exported files need ${lacks}, which this key does not have; use /v1/licenses`,
	);
}

export const exportsOperation: Operation<ExportsParameters> = {
	endpoint: "/v1/exports",
	operationId: "listExports",
	tag: "Extensions",
	revalidated: true,
	summary: "List the files of whole months",
	description:
		"Files that the operator exported, of the months and states that the key reads. Needs the bulk entitlement, " +
		"every column and unmasked contact columns.",
	parameters: exportsParameters,
	pathParameter: null,
	response: exportsResponse,
	read(given, grant) {
		const parameters = validateParameters(exportsParameters, given);
		requireFiles(grant);
		if (parameters.state !== undefined) grant.requireState(parameters.state, "state");
		return parameters;
	},
	answer(parameters, call) {
		const body = listOf(parameters, call);
		const tag = entityTag(fingerprint(JSON.stringify(body)), call.grant.fingerprint, "exports");
		return jsonAnswer(tag, () => body);
	},
};

function listOf({ snapshot: month, state }: ExportsParameters, { grant, services }: Call) {
	const { loaded, exports } = services;
	const snapshots =
		month === undefined
			? readableSnapshots(loaded, grant.history)
			: [resolveSnapshot(loaded, grant.history, month)];
	const data = snapshots.flatMap((snapshot) => {
		const manifest = exports.of(snapshot);
		const files = (manifest?.files ?? []).filter(
			(file) => reads(grant, file) && (state === undefined || file.state === state),
		);
		return files.map((file) => entryOf(manifest as ExportManifest, file));
	});
	const bytes = data.reduce((sum, file) => sum + file.bytes, 0);
	const hints = data.length === 0 ? { hints: [noFilesHint(month, state)] } : {};
	return { data, meta: { files: data.length, bytes, ...grantBounds(grant), ...hints } };
}

function noFilesHint(month: string | undefined, state: string | undefined): Hint {
	const files = state === undefined ? "no file that this key reads" : `no file of ${state} alone`;
	const months = month === undefined ? "any month that this key reads" : month;
	return {
		param: state === undefined ? "snapshot" : "state",
		value: state ?? month ?? "",
		message: `the operator has exported ${files} for ${months}; /v1/licenses has the rows`,
		nearest: [],
	};
}

/** Whether the geography includes every row of a file. */
function reads(grant: Grant, { state, country }: ExportedFile): boolean {
	return state === null ? grant.geography === null : grant.includesState(state, country ?? "");
}

function entryOf({ month, exported_at }: ExportManifest, file: ExportedFile) {
	const { state, format, rows, bytes, sha256 } = file;
	const path = `/v1/exports/${month}/${exportName(file)}`;
	return { snapshot: month, state, format, rows, bytes, sha256, path, exported_at };
}

export const exportFileOperation: Operation<ExportFileParameters> = {
	endpoint: "/v1/exports/{snapshot}/{file}",
	operationId: "downloadExport",
	tag: "Extensions",
	revalidated: true,
	summary: "Download a file of a month",
	description:
		"One of the files of /v1/exports. A range of its bytes may be asked for, and a download that broke off " +
		"continued: send Range with If-Range or If-Match.",
	parameters: exportFileParameters,
	pathParameter: "snapshot/file",
	response: "file",
	read(given, grant) {
		const parameters = validateParameters(exportFileParameters, given);
		requireFiles(grant);
		requireGeography(parameters.file, grant);
		return parameters;
	},
	answer({ snapshot: month, file: named }, { grant, services }) {
		const snapshot = resolveSnapshot(services.loaded, grant.history, month);
		const manifest = services.exports.of(snapshot);
		const name = exportName(named);
		const file = manifest?.files.find((each) => exportName(each) === name);
		if (manifest === null || file === undefined) throw noSuchFile(snapshot, name);
		const { bytes, sha256 } = file;
		return {
			tag: `"${sha256}"`,
			contentType: FILE_TYPES[partsOfFormat(file.format).file],
			snapshot: null,
			file: {
				path: services.exports.pathOf(manifest, file),
				bytes,
				sha256,
				name: `licenses-${month}-${name}`,
			},
			body: () => ({ bytes: "", headers: "" }),
		};
	},
};

function requireGeography({ state }: NamedExport, grant: Grant): void {
	if (state !== null) grant.requireState(state, "file");
	else if (grant.geography !== null) throw grant.outsideGeography("the whole month", "file");
}

function noSuchFile({ month }: Snapshot, name: string): ApiError {
	return new ApiError(
		"not_found",
		`no file ${name} of ${month} was exported; /v1/exports lists the files`,
		"file",
	);
}

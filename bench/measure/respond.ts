/**
 * A question to the engine, up to the bytes of its response: what the benchmark times. Nothing of the engine is
 * imported, so the snapshot and the sink may be those of another version of it.
 */

import type { ByteSink, Geography, Snapshot, Suggestion, SuggestRequest } from "../../engine/index.js";
import type { AnyQuestion, Call } from "../shapes/question.js";

/** Renders the response into `sink`, which is reset first; returns its bytes. */
export function respond(snapshot: Snapshot, question: AnyQuestion, sink: ByteSink): number {
	sink.reset();
	switch (question.kind) {
		case "list": {
			const page = snapshot.query(question.query);
			if (question.format === "json") snapshot.renderList(page, question.projection, sink);
			else snapshot.renderRows(page.rows, question.projection, question.format, sink);
			break;
		}
		case "row":
			snapshot.renderRows(Uint32Array.of(snapshot.rowOfId(question.id)), question.projection, "json", sink);
			break;
		case "stats":
			renderStats(snapshot, question.geography, sink);
			break;
		case "aggregate":
			sink.text(
				JSON.stringify({
					data: snapshot.groups.aggregate(question.request, question.filters, question.geography ?? null),
				}),
			);
			break;
		case "suggest":
			renderSuggestions(snapshot, question.request, sink);
			break;
		case "gzip": {
			const bytes = respond(snapshot, question.list, sink);
			return snapshot.gzip(sink.bytes.subarray(0, bytes), question.list.format).length;
		}
		default:
			renderCall(snapshot, question, sink);
	}
	return sink.length;
}

function renderCall(snapshot: Snapshot, call: Exclude<Call, { kind: "gzip" }>, sink: ByteSink): void {
	switch (call.kind) {
		case "verify":
			for (const license of call.licenses) {
				const granted = { geography: call.geography, reads: () => true };
				const { rows, ...found } = snapshot.verifyLicense(license, granted);
				snapshot.renderRows(Uint32Array.from(rows), call.projection, "json", sink);
				sink.text(JSON.stringify(found));
			}
			break;
		case "offices":
			sink.text(JSON.stringify(snapshot.groups.offices(call.request, call.filters, call.geography)));
			break;
		case "history": {
			const rows = snapshot.findLicense(call.state, call.licenseNumber, call.geography);
			snapshot.renderRows(rows, call.projection, "json", sink);
			break;
		}
		case "walk": {
			const page = snapshot.queryAfter(call.query, call.after, call.query.limit);
			if (call.format === "json") snapshot.renderList(page, call.projection, sink);
			else snapshot.renderRows(page.rows, call.projection, call.format, sink);
		}
	}
}

function renderSuggestions(snapshot: Snapshot, request: SuggestRequest, sink: ByteSink): void {
	// Versions before this member made objects.
	if (!("suggestions" in snapshot)) {
		const earlier = snapshot as { suggest(of: SuggestRequest): Suggestion[] };
		sink.text(JSON.stringify({ data: earlier.suggest(request) }));
	} else {
		sink.text('{"data":');
		snapshot.suggestions.write(request, sink);
		sink.text("}");
	}
}

function renderStats(snapshot: Snapshot, geography: Geography | null, sink: ByteSink): void {
	// Versions before this method made an object.
	if (!("renderStats" in snapshot))
		sink.text(JSON.stringify({ data: (snapshot as Snapshot).stats(geography) }));
	else {
		sink.text('{"data":');
		snapshot.renderStats(geography, sink);
		sink.text("}");
	}
}

/** The benchmark's questions as plain data that the engine and every peer understand. */

import type {
	AggregateRequest,
	AskedLicense,
	Filters,
	Geography,
	OfficesRequest,
	Projection,
	Query,
	RowFormat,
	SuggestRequest,
} from "../../engine/index.js";
import { COLUMNS, DEPTH_MAX } from "../../formats/index.js";

export interface List {
	readonly kind: "list";
	readonly query: Query;
	readonly projection: Projection;
	readonly format: RowFormat;
}

export type Question =
	| List
	| { readonly kind: "suggest"; readonly request: SuggestRequest }
	| {
			readonly kind: "aggregate";
			readonly request: AggregateRequest;
			readonly filters: Filters;
			/** Absent: all rows. */
			readonly geography?: Geography | null;
	  }
	| { readonly kind: "row"; readonly id: number; readonly projection: Projection }
	| { readonly kind: "stats"; readonly geography: Geography | null };

/** What peers are not asked, since none has the same rules. */
export type Call =
	| {
			readonly kind: "verify";
			readonly licenses: readonly AskedLicense[];
			readonly projection: Projection;
			readonly geography: Geography | null;
	  }
	| {
			readonly kind: "offices";
			readonly request: OfficesRequest;
			readonly filters: Filters;
			readonly geography: Geography | null;
	  }
	| {
			/** Rows of a license in one month, as its history has them of each. */
			readonly kind: "history";
			readonly state: string;
			readonly licenseNumber: string;
			readonly projection: Projection;
			readonly geography: Geography | null;
	  }
	| {
			/** The page after a row, as a cursor asks for it. */
			readonly kind: "walk";
			readonly query: Query;
			/** A row that the query's filters and grant leave. */
			readonly after: number;
			readonly projection: Projection;
			readonly format: RowFormat;
	  }
	| {
			/** A list, compressed. */
			readonly kind: "gzip";
			readonly list: List;
	  };

export type AnyQuestion = Question | Call;

/** A question of one shape, with parameters drawn from the data. */
export interface Shape {
	readonly name: string;
	/** What it asks, in a few words. */
	readonly about: string;
	readonly draw: () => Question;
}

/** A question as one line of text. */
export function describe(question: AnyQuestion): string {
	switch (question.kind) {
		case "verify":
			return `verify ${JSON.stringify(question.licenses)}${granted(question.geography)}${projected(question.projection)}`;
		case "offices":
			return `offices ${JSON.stringify(question.request)} ${JSON.stringify(question.filters)}${granted(question.geography)}`;
		case "history": {
			const { state, licenseNumber, geography, projection } = question;
			return `history ${state}:${licenseNumber}${granted(geography)}${projected(projection)}`;
		}
		case "row":
			return `row ${question.id}${projected(question.projection)}`;
		case "stats":
			return `stats ${JSON.stringify(question.geography)}`;
		case "aggregate":
			return `aggregate ${JSON.stringify(question.request)} ${JSON.stringify(question.filters)}${granted(question.geography ?? null)}`;
		case "suggest":
			return `suggest ${JSON.stringify(question.request)}`;
		case "gzip":
			return `gzip ${describe(question.list)}`;
		case "walk":
			return `after row ${question.after}: ${describe({ ...question, kind: "list" })}`;
		case "list": {
			const { filters, sort, order, page, limit, count, geography } = question.query;
			const rest = `sort=${sort.join(",")} ${order} page=${page} limit=${limit}${count ? "" : " count=false"}`;
			return `${JSON.stringify(filters)} ${rest}${granted(geography)}${projected(question.projection)} ${question.format}`;
		}
	}
}

function granted(geography: Geography | null): string {
	return geography === null ? "" : ` granted=${JSON.stringify(geography)}`;
}

/** What of a row is sent, where that is not all of it. */
function projected({ columns, masked }: Projection): string {
	const fields = columns.length === COLUMNS.length ? "" : ` fields=${columns.join(",")}`;
	return `${fields}${masked ? " masked" : ""}`;
}

/** The deepest page with this limit. */
export function lastPage(limit: number): number {
	return Math.floor(DEPTH_MAX / limit);
}

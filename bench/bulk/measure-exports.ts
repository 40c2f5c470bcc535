/**
 * Downloads of exported files: what other clients notice of one at the rate limit, and downloads that are broken off
 * and continued, whose bytes are compared with the digest in the list.
 */

import { createHash } from "node:crypto";
import type { Snapshot } from "../../engine/index.js";
import type { ServerSide } from "../http/server-side.js";
import { type Figure, mib, ms } from "./figure.js";
import { secondsOf } from "./measure-files.js";
import { measureOthers, type OthersOptions } from "./measure-walks.js";

const FORMATS = ["parquet", "csv.gz"] as const;

/** A file as /v1/exports lists it. */
interface Listed {
	readonly path: string;
	readonly format: string;
	readonly bytes: number;
	readonly sha256: string;
}

/** Exports the state with the most rows to a data folder of links. */
export async function exportLargestState(dataFolder: string, { month, states }: Snapshot): Promise<void> {
	const [{ state }] = states.toSorted((a, b) => b.rows - a.rows);
	await secondsOf(["export", month, "--data", dataFolder, "--state", state, "--format", FORMATS.join(",")]);
}

/**
 * Downloads of each format, repeated for as long as others ask, at the rate limit; and each file again in two parts.
 * Throws if a byte differs from what the list promises.
 */
export async function measureExports(
	server: ServerSide,
	options: Omit<OthersOptions, "download">,
): Promise<Figure[]> {
	const figures: Figure[] = [];
	for (const file of await listed(server)) {
		const name = `a download of ${file.path.split("/").at(-1)} (${mib(file.bytes)}) at the rate limit`;
		const download = { path: file.path, kind: "whole", forMs: options.quietMs } as const;
		figures.push(await measureOthers(server, name, { ...options, download }));
		figures.push(await measureContinued(server, file));
	}
	return figures;
}

async function listed(server: ServerSide): Promise<readonly Listed[]> {
	const answer = await get(server, "/v1/exports", {});
	const { data } = (await answer.json()) as { data: Listed[] };
	if (data.length !== FORMATS.length) throw new Error(`${data.length} files are listed`);
	return data;
}

/** Gets the first half, then the rest with If-Range; and with another validator, which gives the whole file. */
async function measureContinued(server: ServerSide, { path, bytes, sha256 }: Listed): Promise<Figure> {
	const begunMs = performance.now();
	const middle = Math.floor(bytes / 2);
	const first = await get(server, path, { range: `bytes=0-${middle - 1}` });
	const tag = first.headers.get("etag") ?? "";
	const begin = await bodyOf(first, 206, middle);
	const rest = await get(server, path, { range: `bytes=${middle}-`, "if-range": tag });
	const end = await bodyOf(rest, 206, bytes - middle);
	const milliseconds = performance.now() - begunMs;
	const range = rest.headers.get("content-range");
	if (range !== `bytes ${middle}-${bytes - 1}/${bytes}`) throw new Error(`${path}: Content-Range ${range}`);
	const changed = await get(server, path, { range: `bytes=${middle}-`, "if-range": '"another"' });
	const whole = await bodyOf(changed, 200, bytes);
	for (const body of [Buffer.concat([begin, end]), whole]) {
		const digest = createHash("sha256").update(body).digest("hex");
		if (digest !== sha256) throw new Error(`${path}: the bytes are not those of the list`);
	}
	return {
		name: `${path.split("/").at(-1)} in two parts`,
		measured: ms(milliseconds),
		target: "",
		reached: null,
	};
}

function get(server: ServerSide, path: string, headers: Record<string, string>): Promise<Response> {
	const { port, authorization } = server;
	return fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization, ...headers } });
}

async function bodyOf(answer: Response, status: number, bytes: number): Promise<Buffer> {
	const body = Buffer.from(await answer.arrayBuffer());
	if (answer.status === status && body.length === bytes) return body;
	throw new Error(
		`${answer.url}: status ${answer.status}, ${body.length} bytes; expected ${status}, ${bytes}`,
	);
}

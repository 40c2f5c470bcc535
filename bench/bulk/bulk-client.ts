/** A client of bulk answers: reads bodies as they come and sums them up, and keeps none. */

import { Agent, request } from "node:http";
import { crc32 } from "node:zlib";

export interface BulkAnswer {
	readonly bytes: number;
	/** CRC-32 of the body, continued from the one given. */
	readonly crc: number;
	/** `X-Next-Cursor`; null after the last page. */
	readonly next: string | null;
	/** Until the last byte arrived. */
	readonly milliseconds: number;
	/** The body, if it was asked for. */
	readonly body: Buffer;
}

export class BulkClient {
	private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });

	constructor(
		private readonly port: number,
		private readonly authorization: string,
	) {}

	/** Gets `path`; `crc`: of what came before. A body that is kept is not summed up. Rejects for any status but 200. */
	get(path: string, crc = 0, keepBody = false): Promise<BulkAnswer> {
		const begunMs = performance.now();
		return new Promise((resolve, reject) => {
			const { agent, authorization } = this;
			const asked = request({ port: this.port, path, agent, headers: { authorization } }, (response) => {
				let [bytes, sum] = [0, crc];
				const kept: Buffer[] = [];
				response.on("data", (piece: Buffer) => {
					bytes += piece.length;
					if (keepBody || response.statusCode !== 200) kept.push(piece);
					else sum = crc32(piece, sum);
				});
				response.on("error", reject);
				response.on("end", () => {
					const milliseconds = performance.now() - begunMs;
					const body = Buffer.concat(kept);
					if (response.statusCode !== 200)
						return reject(new Error(`${path}: ${response.statusCode} ${body}`));
					const cursor = response.headers["x-next-cursor"];
					const next = typeof cursor === "string" ? cursor : null;
					resolve({ bytes, crc: sum, next, milliseconds, body });
				});
			});
			asked.on("error", reject);
			asked.end();
		});
	}

	close(): void {
		this.agent.destroy();
	}
}

/** A whole walk. */
export interface Walked {
	readonly pages: number;
	readonly bytes: number;
	readonly crc: number;
}

/** Walks `path` from its first page to its last; `atPage` is called after each. */
export async function walk(
	client: BulkClient,
	path: string,
	atPage: (page: number) => void = () => undefined,
): Promise<Walked> {
	let [pages, bytes, crc] = [0, 0, 0];
	for (let cursor: string | null = "*"; cursor !== null; ) {
		const answer: BulkAnswer = await client.get(pages === 0 ? `${path}&cursor=*` : rest(path, cursor), crc);
		pages++;
		bytes += answer.bytes;
		crc = answer.crc;
		cursor = answer.next;
		atPage(pages);
	}
	return { pages, bytes, crc };
}

/** The path of the page at `cursor`, of the walk that `path` begins. */
export function rest(path: string, cursor: string): string {
	return `${path}&cursor=${cursor}`;
}

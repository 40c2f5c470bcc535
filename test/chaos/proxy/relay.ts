/**
 * Sits between a proxy and the server and writes down what each connection carried, so that both can
 * be held to the strictest reading: what the proxy passes on is plain HTTP/1.1, and the server gives
 * each such request one answer, in order. A request that only one of them sees is a hidden one.
 */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export interface Conversation {
	readonly toServer: Buffer[];
	readonly fromServer: Buffer[];
}

export class Relay {
	readonly conversations: Conversation[] = [];
	private readonly sockets = new Set<Socket>();

	private constructor(private readonly server: Server) {}

	/** Listens on a free port and passes everything on to `port`. */
	static async start(port: number): Promise<Relay> {
		const server = createServer({ noDelay: true });
		const relay = new Relay(server);
		server.on("connection", (proxy) =>
			relay.pass(proxy, connect({ port, host: "127.0.0.1", noDelay: true })),
		);
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		return relay;
	}

	get port(): number {
		return (this.server.address() as AddressInfo).port;
	}

	close(): Promise<void> {
		for (const socket of this.sockets) socket.destroy();
		return new Promise((resolve) => this.server.close(() => resolve()));
	}

	private pass(proxy: Socket, upstream: Socket): void {
		const conversation: Conversation = { toServer: [], fromServer: [] };
		this.conversations.push(conversation);
		const sides = [
			[proxy, upstream, conversation.toServer],
			[upstream, proxy, conversation.fromServer],
		] as const;
		for (const [from, to, record] of sides) {
			this.sockets.add(from);
			from.on("data", (chunk: Buffer) => {
				record.push(chunk);
				to.write(chunk);
			});
			from.on("end", () => to.end());
			// Whatever ends one side ends the other.
			from.on("error", () => to.destroy());
			from.on("close", () => {
				this.sockets.delete(from);
				to.destroy();
			});
		}
	}
}

interface Head {
	readonly first: string;
	readonly headers: readonly string[];
	/** Bytes of the body that follows, by one plain Content-Length; 0 without. */
	readonly length: number;
	readonly end: number;
}

/** Control characters in a value are the server's to refuse; they hide no request. */
const HEADER_LINE = /^[!#$%&'*+.^_`|~\w-]+:[^\r\n]*$/;
const REQUEST_LINE = /^[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\/1\.1$/;
const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [ -~]+$/;

const CHUNKED = /^transfer-encoding:[ \t]*chunked$/i;

/** Length of the chunks at `start`, as far as they were sent. Throws for any but the plainest. */
function chunksLength(text: string, start: number): number {
	for (let at = start; ; ) {
		const size = /^([0-9a-f]{1,8})\r\n/i.exec(text.slice(at, at + 10));
		const unsent = at + 10 > text.length;
		if (size === null && !unsent) throw new Error(`the chunk ${JSON.stringify(text.slice(at, at + 20))}`);
		if (size === null) return text.length - start;
		const bytes = Number.parseInt(size[1], 16);
		if (bytes === 0) return trailersEnd(text, at + size[0].length) - start;
		const end = at + size[0].length + bytes;
		const after = text.slice(end, end + 2);
		if (!"\r\n".startsWith(after)) throw new Error(`a chunk that ends in ${JSON.stringify(after)}`);
		at = end + 2;
		if (at > text.length) return at - start;
	}
}

/** Position after the trailers at `start` and the empty line that ends them; the server closes the connection at any. */
function trailersEnd(text: string, start: number): number {
	for (let at = start; ; ) {
		const end = text.indexOf("\r\n", at);
		if (end < 0) return text.length;
		const line = text.slice(at, end);
		at = end + 2;
		if (line === "") return at;
		if (!HEADER_LINE.test(line)) throw new Error(`the trailer ${JSON.stringify(line)}`);
	}
}

/** The head at `start`; null where it is not complete. Throws for one that could be read in two ways. */
function headAt(text: string, start: number): Head | null {
	const end = text.indexOf("\r\n\r\n", start);
	if (end < 0) return null;
	const [first, ...headers] = text.slice(start, end).split("\r\n");
	const bad = headers.find((line) => !HEADER_LINE.test(line));
	if (bad !== undefined) throw new Error(`the header ${JSON.stringify(bad)}`);
	const named = (name: string) => headers.filter((line) => line.toLowerCase().startsWith(`${name}:`));
	const lengths = named("content-length").map((line) => line.slice("content-length:".length).trim());
	if (lengths.length > 1 || lengths.some((value) => !/^\d{1,15}$/.test(value)))
		throw new Error(`the lengths ${JSON.stringify(lengths)}`);
	const encodings = named("transfer-encoding");
	if (encodings.length === 0) return { first, headers, length: Number(lengths[0] ?? 0), end: end + 4 };
	if (encodings.length > 1 || !CHUNKED.test(encodings[0]) || lengths.length > 0 || !first.startsWith("POST "))
		throw new Error(`a Transfer-Encoding, ${JSON.stringify(text.slice(start, end))}`);
	return { first, headers, length: chunksLength(text, end + 4), end: end + 4 };
}

/** What is wrong with a conversation; null where both sides took it for the same requests. */
export function disagreement({ toServer, fromServer }: Conversation): string | null {
	const sent = Buffer.concat(toServer).toString("latin1");
	const received = Buffer.concat(fromServer).toString("latin1");
	const methods: string[] = [];
	try {
		for (
			let at = 0, head = headAt(sent, 0);
			head !== null;
			at = head.end + head.length, head = headAt(sent, at)
		) {
			if (!REQUEST_LINE.test(head.first)) return `passed on: ${JSON.stringify(head.first.slice(0, 200))}`;
			if (at > sent.length) break;
			methods.push(head.first.split(" ", 1)[0]);
		}
		const answers = countAnswers(received, methods);
		return answers > methods.length ? `${answers} answers to ${methods.length} requests` : null;
	} catch (error) {
		return `passed on: ${(error as Error).message}`;
	}
}

function countAnswers(received: string, methods: readonly string[]): number {
	let answers = 0;
	for (let at = 0; ; ) {
		const head = headAt(received, at);
		if (head === null) return answers;
		const status = Number(STATUS_LINE.exec(head.first)?.[1]);
		const bodiless = methods[answers] === "HEAD" || status === 204 || status === 304 || status === 100;
		at = head.end + (bodiless ? 0 : head.length);
		if (status !== 100) answers++;
	}
}

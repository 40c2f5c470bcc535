/**
 * One HTTP/1.1 connection that sums bodies up and keeps none, read into one buffer: a quarter to a half of a core for
 * as many bytes as `node:http` takes a whole one for, so that the server is measured and not its client.
 */

import { connect, type Socket } from "node:net";
import { crc32 } from "node:zlib";

const READ_BYTES = 256 << 10;
const NEWLINE = 0x0a;

/** What bodies came to. */
export interface Summed {
	bytes: number;
	crc: number;
}

/** What the next bytes are. */
type Part = "head" | "size" | "data" | "after data" | "end";

interface Answer {
	readonly sum: Summed;
	done(next: string | null): void;
	failed(error: Error): void;
}

export class BodyConnection {
	private answer: Answer | null = null;
	private part: Part = "head";
	/** Bytes of the chunk, or of the body, that have not arrived. */
	private left = 0;
	private isChunked = false;
	/** The line that has not arrived whole, and those of the head before it. */
	private line = "";
	private readonly head: string[] = [];

	private constructor(
		private readonly socket: Socket,
		private readonly authorization: string,
	) {}

	static open(port: number, authorization: string): BodyConnection {
		const buffer = Buffer.allocUnsafe(READ_BYTES);
		const callback = (length: number) => {
			connection.take(buffer.subarray(0, length));
			return true;
		};
		const socket = connect({ port, host: "127.0.0.1", onread: { buffer, callback } });
		const connection = new BodyConnection(socket, authorization);
		socket.on("error", (error) => connection.answer?.failed(error));
		socket.on("close", () => connection.answer?.failed(new Error("the server closed the connection")));
		return connection;
	}

	/** Gets `path` and adds its body to `sum`; resolves to `X-Next-Cursor`. Rejects for any status but 200. */
	get(path: string, sum: Summed): Promise<string | null> {
		return new Promise<string | null>((done, failed) => {
			this.answer = { sum, done, failed };
			const lines = [
				`GET ${path} HTTP/1.1`,
				"Host: 127.0.0.1",
				`Authorization: ${this.authorization}`,
				"",
				"",
			];
			this.socket.write(lines.join("\r\n"));
		});
	}

	close(): void {
		this.answer = null;
		this.socket.destroy();
	}

	private take(bytes: Buffer): void {
		for (let at = 0; at < bytes.length && this.answer !== null; ) {
			if (this.part === "data") at += this.takeData(bytes.subarray(at, at + this.left), this.answer.sum);
			else at = this.takeLine(bytes, at);
		}
	}

	private takeData(bytes: Buffer, sum: Summed): number {
		sum.bytes += bytes.length;
		sum.crc = crc32(bytes, sum.crc);
		this.left -= bytes.length;
		if (this.left === 0 && this.isChunked) this.part = "after data";
		else if (this.left === 0) this.finish();
		return bytes.length;
	}

	/** Takes bytes from `at` up to the end of a line; returns what follows them. */
	private takeLine(bytes: Buffer, at: number): number {
		const newline = bytes.indexOf(NEWLINE, at);
		const end = newline < 0 ? bytes.length : newline + 1;
		this.line += bytes.toString("latin1", at, end);
		if (newline < 0) return end;
		const line = this.line.trimEnd();
		this.line = "";
		if (this.part === "head") this.takeHeadLine(line);
		else if (this.part === "size") {
			this.left = Number.parseInt(line, 16);
			this.part = this.left === 0 ? "end" : "data";
		} else if (this.part === "after data") this.part = "size";
		else this.finish();
		return end;
	}

	private takeHeadLine(line: string): void {
		if (line !== "") {
			this.head.push(line);
			return;
		}
		if (!this.head[0].startsWith("HTTP/1.1 200 ")) {
			this.answer?.failed(new Error(`answered by ${this.head[0]}`));
			this.close();
			return;
		}
		this.isChunked = this.header("transfer-encoding") === "chunked";
		this.left = Number(this.header("content-length") ?? 0);
		this.part = this.isChunked ? "size" : "data";
		if (!this.isChunked && this.left === 0) this.finish();
	}

	private header(name: string): string | null {
		const line = this.head.find((each) => each.toLowerCase().startsWith(`${name}:`));
		return line === undefined ? null : line.slice(name.length + 1).trim();
	}

	private finish(): void {
		const { answer } = this;
		const next = this.header("x-next-cursor");
		this.answer = null;
		this.head.length = 0;
		this.part = "head";
		answer?.done(next);
	}
}

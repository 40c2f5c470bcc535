/**
 * The connection to Redis or Valkey. The only file that imports ioredis, which provides ACL users, TLS and
 * pipelining. Reconnection delays are {@link RECONNECT_MS}.
 *
 * - A command without a reply within {@link COMMAND_MS} is rejected; it may or may not have been executed. The
 *   connection is then probed, and replaced unless the probe's own reply comes within {@link PROBE_MS}: one that loses
 *   bytes may stay open for minutes, and of one that lost some, later replies are taken for those of earlier commands.
 *   A process that was suspended finds its replies on the way, and keeps the connection.
 * - Nothing is queued without a connection: a command is rejected immediately.
 * - If the server becomes read-only (a failover), the client disconnects, since the address may now lead to
 *   another.
 */

import { createHash, randomUUID } from "node:crypto";
import { isIP } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { Redis, type RedisOptions } from "ioredis";
import type { SharedAddress } from "./address.js";
import { SharedStoreError, type SharedStoreErrorCode } from "./errors.js";
import { faultWords } from "./fault-words.js";
import type { Reply, Script, ScriptRunner } from "./script.js";

/** How long to wait for a reply, in milliseconds; then the server is treated as unreachable. */
const COMMAND_MS = 1_000;
/** Delay between connection attempts, in milliseconds: doubled from the first to the last. */
const RECONNECT_MS = { first: 20, last: 500 } as const;

/** How long to wait for the reply to a probe, in milliseconds. */
const PROBE_MS = 250;
/** How long a connection that is given up may take to end in order, in milliseconds; a silent one never does. */
const DISCONNECT_MS = 100;
/** The message of the library for a command without a reply in time. */
const TIMED_OUT = "Command timed out";

restoreStringPrototype();

/** The connection was lost or established. */
export type LinkState = "up" | "down";

export interface RedisLinkOptions {
	readonly address: SharedAddress;
	/** Name of the connection in the server's list of clients. */
	readonly name: string;
	/** How long a command may block on the server, in milliseconds, in addition to {@link COMMAND_MS}. */
	readonly blockingMs?: number;
	/** Called at every change, with the reason for a failure. */
	readonly onState?: (state: LinkState, reason: string, code: SharedStoreErrorCode) => void;
}

export class RedisLink implements ScriptRunner {
	readonly #redis: Redis;
	readonly #digests = new Map<string, string>();
	readonly #options: RedisLinkOptions;
	#fault = "not connected yet";
	#faultCode: SharedStoreErrorCode = "unreachable";
	#commands = 0;
	/** Number of the connection, and of the one that was probed last. */
	#connection = 0;
	#probed = 0;

	constructor(options: RedisLinkOptions) {
		this.#options = options;
		this.#redis = new Redis(redisOptions(options));
		const { onState } = options;
		this.#redis.on("ready", () => {
			this.#connection++;
			this.#fault = "the connection ended";
			this.#faultCode = "unreachable";
			onState?.("up", "", this.#faultCode);
		});
		let refused = false;
		this.#redis.on("close", () => {
			refused = false;
			onState?.("down", this.#fault, this.#faultCode);
		});
		this.#redis.on("error", (error: Error) => {
			// What fails on a connection after a refusal fails because of it.
			if (refused) return;
			refused = error.name === "ReplyError";
			this.#fault = faultWords(error.message, options.address.tls);
			this.#faultCode = codeOf(error);
			onState?.("down", this.#fault, this.#faultCode);
			// The library would stay in database 0 where it cannot select the one asked for.
			if (refused) this.#redis.disconnect(true);
		});
	}

	/**
	 * Connects, and reconnects until {@link close}. Resolves after the first attempt, whether or not it
	 * succeeded.
	 */
	async open(): Promise<void> {
		// Later attempts are made in the background, and reported by onState.
		await this.#redis.connect().catch(() => undefined);
	}

	/** Whether commands can be sent. */
	get connected(): boolean {
		return this.#redis.status === "ready";
	}

	/** Commands sent. */
	get commands(): number {
		return this.#commands;
	}

	/**
	 * Runs a script, sending its source only if the server does not have it. Rejects with {@link
	 * SharedStoreError}.
	 */
	async run(script: Script, keys: readonly string[], values: readonly (string | number)[]): Promise<Reply> {
		const digest = this.#digestOf(script);
		try {
			return await this.call("EVALSHA", digest, keys.length, ...keys, ...values);
		} catch (error) {
			if (!(error instanceof SharedStoreError) || !error.message.includes("NOSCRIPT")) throw error;
			return await this.call("EVAL", script.text, keys.length, ...keys, ...values);
		}
	}

	/** Runs one command. Rejects with {@link SharedStoreError}. */
	async call(command: string, ...values: (string | number)[]): Promise<Reply> {
		if (!this.connected)
			throw new SharedStoreError(this.#faultCode, `${this.#options.address.shown}: ${this.#fault}`);
		this.#commands++;
		try {
			return (await this.#redis.call(command, ...values)) as Reply;
		} catch (error) {
			throw this.#failure(error as Error);
		}
	}

	/** Disconnects from the server and connects again. */
	reconnect(): void {
		if (this.connected) this.#redis.disconnect(true);
	}

	/** Closes the connection; commands waiting for a reply are rejected. */
	close(): void {
		this.#redis.disconnect();
	}

	#digestOf({ name, text }: Script): string {
		const known = this.#digests.get(name);
		if (known !== undefined) return known;
		// SHA-1 is how Redis names scripts; no secret depends on it.
		const made = createHash("sha1").update(text).digest("hex");
		this.#digests.set(name, made);
		return made;
	}

	/** Replaces the connection unless it answers, and in order. One probe at a time. */
	async #probe(): Promise<void> {
		const connection = this.#connection;
		if (!this.connected || this.#probed === connection) return;
		this.#probed = connection;
		const probe = randomUUID();
		const replied = this.#redis.call("PING", probe).catch(() => null);
		const reply = await Promise.race([replied, delay(PROBE_MS, null, { ref: false })]);
		if (this.#connection !== connection) return;
		this.#probed = 0;
		if (reply !== probe) this.reconnect();
	}

	#failure(error: Error): SharedStoreError {
		// It became a replica; the address may lead to another server by now.
		if (/^(READONLY|UNBLOCKED)/.test(error.message)) this.reconnect();
		if (error.message === TIMED_OUT) void this.#probe();
		const { shown, tls } = this.#options.address;
		return new SharedStoreError(codeOf(error), `${shown}: ${faultWords(error.message, tls)}`, error);
	}
}

/** What an error of a command, or of connecting, means. */
function codeOf({ name, message }: Error): SharedStoreErrorCode {
	if (/^(READONLY|UNBLOCKED|OOM|MISCONF|NOREPLICAS)/.test(message)) return "read_only";
	if (/^(NOAUTH|WRONGPASS|NOPERM)/.test(message)) return "denied";
	if (/^(LOADING|MASTERDOWN|TRYAGAIN|CLUSTERDOWN)/.test(message) || name !== "ReplyError")
		return "unreachable";
	return "failed";
}

function redisOptions({ address, name, blockingMs = 0 }: RedisLinkOptions): RedisOptions {
	return {
		host: address.host,
		port: address.port,
		username: address.user,
		password: address.password,
		db: address.database,
		// An address is no server name in TLS; the certificate is held against it all the same.
		...(address.tls ? { tls: isIP(address.host) === 0 ? { servername: address.host } : {} } : {}),
		connectionName: name,
		// Supported by every Redis and Valkey since 5.
		protocol: 2,
		lazyConnect: true,
		enableOfflineQueue: false,
		autoResendUnfulfilledCommands: false,
		maxRetriesPerRequest: 0,
		disableClientInfo: true,
		connectTimeout: COMMAND_MS * 2,
		disconnectTimeout: DISCONNECT_MS,
		commandTimeout: COMMAND_MS + blockingMs,
		retryStrategy: (attempt: number) => Math.min(RECONNECT_MS.last, RECONNECT_MS.first * 2 ** (attempt - 1)),
	};
}

/**
 * ioredis declares a class that extends String. V8 makes a prototype a dictionary when a class is declared that extends
 * it, and fast again when an object that inherits from it is used. Strings are not objects, and no instance of that
 * class is made, so every string method would be looked up by name at each call, in optimized code too. Enumerating a
 * String object makes the prototype fast.
 */
function restoreStringPrototype(): void {
	for (const name in Object("")) throw new TypeError(`String.prototype has an enumerable property: ${name}`);
}

/**
 * S3-compatible stores, with path-style addresses. The only file that uses the signing library.
 *
 * Requests are signed with Signature Version 4. Writes carry the digest of their body, so the store rejects
 * bytes damaged in transit.
 */

import { AwsClient } from "aws4fetch";
import { ObjectStoreError } from "./errors.js";
import {
	type Attempt,
	bodyOf,
	documentOf,
	exchange,
	failure,
	isNoBucket,
	type StoreResponse,
	sizeOf,
	wholeBody,
} from "./http-exchange.js";
import { getObject } from "./http-get.js";
import { putObject } from "./http-put.js";
import type {
	ListedObject,
	ObjectStore,
	ReadOptions,
	StoredDocument,
	WriteCondition,
	WriteOutcome,
} from "./object-store.js";

export interface S3Address {
	/** `https://s3.us-east-1.amazonaws.com`, `http://127.0.0.1:8333`. */
	readonly endpoint: string;
	readonly region: string;
	readonly bucket: string;
	/** Without leading or trailing slash; may be empty. */
	readonly prefix: string;
}

export interface S3Credentials {
	readonly accessKeyId: string;
	readonly secretAccessKey: string;
	readonly sessionToken?: string;
}

interface Outgoing {
	/** Default: GET. */
	readonly method?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly signal?: AbortSignal | undefined;
}

/** Sends a signed request. */
type Send = (
	request: Pick<Request, "url" | "method" | "headers">,
	...given: Parameters<Attempt>
) => Promise<StoreResponse>;

/** Maximum size of a page of a listing: a thousand names of at most a kilobyte, with markup. */
const LISTING_BYTES_MAX = 4 << 20;
const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

export class S3Store implements ObjectStore {
	readonly url: string;
	private readonly client: AwsClient;
	private readonly base: string;
	private readonly address: S3Address;

	constructor(address: S3Address, credentials: S3Credentials) {
		this.address = address;
		this.url = `s3://${[address.bucket, address.prefix].filter((part) => part !== "").join("/")}`;
		this.base = `${address.endpoint}/${address.bucket}`;
		this.client = new AwsClient({ ...credentials, service: "s3", region: address.region });
	}

	async read(
		name: string,
		bytesMax: number,
		{ etag, signal }: ReadOptions = {},
	): Promise<StoredDocument | "unchanged" | null> {
		const headers: Record<string, string> = etag === undefined ? {} : { "If-None-Match": etag };
		const response = await this.send(name, { headers, signal });
		return documentOf(this.what(name), response, bytesMax);
	}

	async open(name: string, from: number, signal?: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
		const headers: Record<string, string> = from === 0 ? {} : { Range: `bytes=${from}-` };
		const get: Send = (request, ending) =>
			getObject(request.url, Object.fromEntries(request.headers), ending);
		const response = await this.request(this.place(name), { headers, signal }, name, get);
		if (response.status !== (from === 0 ? 200 : 206)) throw await failure(this.what(name), response);
		return bodyOf(this.what(name), response);
	}

	/** An address at which any HTTP client can read the object without credentials for `seconds`. */
	async presigned(name: string, seconds: number): Promise<string> {
		const url = new URL(this.place(name));
		url.searchParams.set("X-Amz-Expires", String(seconds));
		const { url: signed } = await this.client.sign(url.href, { aws: { signQuery: true } });
		return signed;
	}

	async size(name: string, signal?: AbortSignal): Promise<number | null> {
		const response = await this.send(name, { method: "HEAD", signal });
		return sizeOf(this.what(name), response);
	}

	async write(
		name: string,
		body: Blob,
		sha256: string,
		condition: WriteCondition,
		signal?: AbortSignal,
	): Promise<WriteOutcome> {
		const headers: Record<string, string> = { "X-Amz-Content-Sha256": sha256 };
		if (condition === "absent") headers["If-None-Match"] = "*";
		else if (condition !== null) headers["If-Match"] = condition.etag;
		const put: Send = (request, ending, extend) =>
			putObject(request.url, Object.fromEntries(request.headers), body, ending, extend);
		const outgoing = { method: "PUT", headers, signal };
		const response = await this.request(this.place(name), outgoing, name, put);
		if (response.ok) {
			await response.body?.getReader().cancel();
			return "written";
		}
		if (condition !== null) {
			// An object deleted between the read and the write is a conflict too.
			if ([409, 412].includes(response.status)) return "conflict";
			if (response.status === 404) {
				const error = await failure(this.what(name), response);
				if (isNoBucket(error)) throw error;
				return "conflict";
			}
			if (response.status === 501) return "unsupported";
		}
		throw await failure(this.what(name), response);
	}

	async *list(prefix: string): AsyncIterable<ListedObject> {
		const base = this.path("");
		let token = "";
		do {
			const query = new URLSearchParams({ "list-type": "2", prefix: this.path(prefix) });
			if (token !== "") query.set("continuation-token", token);
			const response = await this.request(`${this.base}?${query}`, {}, prefix);
			if (!response.ok) throw await failure(this.what(prefix), response);
			const text = Buffer.from(await wholeBody(this.what(prefix), response, LISTING_BYTES_MAX)).toString();
			for (const [, entry] of text.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
				yield {
					name: unescapeXml(tag(entry, "Key")).slice(base.length),
					bytes: Number(tag(entry, "Size")),
					modifiedMs: Date.parse(tag(entry, "LastModified")),
				};
			}
			token = unescapeXml(tag(text, "NextContinuationToken"));
		} while (token !== "");
	}

	async remove(name: string): Promise<void> {
		const response = await this.send(name, { method: "DELETE" });
		if (!response.ok && response.status !== 404) throw await failure(this.what(name), response);
		await response.body?.getReader().cancel();
	}

	private send(name: string, outgoing: Outgoing): Promise<StoreResponse> {
		return this.request(this.place(name), outgoing, name);
	}

	private async request(
		url: string,
		{ method = "GET", headers = {}, signal }: Outgoing,
		name: string,
		send = sendEmpty,
	): Promise<StoreResponse> {
		const whole = { "X-Amz-Content-Sha256": EMPTY_SHA256, ...headers };
		const attempt: Attempt = async (ending, extend) =>
			// Signed per attempt, since a signature expires within minutes.
			send(await this.client.sign(url, { method, headers: whole }), ending, extend);
		return exchange(this.what(name), attempt, signal);
	}

	private place(name: string): string {
		return `${this.base}/${this.path(name)}`;
	}

	private path(name: string): string {
		return this.address.prefix === "" ? name : `${this.address.prefix}/${name}`;
	}

	private what(name: string): string {
		return `${this.url}/${name}`;
	}
}

/** A request without a body. Redirects are not followed. */
const sendEmpty: Send = ({ url, method, headers }, signal) =>
	fetch(url, { method, headers, signal, redirect: "manual" });

function tag(xml: string, name: string): string {
	return new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(xml)?.[1] ?? "";
}

function unescapeXml(text: string): string {
	return text
		.replaceAll("&quot;", '"')
		.replaceAll("&#34;", '"')
		.replaceAll("&lt;", "<")
		.replaceAll("&gt;", ">")
		.replaceAll("&amp;", "&");
}

/**
 * An address of the form `s3://BUCKET[/PREFIX]`, with endpoint and region from the environment. Throws
 * {@link ObjectStoreError} `bad_store_url`.
 */
export function s3Address(url: string, environment: NodeJS.ProcessEnv): S3Address {
	const match = /^s3:\/\/([^/]+)(?:\/(.*))?$/s.exec(url);
	if (match === null) throw badUrl(url, "is neither s3://BUCKET/PREFIX nor an https address");
	const [, bucket, path = ""] = match;
	const prefix = path.replace(/\/+$/, "");
	if (!/^[a-z0-9][a-z0-9.-]{1,62}$/.test(bucket))
		throw badUrl(
			url,
			"has no valid name of a bucket: 2 to 63 lower-case letters, digits, . and -, of which the first is a letter or digit",
		);
	if (!/^[A-Za-z0-9._/-]*$/.test(prefix) || prefix.split("/").some((part) => part === "." || part === ".."))
		throw badUrl(url, "has no valid prefix: letters, digits, ., _, - and /, without . and .. as parts");
	const region = environment.AWS_REGION || environment.AWS_DEFAULT_REGION || "us-east-1";
	const endpoint =
		environment.AWS_ENDPOINT_URL_S3 || environment.AWS_ENDPOINT_URL || `https://s3.${region}.amazonaws.com`;
	if (!/^https?:\/\/[^/@\s]+\/?$/.test(endpoint)) {
		throw new ObjectStoreError(
			"bad_store_url",
			"AWS_ENDPOINT_URL must be an http or https address without a path",
		);
	}
	return { endpoint: endpoint.replace(/\/$/, ""), region, bucket, prefix };
}

function badUrl(url: string, fault: string): ObjectStoreError {
	return new ObjectStoreError("bad_store_url", `${withoutUserinfo(url)} ${fault}`);
}

/** An address for messages, without userinfo, which could be a secret. */
function withoutUserinfo(url: string): string {
	return url.replace(/\/\/[^/]*@/, "//");
}

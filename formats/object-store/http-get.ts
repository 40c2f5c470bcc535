/**
 * GET requests for objects of hundreds of megabytes: with a Content-Length through {@link getDirect}, others through
 * node:http.
 */

import { get as httpGet, type IncomingMessage } from "node:http";
import { get as httpsGet } from "node:https";
import { getDirect } from "./direct-get.js";
import type { StoreResponse } from "./http-exchange.js";

/** The response to a GET request. Redirects are not followed. `signal` ends it, until the head has come. */
export async function getObject(
	url: string,
	headers: Record<string, string>,
	signal: AbortSignal,
): Promise<StoreResponse> {
	return (await getDirect(new URL(url), headers, signal)) ?? getByLibrary(url, headers, signal);
}

async function getByLibrary(
	url: string,
	headers: Record<string, string>,
	signal: AbortSignal,
): Promise<StoreResponse> {
	const message = await new Promise<IncomingMessage>((resolve, reject) => {
		const get = url.startsWith("https:") ? httpsGet : httpGet;
		const request = get(url, { headers }, resolve);
		const end = () => request.destroy(signal.reason);
		signal.addEventListener("abort", end, { once: true });
		request.once("response", () => signal.removeEventListener("abort", end));
		request.once("error", reject);
		// After the response or an error. There is neither where the store switches protocols.
		request.once("close", () => {
			signal.removeEventListener("abort", end);
			reject(new Error("the connection was closed without an answer"));
		});
	});
	return responseOf(message);
}

/** A response of node:http. */
export function responseOf(message: IncomingMessage): StoreResponse {
	const status = message.statusCode ?? 0;
	const chunks: AsyncIterator<Uint8Array, undefined> = message[Symbol.asyncIterator]();
	const body = {
		getReader: () => ({
			read: () => chunks.next(),
			cancel: async () => void message.destroy(),
		}),
	};
	return { status, ok: status >= 200 && status < 300, headers: new Headers(joined(message)), body };
}

/** Headers as {@link Headers} takes them. */
function joined({ headersDistinct }: IncomingMessage): [string, string][] {
	return Object.entries(headersDistinct).map(([name, values]) => [name, (values ?? []).join(", ")]);
}

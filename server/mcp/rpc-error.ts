/** The error type of messages, beside that of the API (api/errors.ts). */

import { UntracedError } from "../../formats/index.js";
import type { Status } from "../http/transport.js";
import { withoutKeys } from "../keys/key-text.js";
import type { RpcFault } from "./protocol.js";

/** An answer that is a JSON-RPC error. Its message and data go to the client as they are. */
export class RpcError extends UntracedError implements RpcFault {
	readonly code: number;
	/** With which HTTP status; null: 200, or what the mode asks for. */
	readonly status: Status | null;
	readonly data: Readonly<Record<string, unknown>> | undefined;

	constructor(
		code: number,
		message: string,
		status: Status | null = null,
		data?: Readonly<Record<string, unknown>>,
	) {
		super(withoutKeys(message));
		this.name = "RpcError";
		this.code = code;
		this.status = status;
		this.data = data;
	}
}

/**
 * HTTP over uWebSockets.js, which uws-library.ts finds.
 *
 * The library aborts the whole process if a handler returns with neither a response nor an abort
 * handler, or if a header is read after the handler returned. So there is one route, one wrapper around
 * it, and the head is copied before anything else runs. Its parser accepts framing that it should not;
 * RequestHead.framingFault refuses it.
 */

import { claimPort } from "./claim-port.js";
import { RequestHead } from "./request-head.js";
import { ListenError, type Transport, type TransportOptions } from "./transport.js";
import { type Answering, UwsExchange } from "./uws-exchange.js";
import { UwsGuard } from "./uws-guard.js";
import type {
	HttpRequest,
	HttpResponse,
	TemplatedApp,
	UwsLibrary,
	us_listen_socket,
	us_socket,
} from "./uws-library.js";

/** How often a closing transport looks whether its requests have finished. */
const DRAIN_POLL_MS = 10;
const NO_ANSWER = "the handler sent no answer";

/** `close` exists on this build's app but not in its types. */
type App = TemplatedApp & { close(): void };

export class UwsTransport implements Transport {
	readonly name = "uws";
	private readonly uws: UwsLibrary;
	private readonly app: App;
	private readonly options: TransportOptions;
	private socket: us_listen_socket | null = null;
	private guard: UwsGuard | null = null;
	private closing = false;
	/** The request whose headers are being read, and the one function that reads them for all requests. */
	private head = new RequestHead("", "", "");
	private readonly addHeader = (name: string, value: string): void => this.head.add(name, value);
	private readonly run = (head: RequestHead, exchange: UwsExchange, answer: Answering): void => {
		const { options } = this;
		try {
			const later = answer();
			if (later !== undefined) this.settle(later, head, exchange);
			else if (!exchange.answered && !exchange.receiving && !exchange.finished)
				options.fail(head, exchange, new Error(NO_ANSWER));
		} catch (error) {
			options.fail(head, exchange, error);
		}
	};

	constructor(uws: UwsLibrary, options: TransportOptions) {
		this.uws = uws;
		// Leaves out the header that names the library.
		uws._cfg("silent");
		this.app = uws.App() as App;
		this.options = options;
		this.app.any("/*", (response, request) => this.serve(response, request));
	}

	async listen(host: string, port: number): Promise<{ port: number }> {
		// The library sets SO_REUSEPORT only for a port that is named, and a guard that stops listening needs it.
		const named = port === 0 ? await claimPort(host, 0) : port;
		const socket = await this.open(host, named);
		const bound = this.uws.us_socket_local_port(socket as unknown as us_socket);
		this.guard = new UwsGuard(bound, {
			limits: this.options.connections,
			accept: (accepting) => this.accept(accepting, host, bound),
		});
		return { port: bound };
	}

	async close(graceMs: number): Promise<void> {
		this.closing = true;
		this.stopListening();
		const { load } = this.options;
		const deadline = performance.now() + graceMs;
		while (load.pending + load.receiving > 0 && performance.now() < deadline) {
			await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
		}
		this.app.close();
	}

	abort(): void {
		this.closing = true;
		// In this order: newer versions abort a process whose loop ends while it listens.
		this.stopListening();
		this.app.close();
	}

	private open(host: string, port: number): Promise<us_listen_socket> {
		return new Promise((resolve, reject) => {
			this.app.listen(host, port, (socket) => {
				if (socket === false) {
					reject(new ListenError(host, port, "the address is taken or not this machine's"));
					return;
				}
				this.socket = socket;
				resolve(socket);
			});
		});
	}

	private stopListening(): void {
		this.guard?.close();
		if (this.socket !== null) this.uws.us_listen_socket_close(this.socket);
		this.socket = null;
	}

	/** Stops or resumes accepting connections. A port that cannot be opened again is tried at the next look. */
	private accept(accepting: boolean, host: string, port: number): void {
		if (this.closing) return;
		if (!accepting) {
			this.options.load.countShed();
			if (this.socket !== null) this.uws.us_listen_socket_close(this.socket);
			this.socket = null;
		} else if (this.socket === null) {
			this.app.listen(host, port, (socket) => {
				if (socket === false) this.guard?.retry();
				else this.socket = socket;
			});
		}
	}

	private serve(response: HttpResponse, request: HttpRequest): void {
		// getQuery gives undefined, against its type, if the target has no question mark.
		const query: string | undefined = request.getQuery();
		const head = new RequestHead(request.getCaseSensitiveMethod(), request.getUrl(), query ?? "");
		this.head = head;
		request.forEach(this.addHeader);
		const { options, guard } = this;
		const { load } = options;
		const closes = this.closing || head.chunked || head.closes;
		const exchange = new UwsExchange(response, head, closes, load, guard, this.run);
		const fault = head.framingFault();
		const crowded = guard?.limitsAddresses === true && guard.isCrowded(exchange.peerAddress());
		if (fault !== null || crowded) {
			exchange.refused = true;
			// The library goes on parsing its buffer even if a response closes the connection, and drops the
			// connection if a request follows one that waits for its response. So the response waits: nothing
			// hidden behind invalid framing is ever taken for a request.
			setImmediate(() => this.refuse(head, exchange, fault));
		} else if (!options.urgent(head) && load.sheds()) {
			options.shed(head, exchange);
		} else {
			this.run(head, exchange, () => options.handle(head, exchange));
		}
		if (!exchange.finished) exchange.detach();
	}

	/** Answers a request with invalid framing, or one from an address with too many connections. */
	private refuse(head: RequestHead, exchange: UwsExchange, fault: string | null): void {
		const { options } = this;
		if (fault !== null) {
			options.refuse(head, exchange, fault);
			return;
		}
		options.load.countShed();
		options.shed(head, exchange);
	}

	private async settle(later: Promise<void>, head: RequestHead, exchange: UwsExchange): Promise<void> {
		try {
			await later;
			if (!exchange.answered && !exchange.finished) this.options.fail(head, exchange, new Error(NO_ANSWER));
		} catch (error) {
			this.options.fail(head, exchange, error);
		}
	}
}

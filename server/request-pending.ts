/** Thrown for a request that is tried again once `settled` has resolved, which it does soon whatever happens. */
export class RequestPending extends Error {
	constructor(
		readonly settled: Promise<void>,
		/** For the client, where the request has been tried often enough. */
		message: string,
		/** Whether the request is still counted as one, if it was. */
		readonly counted = true,
	) {
		super(message);
		this.name = "RequestPending";
	}
}

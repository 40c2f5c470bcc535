/** Words of the library that mean nothing to an operator, in others. */

/** What to tell of a failure that the library describes by `message`; `tls`: the address asks for TLS. */
export function faultWords(message: string, tls: boolean): string {
	if (message.startsWith("Reached the max retries per request limit"))
		return "the connection was lost before the reply: the command may or may not have been executed";
	// A server without TLS waits for the rest of what it takes for a command.
	if (tls && message.includes("ETIMEDOUT")) return `${message}: does this port use TLS, as rediss:// does?`;
	return message;
}

/** Messages between the benchmark and the process with the server and its twin. */

import { z } from "zod";

const orderSchema = z.discriminatedUnion("kind", [
	/** Fetch the subject's bodies of these paths; the twin then sends those bytes. */
	z.strictObject({ kind: z.literal("hold"), paths: z.array(z.string()), authorization: z.string() }),
	/** Report the process's CPU time and memory. */
	z.strictObject({ kind: z.literal("usage") }),
	z.strictObject({ kind: z.literal("stop") }),
]);
export type TwinOrder = z.infer<typeof orderSchema>;

const replySchema = z.discriminatedUnion("kind", [
	/** `adminPort`: of the metrics; 0 without them. */
	z.strictObject({ kind: z.literal("ready"), port: z.int(), twinPort: z.int(), adminPort: z.int() }),
	z.strictObject({ kind: z.literal("held"), bytes: z.int() }),
	z.strictObject({ kind: z.literal("usage"), cpuUs: z.number(), rssBytes: z.int(), heapBytes: z.int() }),
]);
export type TwinReply = z.infer<typeof replySchema>;

/** Parses the benchmark's orders. */
export function parseOrder(message: unknown): TwinOrder {
	return orderSchema.parse(message);
}

/** Parses the server's replies. */
export function parseReply(message: unknown): TwinReply {
	return replySchema.parse(message);
}

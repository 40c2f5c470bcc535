/** What the benchmark and the process with the server and its twin say to each other. */

import { z } from "zod";

const orderSchema = z.discriminatedUnion("kind", [
	/** Hold the subject's bodies of these paths; the twin then sends those bytes. */
	z.strictObject({ kind: z.literal("hold"), paths: z.array(z.string()), authorization: z.string() }),
	/** Tell the process's CPU time and memory. */
	z.strictObject({ kind: z.literal("usage") }),
	z.strictObject({ kind: z.literal("stop") }),
]);
export type TwinOrder = z.infer<typeof orderSchema>;

const replySchema = z.discriminatedUnion("kind", [
	z.strictObject({ kind: z.literal("ready"), port: z.int(), twinPort: z.int() }),
	z.strictObject({ kind: z.literal("held"), bytes: z.int() }),
	z.strictObject({ kind: z.literal("usage"), cpuUs: z.number(), rssBytes: z.int(), heapBytes: z.int() }),
]);
export type TwinReply = z.infer<typeof replySchema>;

/** Reads what the benchmark orders. */
export function parseOrder(message: unknown): TwinOrder {
	return orderSchema.parse(message);
}

/** Reads what the server replies. */
export function parseReply(message: unknown): TwinReply {
	return replySchema.parse(message);
}

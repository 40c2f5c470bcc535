/**
 * The tables of a host that shares its keys, in its own store.
 *
 * | table | key | value |
 * |---|---|---|
 * | `shared_keys` | key id | the key as last shared |
 * | `shared_meta` | name | what this host knows of itself and of the shared store |
 * | `shared_outbox` | day and key id | usage to be sent |
 * | `shared_outbox_head` | `head` | the newest batch of it |
 * | `shared_usage` | key id and day | usage counted by other hosts, by endpoint code |
 */

import { z } from "zod";
import { sharedKeySchema } from "./shared-key.js";
import { outboxHeadSchema, outboxRowSchema } from "./usage-outbox.js";

/** The schemas of the tables by name. */
export const SHARED_SCHEMAS = {
	shared_keys: sharedKeySchema,
	shared_meta: z.string(),
	shared_outbox: outboxRowSchema,
	shared_outbox_head: outboxHeadSchema,
	shared_usage: z.array(z.int().min(0)),
} as const;

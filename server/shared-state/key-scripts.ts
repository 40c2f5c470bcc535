/**
 * Scripts about keys. Every change of a record increments its version, and is stored only if the stored version
 * is the one it is based on. Of two concurrent changes, one is rejected and made again on top of the other.
 */

import type { Script } from "./script.js";

/** Approximate number of changes that the stream keeps. A host that was away for longer compares versions instead. */
const CHANGES_KEPT = 10_000;

/**
 * KEYS: records, versions, changes. ARGV: id, expected version (-1: any lower one), new version, record,
 * change. Reply: `{1, id of the change}`, or `{0, stored record}`.
 */
export const PUT_KEY_SCRIPT: Script = {
	name: "put key",
	text: `
local stored = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or 0)
local expected, version = tonumber(ARGV[2]), tonumber(ARGV[3])
if (expected >= 0 and stored ~= expected) or stored >= version then
  return {0, redis.call('HGET', KEYS[1], ARGV[1])}
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[4])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
return {1, redis.call('XADD', KEYS[3], 'MAXLEN', '~', ${CHANGES_KEPT}, '*', 'id', ARGV[1], 'change', ARGV[5])}
`,
};

/**
 * KEYS: records. ARGV: ids. Reply: when the newest change of each was made, as text; empty: there is none. Quotes within
 * JSON strings are escaped, so only a member named `at` matches, and only a change has one.
 */
export const CHANGED_AT_SCRIPT: Script = {
	name: "changed at",
	text: `
local times = {}
for i, record in ipairs(redis.call('HMGET', KEYS[1], unpack(ARGV))) do
  times[i] = record and string.match(record, '"at":"([^"]*)"') or ''
end
return times
`,
};

/** KEYS: secrets. ARGV: name, value to store if there is none. Reply: the stored value. */
export const SECRET_SCRIPT: Script = {
	name: "secret",
	text: `
redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])
return redis.call('HGET', KEYS[1], ARGV[1])
`,
};

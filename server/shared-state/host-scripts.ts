/**
 * Scripts about hosts: heartbeat, batch of usage, and reading usage.
 *
 * Batches of a host are numbered, and the newest number applied is stored with the usage. A batch with that
 * number or a lower one has been applied before, so a batch that is sent again after a lost reply counts once.
 */

import type { Script } from "./script.js";

/** Milliseconds without a heartbeat after which a host no longer counts as alive. */
export const ALIVE_MS = 5_000;
/** Milliseconds for which a host that ended without leaving is named where a change of keys may not have reached it. */
export const NAMED_MS = 3_600_000;
/** Milliseconds without a heartbeat after which a host is removed. */
const FORGOTTEN_MS = 86_400_000;
/** How long the usage of a day is kept, in seconds: longer than stores keep it (limits/ledger.ts); the API reports 90 days. */
const USAGE_KEPT_S = 94 * 86_400;

/**
 * KEYS: epoch, alive, hosts, server. ARGV: host, its description (empty: it leaves), an id for a new epoch. Reply: `{ms
 * since 1970, epoch, hosts alive, server}`; an epoch is `ID:MS`, its id and when it began; a server is `nRUN:MS` or
 * `rRUN:MS`, the run that serves the data and since when, r if it took over from another run: a replica, or a
 * restarted server, which may lack the newest writes.
 */
export const BEAT_SCRIPT: Script = {
	name: "beat",
	text: `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('SET', KEYS[1], ARGV[3] .. ':' .. string.format('%d', now), 'NX')
if ARGV[2] == '' then
  redis.call('ZREM', KEYS[2], ARGV[1])
  redis.call('HDEL', KEYS[3], ARGV[1])
else
  redis.call('ZADD', KEYS[2], now, ARGV[1])
  redis.call('HSET', KEYS[3], ARGV[1], ARGV[2])
  for _, host in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now - ${FORGOTTEN_MS}, 'LIMIT', 0, 10)) do
    redis.call('ZREM', KEYS[2], host)
    redis.call('HDEL', KEYS[3], host)
  end
end
local info = redis.pcall('INFO', 'server')
local run = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
local server = redis.call('GET', KEYS[4])
if not server or string.match(server, '^.(%w*)') ~= run then
  server = (server and 'r' or 'n') .. run .. ':' .. string.format('%d', now)
  redis.call('SET', KEYS[4], server)
end
return {now, redis.call('GET', KEYS[1]), redis.call('ZCOUNT', KEYS[2], now - ${ALIVE_MS}, '+inf'), server}
`,
};

/**
 * KEYS: batches, used, and the usage of each day. ARGV: host, number, and five values for each entry: index of
 * its day among the days, key id, endpoint code, requests, last use in seconds. Reply: the newest number
 * applied before.
 */
export const BATCH_SCRIPT: Script = {
	name: "batch",
	text: `
local host, number = ARGV[1], tonumber(ARGV[2])
local newest = tonumber(redis.call('HGET', KEYS[1], host) or 0)
if number <= newest then return newest end
for i = 3, #ARGV, 5 do
  redis.call('HINCRBY', KEYS[2 + tonumber(ARGV[i])], ARGV[i + 1] .. '/' .. ARGV[i + 2], ARGV[i + 3])
  if tonumber(ARGV[i + 4]) > tonumber(redis.call('HGET', KEYS[2], ARGV[i + 1]) or 0) then
    redis.call('HSET', KEYS[2], ARGV[i + 1], ARGV[i + 4])
  end
end
for i = 3, #KEYS do redis.call('EXPIRE', KEYS[i], ${USAGE_KEPT_S}) end
redis.call('HSET', KEYS[1], host, ARGV[2])
return newest
`,
};

/**
 * KEYS: batches, and the usage of each day requested. ARGV: host, key id, number of endpoint codes. Reply: the
 * host's newest batch, and for each day an array of requests by code.
 */
export const USAGE_SCRIPT: Script = {
	name: "usage",
	text: `
local fields = {}
for code = 0, tonumber(ARGV[3]) - 1 do fields[code + 1] = ARGV[2] .. '/' .. code end
local days = {}
for i = 2, #KEYS do
  local counts = redis.call('HMGET', KEYS[i], unpack(fields))
  for code, count in ipairs(counts) do counts[code] = tonumber(count or 0) end
  days[i - 1] = counts
end
return {tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0), days}
`,
};

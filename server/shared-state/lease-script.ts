/**
 * The script that grants leases: one exchange of one host about one key, in all its limited windows.
 *
 * A window is a hash: `t`, the requests granted to all hosts; `g:HOST`, those granted to all processes of a
 * host; `i:HOST/RUN`, `SEQ HELD`: the newest exchange of a process, and its grants.
 *
 * - A host claims what it believes it was granted. If that is less than stored, it returns some, or a reply was
 *   lost and its grant with it. If it is more, this store lost some, and the claim restores it. -1: the host
 *   cannot know.
 * - A host also reports what its earlier processes counted. If this store has granted the host less than that and
 *   the claim together, it lost the difference, which is restored.
 * - An exchange numbered at or below the newest one is late or repeated, and changes nothing.
 * - A grant raises a lease to at most one of {@link SHARES} parts of the remainder per host, so leases shrink as the
 *   limit nears, but is at least what waiting requests need. So a host that renews its lease before it is used up
 *   never holds more than one. All windows are granted or none.
 *
 * Invariant: a grant never raises `t` above the limit. Requests counted without a lease while the store was
 * unreachable may.
 *
 * KEYS: the windows. ARGV: host, run, seq, hosts alive, and for each window limit, claim, overdraft, need,
 * want, requests left of the lease, requests counted by earlier processes, seconds to keep. Reply: `{1, ms since 1970, granted, t, g, held, …}`, the
 * last four for each window; or `{0, ms}` for a late exchange.
 */

import type { Script } from "./script.js";

/** The remainder is divided into this many parts per host. */
export const SHARES = 2;

export const LEASE_SCRIPT: Script = {
	name: "lease",
	text: `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local host, run, seq, hosts = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local windows, refused, wanted = {}, false, false
for i, name in ipairs(KEYS) do
  local a = 4 + (i - 1) * 8
  local stored = redis.call('HMGET', name, 't', 'g:' .. host, 'i:' .. host .. '/' .. run)
  local total, own, held = tonumber(stored[1] or 0), tonumber(stored[2] or 0), 0
  if stored[3] then
    local last_seq, last_held = string.match(stored[3], '(%S+) (%S+)')
    if seq <= tonumber(last_seq) then return {0, now} end
    held = tonumber(last_held)
  end
  local limit, claim, over = tonumber(ARGV[a + 1]), tonumber(ARGV[a + 2]), tonumber(ARGV[a + 3])
  local need, want, left = tonumber(ARGV[a + 4]), tonumber(ARGV[a + 5]), tonumber(ARGV[a + 6])
  local change = over
  if claim >= 0 then change = change + claim - held end
  local lost = math.max(0, tonumber(ARGV[a + 7]) + held - own)
  local window = { total = total + change + lost, own = own + change + lost, held = held + change, grant = 0 }
  local free = limit - window.total
  if need > 0 then
    wanted = true
    if free < need then
      refused = true
    else
      window.grant = math.min(free, math.max(need, math.min(want, math.ceil(free / (${SHARES} * hosts)) - left)))
    end
  end
  windows[i] = window
end
local reply = {1, now}
for i, name in ipairs(KEYS) do
  local window = windows[i]
  if refused then window.grant = 0 end
  local total, own, held = window.total + window.grant, window.own + window.grant, window.held + window.grant
  redis.call('HSET', name, 't', string.format('%d', total), 'g:' .. host, string.format('%d', own),
    'i:' .. host .. '/' .. run, ARGV[3] .. ' ' .. string.format('%d', held))
  redis.call('EXPIRE', name, ARGV[4 + i * 8])
  for _, number in ipairs({window.grant, total, own, held}) do reply[#reply + 1] = number end
end
return reply
`,
};

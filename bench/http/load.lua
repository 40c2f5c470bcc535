-- wrk script: sends the paths of a file round and round, and prints one JSON line at the end. A path
-- with a body after a tab is posted, as JSON.
-- Arguments: PATHS_FILE AUTHORIZATION DELAY_MS [IF_NONE_MATCH [FIRST]]
-- DELAY_MS above 0 makes each connection wait that long before a request: equal load on servers that
-- are not equally fast. FIRST is the line to begin with, counted from 0.
local requests = {}
local at = 0
local wait = 0

function init(args)
	local headers = {}
	if args[2] ~= "" then headers["Authorization"] = args[2] end
	wait = tonumber(args[3])
	if args[4] ~= nil and args[4] ~= "" then headers["If-None-Match"] = args[4] end
	at = tonumber(args[5] or 0)
	for line in io.lines(args[1]) do
		local path, body = line:match("^([^\t]*)\t(.*)$")
		if body == nil then
			requests[#requests + 1] = wrk.format("GET", line, headers)
		else
			headers["Content-Type"] = "application/json"
			requests[#requests + 1] = wrk.format("POST", path, headers, body)
		end
	end
	if wait > 0 then
		delay = function() return wait end
	end
end

function request()
	at = at % #requests + 1
	return requests[at]
end

function done(summary, latency)
	local e = summary.errors
	io.write(string.format(
		'{"requests":%d,"seconds":%f,"p50Us":%d,"p99Us":%d,"failed":%d}\n',
		summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99),
		e.connect + e.read + e.write + e.status + e.timeout
	))
end

-- wrk script: sends the paths of a file round and round, and prints one JSON line at the end. A path
-- with a body after a tab is posted, as a client of the tool server posts JSON.
-- Arguments: PATHS_FILE HEADS_FILE DELAY_MS FIRST
-- Each line of HEADS_FILE has the headers of a request, "Name: value" with tabs between; the lines are taken by
-- turns. DELAY_MS above 0 makes each connection wait that long before a request: equal load on servers that
-- are not equally fast. FIRST is the path to begin with, counted from 0.
local requests = {}
local at = 0
local wait = 0

local function headersOf(line)
	local headers = {}
	for name, value in line:gmatch("([^\t:]+): ([^\t]*)") do headers[name] = value end
	return headers
end

function init(args)
	local heads = {}
	for line in io.lines(args[2]) do heads[#heads + 1] = line end
	wait = tonumber(args[3])
	at = tonumber(args[4])
	for line in io.lines(args[1]) do
		local headers = headersOf(heads[#requests % #heads + 1])
		local path, body = line:match("^([^\t]*)\t(.*)$")
		if body == nil then
			requests[#requests + 1] = wrk.format("GET", line, headers)
		else
			headers["Content-Type"] = "application/json"
			headers["Accept"] = "application/json, text/event-stream"
			headers["MCP-Protocol-Version"] = "2025-11-25"
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

// The portal's page. The key is held in a variable of this module and stored nowhere else. All text is inserted
// as text, never as HTML.

import { askService } from "/pages/ask-service.js";
import { drawUsage } from "/pages/usage-chart.js";

/** Forms that follow one another faster are sent by a double click, or by a key held down. */
const DOUBLE_CLICK_MS = 500;
const COUNT = new Intl.NumberFormat("en-US");
const $ = (id) => document.getElementById(id);

let key = "";

function element(name, text = "", attributes = {}) {
	const made = document.createElement(name);
	made.textContent = text;
	for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
	return made;
}

function ask(path, body) {
	return askService(path, {
		method: body === undefined ? "GET" : "POST",
		headers: {
			Authorization: `Bearer ${key}`,
			Accept: "application/json",
			...(body === undefined ? {} : { "Content-Type": "application/json" }),
		},
		body: body === undefined ? undefined : JSON.stringify(body),
	});
}

let busy = false;

/**
 * Runs `work` and shows its error on the page. Nothing else is begun until it ends: replacing a key twice by a
 * double click would end the grace of the first one.
 */
async function saying(work) {
	if (busy) return;
	busy = true;
	const status = $("status");
	status.textContent = "";
	try {
		await work();
	} catch (error) {
		status.textContent = error.message;
		status.className = "bad";
		status.scrollIntoView({ block: "nearest" });
	} finally {
		busy = false;
	}
}

function table(caption, headings, rows) {
	const made = element("table");
	made.append(element("caption", caption));
	const head = element("tr");
	headings.forEach((heading, i) => {
		head.append(element("th", heading, { scope: "col", ...(i === 0 ? {} : { class: "number" }) }));
	});
	const body = element("tbody");
	for (const [first, ...numbers] of rows) {
		const row = element("tr");
		row.append(element("th", first, { scope: "row" }));
		for (const number of numbers)
			row.append(
				element("td", typeof number === "number" ? COUNT.format(number) : number, { class: "number" }),
			);
		body.append(row);
	}
	const top = element("thead");
	top.append(head);
	made.append(top, body);
	return made;
}

function inWords(seconds) {
	if (seconds < 120) return `${seconds} s`;
	if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
	return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}

function snippetsFor(apiUrl) {
	const path = "/v1/licenses?state=CA&limit=3";
	return {
		curl: `curl -H "Authorization: Bearer $ROLLCALL_KEY" "${apiUrl}${path}"`,
		TypeScript: `const response = await fetch("${apiUrl}${path}", {
	headers: { Authorization: \`Bearer \${process.env.ROLLCALL_KEY}\` },
});
console.log((await response.json()).data);`,
		Python: `import os, urllib.request
request = urllib.request.Request(
    "${apiUrl}${path}",
    headers={"Authorization": f"Bearer {os.environ['ROLLCALL_KEY']}"},
)
print(urllib.request.urlopen(request).read().decode())`,
		"Claude Code (MCP)": `claude mcp add --transport http rollcall ${apiUrl}/mcp --header "Authorization: Bearer $ROLLCALL_KEY"`,
		"Cursor and others (mcpServers)": JSON.stringify(
			{
				mcpServers: {
					rollcall: { url: `${apiUrl}/mcp`, headers: { Authorization: "Bearer YOUR_KEY" } },
				},
			},
			null,
			2,
		),
	};
}

function showSnippets(apiUrl) {
	const shown = Object.entries(snippetsFor(apiUrl)).map(([title, code]) => {
		const block = element("div");
		const copy = element("button", "Copy", {
			type: "button",
			class: "quiet",
			"aria-label": `Copy: ${title}`,
		});
		const shownCode = element("pre", code, { tabindex: "0" });
		copy.addEventListener("click", async () => {
			try {
				await navigator.clipboard.writeText(code);
				copy.textContent = "Copied";
				copy.setAttribute("aria-label", `Copied: ${title}`);
			} catch {
				// Forbidden, or not there: browsers have it over HTTPS only.
				getSelection().selectAllChildren(shownCode);
				copy.textContent = "Selected: copy it with the keyboard or menu";
				copy.setAttribute("aria-label", copy.textContent);
			}
		});
		block.append(element("h3", title), shownCode, copy);
		return block;
	});
	$("snippets").replaceChildren(...shown);
}

async function show() {
	const told = await ask("/portal/key");
	$("sign-in").hidden = true;
	$("portal").hidden = false;
	const ends = told.expires_at === null ? "does not end" : `ends on ${told.expires_at.slice(0, 10)}`;
	$("facts").textContent = `${told.name} (${told.id}): ${told.tier} key, ${told.status}, ${ends}.`;
	const limits = told.windows.map(({ window, limit, used, resets_in_s }) => [
		`per ${window}`,
		limit,
		used,
		Math.max(0, limit - used),
		inWords(resets_in_s),
	]);
	$("limits").replaceChildren(
		limits.length === 0
			? element("p", "This key has no limits.")
			: table("Limits and what is left of them", ["Window", "Limit", "Used", "Left", "Resets in"], limits),
	);
	$("scope").replaceChildren(...told.scope.map((words) => element("li", words)));
	const { by_day, by_endpoint, total } = told.usage;
	$("by-endpoint").replaceChildren(
		total === 0
			? element("p", "No requests yet.")
			: table(
					`${COUNT.format(total)} requests by endpoint`,
					["Endpoint", "Requests"],
					by_endpoint.map(({ endpoint, requests }) => [endpoint, requests]),
				),
	);
	$("by-day").replaceChildren(
		table(
			"Requests by day",
			["Day", "Requests"],
			by_day.map(({ date, requests }) => [date, requests]),
		),
	);
	$("errors").replaceChildren(
		told.errors.length === 0
			? element("p", "No request with this key has failed on this server since it started.")
			: table(
					"Errors of this server since it started, most recent first",
					["Code", "Requests", "Last (UTC)"],
					told.errors.map(({ code, requests, last_s }) => [
						code,
						requests,
						new Date(last_s * 1000).toISOString().slice(0, 19).replace("T", " "),
					]),
				),
	);
	drawUsage($("chart"), by_day);
	showSnippets(told.api_url);
	document.querySelector("h1").setAttribute("tabindex", "-1");
	document.querySelector("h1").focus();
}

$("sign-in").addEventListener("submit", (event) => {
	event.preventDefault();
	saying(async () => {
		// Not before: what is under way may still ask with the key before.
		key = $("key").value.trim();
		$("key").value = "";
		// A header takes no other characters, and what a browser says of that helps nobody.
		if (!/^\w+$/.test(key)) throw new Error("This is not a key: a key is one word of letters, digits and _.");
		await show();
	});
});

let rotatedMs = Number.NEGATIVE_INFINITY;

$("rotate").addEventListener("submit", (event) => {
	event.preventDefault();
	// The answer may be there before the second click.
	if (performance.now() - rotatedMs < DOUBLE_CLICK_MS) return;
	saying(async () => {
		const { key: text } = await ask("/portal/rotate", { grace: $("grace").value });
		key = text;
		rotatedMs = performance.now();
		const box = $("new-key");
		box.hidden = false;
		box.replaceChildren(
			element("p", "Your new key. It is not shown again:"),
			element("pre", text, { class: "key", tabindex: "0", "aria-label": `Your new key: ${text}` }),
		);
		// In view, and announced: of what was hidden until now, few screen readers tell a change.
		box.querySelector("pre").focus();
	});
});

$("revoke").addEventListener("submit", (event) => {
	event.preventDefault();
	saying(async () => {
		await ask("/portal/revoke", { confirm: $("confirm").value.trim() });
		key = "";
		// The focused button is removed; screen readers announce the element that is focused next.
		const told = element("p", "The key is revoked.", { tabindex: "-1" });
		$("portal").replaceChildren(told);
		told.focus();
	});
});

// Until here the browser would have sent the form by itself.
$("sign-in").querySelector("button").disabled = false;

/**
 * The programs of docs/CLIENTS.md, run as they stand there against a server behind a front that refuses
 * every third request; those in TypeScript are compiled strictly against what the generators make of the
 * OpenAPI document, without edits.
 */

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ROOT } from "../docs/runnable-blocks.js";
import { ServedFixture } from "../http/served.js";
import { ANY_TRANSPORT } from "../http/transports.js";
import { ImpatientFront } from "./impatient-front.js";

const GENERATORS = join(ROOT, "test/clients/node_modules");
const noGenerators =
	!existsSync(GENERATORS) && "the generators of clients are not installed (npm ci --prefix test/clients)";
const noPython = spawnSync("python3", ["--version"]).status !== 0 && "python3 is not installed";
const noCurl = spawnSync("curl", ["--version"]).status !== 0 && "curl is not installed";
/** Of a program's file, by the language of its block. */
const ENDINGS: Readonly<Record<string, string>> = { ts: ".ts", python: ".py", sh: ".sh" };
const FILTER = "state=CA,TX&fields=id,member_full_name";

/** Follows the client of the walk: lists that are written in either way. */
const LISTS_QUERY = `
const { data } = await client.GET("/v1/licenses", {
	params: { query: { city: ["Austin", "Houston"], sort: ["state", "id"], fields: ["id", "state"], limit: 1 } },
});
console.log(data?.pagination.total);
`;

/** The programs of the document by their file names. */
function programs(): Map<string, string> {
	const text = readFileSync(join(ROOT, "docs/CLIENTS.md"), "utf8");
	const blocks = text.matchAll(/^<!-- program: (\S+) -->\n```(\w+)\n([\s\S]*?)^```$/gm);
	return new Map([...blocks].map(([, name, language, code]) => [name + ENDINGS[language], code]));
}

describe("clients written as docs/CLIENTS.md shows", () => {
	let served: ServedFixture;
	let front: ImpatientFront;
	let folder: string;
	let key: string;
	before(async () => {
		served = await ServedFixture.start(ANY_TRANSPORT);
		key = await served.key();
		front = await ImpatientFront.start(served.port);
		folder = mkdtempSync(join(tmpdir(), "rollcall-clients-"));
		for (const [name, code] of programs()) writeFileSync(join(folder, name), code);
	});
	after(async () => {
		front.close();
		await served.close();
		rmSync(folder, { recursive: true, force: true });
	});

	/** What a program prints; it must succeed. */
	async function run(
		program: string,
		args: readonly string[],
		variables: Readonly<Record<string, string>> = {},
	): Promise<string> {
		const { NODE_OPTIONS: _, ...others } = process.env;
		const env = { ...others, BASE_URL: front.url, API_KEY: key, ...variables };
		const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
		let output = "";
		let errors = "";
		child.stdout.setEncoding("utf8").on("data", (text: string) => {
			output += text;
		});
		child.stderr.setEncoding("utf8").on("data", (text: string) => {
			errors += text;
		});
		const code = await new Promise((resolve) => child.once("close", resolve));
		assert.equal(code, 0, `${program} ${args.join(" ")}: ${output}${errors}`);
		return output;
	}

	/** The rows that a walk must print, read in one page. */
	async function rowsOf(query: string): Promise<Record<string, string | number | null>[]> {
		const { text } = await served.request(`/v1/licenses?${query}&limit=1000`, key);
		const { data, pagination } = JSON.parse(text) as {
			data: Record<string, string | number | null>[];
			pagination: { has_next: boolean };
		};
		assert.ok(data.length > 60 && !pagination.has_next, "rows of several pages");
		return data;
	}

	/** Rows as the walks print them, and their number. */
	async function walked(): Promise<string> {
		const rows = await rowsOf(FILTER);
		const named = (value: unknown, absent: string) => `${value === null ? absent : value}`;
		const lines = rows.map((row) => `${row.id} ${named(row.member_full_name, "null")}`);
		return `${[...lines, `${rows.length} rows`].join("\n")}\n`;
	}

	test("all programs of the document are run", () => {
		assert.deepEqual(
			[...programs().keys()],
			["walk.ts", "stream.ts", "sdk-walk.ts", "walk.py", "walk.sh", "stream.sh", "keep.sh"],
		);
	});

	test("typed clients are generated, compiled and run without edits", { skip: noGenerators }, async () => {
		writeFileSync(join(folder, "openapi.json"), (await served.request("/openapi.json")).text);
		writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
		const [client] = (programs().get("walk.ts") ?? "").split("let rows = 0;");
		writeFileSync(join(folder, "lists.ts"), `${client}${LISTS_QUERY}`);
		symlinkSync(GENERATORS, join(folder, "node_modules"));
		await run("node", ["node_modules/openapi-typescript/bin/cli.js", "openapi.json", "-o", "schema.d.ts"]);
		const compilerOptions = {
			...{ strict: true, noUncheckedIndexedAccess: true, module: "nodenext", target: "es2023" },
			...{
				lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
				types: ["node"],
				typeRoots: [join(ROOT, "node_modules/@types")],
			},
		};
		writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
		await run("node", ["node_modules/@hey-api/openapi-ts/bin/run.js", "-i", "openapi.json", "-o", "sdk"]);
		const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
		await run("node", [tsc, "-p", "."]);
		// As `tsc --init` has it; the code of the SDK does not compile with it.
		const stricter = { exactOptionalPropertyTypes: true, skipLibCheck: true, noEmit: true };
		const written = {
			extends: "./tsconfig.json",
			compilerOptions: stricter,
			files: ["walk.ts", "stream.ts"],
		};
		writeFileSync(join(folder, "stricter.json"), JSON.stringify(written));
		await run("node", [tsc, "-p", "stricter.json"]);
		const refusedBefore = front.refused;
		assert.equal(await run("node", ["walk.js"]), await walked());
		assert.ok(front.refused > refusedBefore, "the walk was refused and went on");
		const { text } = await served.request("/v1/licenses?city=Austin&city=Houston&limit=1", key);
		const { total } = (JSON.parse(text) as { pagination: { total: number } }).pagination;
		assert.ok(total > 0);
		assert.equal(await run("node", ["lists.js"]), `${total}\n`, "lists with commas and lists of parameters");
		const streamed = await rowsOf("state=CA&fields=id,office_name");
		const without = streamed
			.filter((row) => row.office_name === null)
			.map(({ id }) => `${id} has no office\n`);
		// These two show streaming and typed calls alone.
		front.refuse(false);
		const stream = await run("node", ["stream.js"]);
		assert.equal(stream, `${without.join("")}${streamed.length} rows, more: false\n`);
		const sdk = (await run("node", ["sdk-walk.js"])).trim().split("\n");
		assert.match(sdk[0], /^tier enterprise$/);
		assert.equal(sdk.length, 5);
		assert.equal(sdk[4], `${(await rowsOf(FILTER)).length} rows`);
		front.refuse(true);
	});

	test("the Python program pages, backs off and streams", { skip: noPython }, async () => {
		const rows = await rowsOf("state=CA&fields=id,office_name");
		const expected = `${(await walked()).replaceAll(/ null$/gm, " None")}${rows.length} rows, more: False\n`;
		const refusedBefore = front.refused;
		const printed = await run("python3", ["walk.py"]);
		assert.equal(printed.replace("more: false", "more: False"), expected);
		assert.ok(front.refused > refusedBefore);
	});

	test("the curl programs page, back off and keep what has not changed", { skip: noCurl }, async () => {
		const { text } = await served.request(`/v1/licenses?${FILTER}&format=csv&limit=1000`, key);
		assert.equal(await run("bash", ["-euo", "pipefail", "walk.sh"]), text);
		assert.equal(await run("bash", ["-euo", "pipefail", "keep.sh"]), "200\n304\n");
	});

	test("the curl program streams a whole result as NDJSON, by cursor, and backs off", {
		skip: noCurl,
	}, async () => {
		const query = `/v1/licenses?${FILTER}&format=ndjson&limit=1000`;
		const { text } = await served.request(query, key);
		const bulk = await served.key({ scope: { bulk: true } });
		const refusedBefore = front.refused;
		const variables = { API_KEY: bulk, LIMIT: "20" };
		assert.equal(await run("bash", ["-euo", "pipefail", "stream.sh"], variables), text);
		assert.ok(front.refused > refusedBefore, "pages were refused and asked for again");
	});
});

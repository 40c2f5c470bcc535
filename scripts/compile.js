// Compiles the TypeScript sources into dist/ from scratch, so that a removed source leaves nothing behind,
// and copies the files that browsers load, which are plain CSS and JavaScript, beside them.
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, "-p", root], {
	stdio: "inherit",
});
for (const folder of readdirSync(`${root}/server`, { recursive: true, encoding: "utf8" })) {
	if (!/[\\/]browser$/.test(folder)) continue;
	cpSync(`${root}/server/${folder}`, `${root}/dist/server/${folder}`, { recursive: true });
}
process.exit(status ?? 1);

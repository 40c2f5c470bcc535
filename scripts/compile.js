// Compiles the TypeScript sources into dist/ from scratch, so that a removed source leaves nothing behind.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, "-p", root], {
	stdio: "inherit",
});
process.exit(status ?? 1);

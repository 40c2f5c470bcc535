/** `npm run sim -- --seed N --steps N`: simulates hosts that share limits and usage; prints a failure as a short trace. */

import { Command } from "commander";
import { simulate } from "./runs.js";

const whole = (text: string) => Number.parseInt(text, 10);
const options = new Command("sim")
	.option("--seed <n>", "where the steps are drawn from", whole, Math.floor(Math.random() * 1e9))
	.option("--steps <n>", "steps to simulate", whole, 1_000_000)
	.parse()
	.opts<{ seed: number; steps: number }>();
const begunMs = performance.now();
const failure = simulate(options.seed, options.steps);
const seconds = ((performance.now() - begunMs) / 1_000).toFixed(1);
if (failure === null) {
	process.stdout.write(
		`${options.steps} steps of seed ${options.seed} in ${seconds} s: every invariant held\n`,
	);
} else {
	process.stdout.write(`seed ${options.seed}, run ${failure.run}: ${failure.message}\n`);
	for (const { kind, host, key, amount } of failure.steps)
		process.stdout.write(`  ${kind}: host ${host}, key ${key}, ${amount}\n`);
	process.exitCode = 1;
}

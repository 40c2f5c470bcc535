/** Debian's Prometheus in a process of its own, scraping one target several times a second. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../free-port.js";

const START_MS_MAX = 20_000;

interface QueryAnswer {
	readonly status: string;
	readonly error?: string;
	readonly data?: { readonly result: readonly unknown[] };
}

export class PrometheusProcess {
	private constructor(
		private readonly child: ChildProcess,
		private readonly folder: string,
		private readonly port: number,
	) {}

	/** Scrapes the admin port `target` of this machine. */
	static async start(program: string, target: number): Promise<PrometheusProcess> {
		const folder = mkdtempSync(join(tmpdir(), "rollcall-prometheus-"));
		const port = await freePort();
		const config = {
			global: { scrape_interval: "200ms", scrape_timeout: "200ms" },
			scrape_configs: [{ job_name: "rollcall", static_configs: [{ targets: [`127.0.0.1:${target}`] }] }],
		};
		// JSON is YAML.
		writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(config));
		const flags = [
			`--config.file=${join(folder, "prometheus.yml")}`,
			`--storage.tsdb.path=${join(folder, "data")}`,
			`--web.listen-address=127.0.0.1:${port}`,
			"--log.level=error",
		];
		const child = spawn(program, flags, { stdio: ["ignore", "ignore", "inherit"] });
		const prometheus = new PrometheusProcess(child, folder, port);
		const end = performance.now() + START_MS_MAX;
		while ((await prometheus.series("up == 1").catch(() => 0)) === 0) {
			if (performance.now() > end) throw new Error("Prometheus has not scraped the server in time");
			await delay(100);
		}
		return prometheus;
	}

	/** How many series `expression` gives now. Rejects where Prometheus refuses it. */
	async series(expression: string): Promise<number> {
		const url = `http://127.0.0.1:${this.port}/api/v1/query?query=${encodeURIComponent(expression)}`;
		const answer = (await (await fetch(url)).json()) as QueryAnswer;
		if (answer.status !== "success") throw new Error(`${expression}: ${answer.error}`);
		return answer.data?.result.length ?? 0;
	}

	close(): Promise<void> {
		return new Promise((resolve) => {
			this.child.once("exit", () => {
				rmSync(this.folder, { recursive: true, force: true });
				resolve();
			});
			this.child.kill("SIGTERM");
		});
	}
}

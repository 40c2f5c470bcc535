/** Metrics without labels whose values are read when they are scraped. */

import { Counter, Gauge, type Registry } from "prom-client";

export function gauge(registry: Registry, name: string, help: string, value: () => number): void {
	new Gauge({
		name,
		help,
		registers: [registry],
		collect() {
			this.set(value());
		},
	});
}

/** A counter; `value` must never decrease. */
export function total(registry: Registry, name: string, help: string, value: () => number): void {
	new Counter({
		name,
		help,
		registers: [registry],
		collect() {
			this.reset();
			this.inc(value());
		},
	});
}

/** The demo's data: the same for whoever runs the demo, and what documentation's examples are asked of. */

export const DEMO_DROPS = { months: "2026-09..2026-11", rows: "50000", seed: "1" } as const;

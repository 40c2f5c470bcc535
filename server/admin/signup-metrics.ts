/** Metrics of signup: signups of today and their cap, refusals, and the queue of mails. */

import { Counter, Gauge, type Registry } from "prom-client";
import type { SignupSummary } from "../signup/signup-records.js";

type Member = keyof SignupSummary;

const GAUGES: readonly (readonly [string, string, Member])[] = [
	["rollcall_signup_mailboxes", "Mailboxes that signup knows.", "mailboxes"],
	["rollcall_signups_today", "Signups accepted on this UTC day.", "signups_today"],
	["rollcall_signups_per_day_max", "The cap on them.", "signups_per_day"],
	["rollcall_signup_keys_left", "Trial keys that signup can still create.", "keys_left"],
];

/** By label `reason`. */
const REFUSALS: readonly (readonly [string, Member])[] = [
	["day", "refused_by_day"],
	["network", "refused_by_network"],
	["proof", "refused_by_proof"],
	["keys", "refused_for_keys"],
	["mailbox", "unanswered_mailbox"],
];

/** By label `state`. */
const MAILS: readonly (readonly [string, Member])[] = [
	["waiting", "mails_waiting"],
	["bounced", "mails_bounced"],
	["failed", "mails_failed"],
	["unknown", "mails_unknown"],
];

/** Registers them. `summary` returns null if signup is off; the metrics then have no values. */
export function addSignupMetrics(registry: Registry, summary: () => SignupSummary | null): void {
	const registers = [registry];
	for (const [name, help, member] of GAUGES) {
		new Gauge({
			name,
			help,
			registers,
			collect() {
				const found = summary();
				if (found !== null) this.set(found[member]);
				else this.remove();
			},
		});
	}
	new Counter({
		name: "rollcall_signups_refused_total",
		help: "Signups refused by a cap, by a used proof of work or for want of keys, or whose mailbox got no more mail that day.",
		labelNames: ["reason"],
		registers,
		collect() {
			this.reset();
			const found = summary();
			if (found !== null) for (const [reason, member] of REFUSALS) this.inc({ reason }, found[member]);
		},
	});
	new Gauge({
		name: "rollcall_signup_mails",
		help: "Mails in the queue, by state.",
		labelNames: ["state"],
		registers,
		collect() {
			this.reset();
			const found = summary();
			if (found !== null) for (const [state, member] of MAILS) this.set({ state }, found[member]);
		},
	});
	new Counter({
		name: "rollcall_signup_mails_sent_total",
		help: "Mails that the mail server took.",
		registers,
		collect() {
			this.reset();
			const found = summary();
			if (found !== null) this.inc(found.mails_sent);
		},
	});
}

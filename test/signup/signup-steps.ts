/** The steps of a signup that a process is killed at, in their order. */

export const STEPS = [
	"request accepted",
	"taken from the queue",
	"handed to the mail server",
	"mail settled",
	"link being used",
	"link used",
] as const;
export type Step = (typeof STEPS)[number];

export const ADDRESS = "jo@example.com";
export const POLICY = { mailboxPerDay: 50, networkPerDay: 1_000, perDay: 1_000, againAfterMs: 0 };

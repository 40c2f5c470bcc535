/** Signup under test: its port, a mail server, and a clock, over a scratch store in this process. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { solveChallenge } from "altcha-lib";
import { deriveKey } from "altcha-lib/algorithms/pbkdf2";
import type { Challenge } from "altcha-lib/types";
import { createLog } from "../../server/log.js";
import { type Access, openAccess } from "../../server/open-access.js";
import { SelfServe } from "../../server/open-self-serve.js";
import { type Config, resolveConfig } from "../../server/settings/config.js";
import type { SharedProofs } from "../../server/signup/proof-records.js";
import { HandScheduler } from "../http/served.js";
import { SetClock } from "../keys/scratch.js";
import { linkOf, MailServer } from "./mail-server.js";

export interface Answer {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
}

export class SignupFixture {
	private constructor(
		readonly origin: string,
		readonly mail: MailServer,
		readonly clock: SetClock,
		readonly access: Access,
		readonly selfServe: SelfServe,
		readonly dataFolder: string,
	) {}

	/** Opens signup on a free port; `settings` override the configuration. */
	static async start(
		t: TestContext,
		settings: Partial<Config> = {},
		shared: SharedProofs | null = null,
	): Promise<SignupFixture> {
		const mail = await MailServer.start(t);
		const clock = new SetClock();
		const flags = { signup_difficulty: 1, smtp: mail.url, ...settings };
		const { config } = resolveConfig({ flags, environment: {}, file: undefined });
		const dataFolder = mkdtempSync(join(tmpdir(), "rollcall-signup-"));
		const onError = (error: unknown) => assert.fail(error as Error);
		const access = openAccess({ dataFolder, clock, onError });
		const log = createLog("silent");
		const apiAddress = "http://127.0.0.1:8080";
		const selfServe = await SelfServe.open({
			config,
			access,
			clock,
			scheduler: new HandScheduler(),
			log,
			apiAddress,
			shared,
		});
		const port = await selfServe.listen();
		t.after(async () => {
			await selfServe.close();
			await access.close();
			rmSync(dataFolder, { recursive: true, force: true });
		});
		return new SignupFixture(`http://127.0.0.1:${port}`, mail, clock, access, selfServe, dataFolder);
	}

	async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
		return answerOf(await fetch(this.origin + path, { headers }));
	}

	async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
		return answerOf(
			await fetch(this.origin + path, {
				method: "POST",
				headers: { "Content-Type": "application/json", ...headers },
				body: typeof body === "string" ? body : JSON.stringify(body),
			}),
		);
	}

	/** A solution of a new challenge, as the widget sends it. */
	async solution(): Promise<string> {
		const { text } = await this.get("/signup/challenge");
		const challenge = JSON.parse(text) as Challenge;
		const solution = await solveChallenge({ challenge, deriveKey });
		return Buffer.from(JSON.stringify({ challenge, solution })).toString("base64");
	}

	/** Signs `email` up and sends the mails that are due. */
	async signUp(email: string, headers: Record<string, string> = {}): Promise<Answer> {
		const answer = await this.post("/signup", { email, altcha: await this.solution() }, headers);
		await this.selfServe.queue.run();
		return answer;
	}

	/** Signs `email` up and uses the link of the mail. */
	async keyFor(email: string): Promise<{ key: string; id: string; renewed: boolean }> {
		assert.equal((await this.signUp(email)).status, 202);
		const [local, domain] = email.split("@");
		const mails = this.mail.mailsTo(`${local}@${domain.toLowerCase()}`);
		assert.notEqual(mails.length, 0, `a mail to ${email}`);
		return this.claim(linkOf(mails[mails.length - 1]));
	}

	async claim(path: string): Promise<{ key: string; id: string; renewed: boolean }> {
		const claimed = await this.post("/signup/claim", { token: path.slice(path.lastIndexOf("/") + 1) });
		assert.equal(claimed.status, 200, claimed.text);
		return JSON.parse(claimed.text) as { key: string; id: string; renewed: boolean };
	}

	/** What the API would say of a key now. */
	authenticate(key: string): "ok" | string {
		const found = this.access.authenticator.authenticate(
			{ authorization: `Bearer ${key}`, xApiKey: null },
			this.clock.now(),
		);
		return found.ok ? "ok" : found.code;
	}
}

async function answerOf(response: Response): Promise<Answer> {
	return { status: response.status, headers: response.headers, text: await response.text() };
}

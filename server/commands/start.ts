/** `start`: serves until SIGTERM or SIGINT. `config --show`: prints the settings and where they come from. */

import { Command, Option } from "commander";
import { workersOf } from "../http/select-transport.js";
import { TRANSPORT_CHOICES } from "../http/transport.js";
import { joinedList } from "../keys/grant-options.js";
import { createLog, LOG_LEVELS } from "../log.js";
import {
	type Config,
	configSchema,
	type ResolvedConfig,
	resolveConfig,
	SETTINGS,
	type Setting,
} from "../settings/config.js";
import { ConfigError } from "../settings/config-error.js";
import { requireConsistent, signupWarnings } from "../settings/setting-conflicts.js";
import { signalledPid, stopRequested, tellListening } from "../supervisor/followed.js";
import { endThreads, startThread } from "../workers/start-thread.js";

interface StartOptions {
	readonly config?: string;
	readonly [flag: string]: unknown;
}

/** `start`. */
export function startCommand(): Command {
	return withSettings(new Command("start").description("serve the published snapshots"))
		.option("--no-supervise", "serve in this process alone, where another program starts it again")
		.action(async (options: StartOptions) => start(settingsOf(options)));
}

/** `config`. */
export function configCommand(): Command {
	return withSettings(new Command("config").description("print the settings as start would use them"))
		.requiredOption("--show", "print every setting, its value and where it comes from")
		.option("--json", "print one JSON document")
		.action((options: StartOptions) => show(settingsOf(options), options.json === true));
}

async function start({ config, warnings }: ResolvedConfig): Promise<void> {
	requireConsistent(config);
	// As lines of the log are, this command's own is lost where it cannot be written.
	process.stdout.on("error", () => undefined);
	const log = createLog(config.log_level);
	for (const warning of [...warnings, ...signupWarnings(config)]) log.warn(warning);
	const stopped = stopRequested();
	const threadCount = workersOf(config.transport === "node" ? "node" : "uws", config.workers);
	// They load their modules while this thread loads its own.
	const threads = threadCount === 1 ? [] : Array.from({ length: threadCount }, () => startThread());
	const { serve } = await import("../serve.js");
	const server = await serve(config, log, threads).catch(async (error) => {
		await endThreads(threads);
		throw error;
	});
	const { host, port, transport, workers, admin_port, signup_port } = server;
	await tellListening(port);
	// Scripts read the port off this line, so it is written whatever the level.
	process.stdout.write(
		`${JSON.stringify({ level: 30, time: new Date().toISOString(), msg: "listening", host, port, transport, workers, admin_port, signup_port, pid: signalledPid(), serving_pid: process.pid })}\n`,
	);
	log.info({ signal: await stopped }, "stopping");
	await server.close();
	log.info("stopped");
}

function show({ config, sources, warnings }: ResolvedConfig, json: boolean): void {
	for (const warning of [...warnings, ...signupWarnings(config), ...refusalOf(config)])
		process.stderr.write(`warning: ${warning}\n`);
	if (json) {
		const document = Object.fromEntries(
			SETTINGS.map((setting) => [setting, { value: shown(config, setting), source: sources[setting] }]),
		);
		process.stdout.write(`${JSON.stringify(document, null, "\t")}\n`);
		return;
	}
	const width = Math.max(...SETTINGS.map((setting) => setting.length));
	const lines = SETTINGS.map(
		(setting) =>
			`${setting.padEnd(width)}  ${JSON.stringify(shown(config, setting))}  (${sources[setting]})\n`,
	);
	process.stdout.write(lines.join(""));
}

/** Why `start` would not start with these settings, as a warning; empty: nothing speaks against them. */
function refusalOf(config: Config): string[] {
	try {
		requireConsistent(config);
		return [];
	} catch (error) {
		if (!(error instanceof ConfigError)) throw error;
		return [`start refuses these settings: ${error.message}`];
	}
}

/** A setting's value without the secrets in it: the passwords of the mail server and the shared store, the console's token. */
export function shown(config: Config, setting: Setting): unknown {
	if (setting === "operator_token") return config.operator_token === "" ? "" : "***";
	if (setting === "smtp") return config.smtp.replace(/\/\/[^/]*@/, "//***@");
	if (setting === "shared") return config.shared.replace(/\/\/[^/]*@/, "//***@");
	return config[setting];
}

/** Every setting as an option: `log_level` as `--log-level`; a setting that is on or off needs no value to be on. */
function withSettings(command: Command): Command {
	const choices: Partial<Record<string, readonly string[]>> = {
		transport: TRANSPORT_CHOICES,
		log_level: LOG_LEVELS,
	};
	command.option("--config <file>", "JSON file of settings");
	for (const setting of SETTINGS) {
		const schema = configSchema.shape[setting];
		const isSwitch = schema.safeParse("true").data === true;
		const flag = `--${setting.replaceAll("_", "-")} ${isSwitch ? "[true|false]" : "<value>"}`;
		const option = new Option(flag, describe(setting));
		if (Array.isArray(schema.parse(undefined))) option.argParser(joinedList);
		const allowed = choices[setting];
		command.addOption(allowed === undefined ? option : option.choices(allowed));
	}
	return command;
}

/** What a setting does, and its default. */
function describe(setting: Setting): string {
	const { description = "" } = configSchema.shape[setting];
	const value = String(configSchema.shape[setting].parse(undefined));
	return value === "" || /\bdefault:/.test(description) ? description : `${description} (default: ${value})`;
}

function settingsOf(options: StartOptions): ResolvedConfig {
	const flags = Object.fromEntries(SETTINGS.map((setting) => [setting, options[camelCase(setting)]]));
	return resolveConfig({ flags, environment: process.env, file: options.config });
}

/** The name that commander gives an option's value. */
function camelCase(setting: string): string {
	return setting.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

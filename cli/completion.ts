/**
 * Completion scripts for shells, made from the same descriptions of commands that the programs parse by.
 * A script holds every command and option, so that completing starts no Node. Where nothing of ours fits,
 * the shell completes file names.
 */

import type { Command } from "commander";
import { createProgram as createBench } from "../bench/program.js";
import { createProgram as createBuilder } from "../builder/program.js";
import { createProgram as createServer } from "../server/program.js";

/** What may follow on a command line, by the command's words: `rollcall server keys create`. */
interface Level {
	readonly path: string;
	readonly commands: readonly string[];
	readonly options: readonly string[];
	/** Values of options that take one of several. */
	readonly choices: readonly { readonly option: string; readonly values: readonly string[] }[];
}

const SHELLS = ["bash", "zsh", "fish"];

/** The script of `shell`; null: there is none. Cost: loads the programs, some 0.5 s. */
export async function completionScript(shell: string): Promise<string | null> {
	if (!SHELLS.includes(shell)) return null;
	const levels = await allLevels();
	if (shell === "bash") return bashScript(levels);
	if (shell === "zsh") return `autoload -U +X bashcompinit && bashcompinit\n${bashScript(levels)}`;
	return fishScript(levels);
}

async function allLevels(): Promise<Level[]> {
	const programs = [await createBuilder(), await createServer(), createBench()];
	const names = [...programs.map((program) => program.name()), "demo", "completion"].sort();
	const top = { path: "rollcall", commands: names, options: ["--help", "--version"], choices: [] };
	const completion = { path: "rollcall completion", commands: SHELLS, options: [], choices: [] };
	return [top, completion, ...programs.flatMap((program) => levelsOf(program, "rollcall"))];
}

function levelsOf(command: Command, parent: string): Level[] {
	const path = `${parent} ${command.name()}`;
	const options = command.options.filter((option) => !option.hidden);
	return [
		{
			path,
			commands: command.commands.map((sub) => sub.name()),
			options: [...options.flatMap(({ long, short }) => long ?? short ?? []), "--help"],
			choices: options.flatMap(({ long, argChoices }) =>
				long != null && argChoices !== undefined ? [{ option: long, values: argChoices }] : [],
			),
		},
		...command.commands.flatMap((sub) => levelsOf(sub, path)),
	];
}

function bashScript(levels: readonly Level[]): string {
	const subcommands = levels.flatMap(({ path, commands }) => commands.map((name) => `"${path} ${name}"`));
	const cases = levels.map(
		({ path, commands, options }) => `\t"${path}") words="${[...commands, ...options].join(" ")}" ;;`,
	);
	const values = levels.flatMap(({ path, choices }) =>
		choices.map(({ option, values }) => `\t"${path} ${option}") words="${values.join(" ")}" ;;`),
	);
	return `# Completion of rollcall. For this shell: source <(rollcall completion bash)
_rollcall() {
	local path=rollcall words="" word i
	local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
	for ((i = 1; i < COMP_CWORD; i++)); do
		word="\${COMP_WORDS[i]}"
		case "$path $word" in
		${subcommands.join(" | ")}) path="$path $word" ;;
		esac
	done
	case "$path" in
${cases.join("\n")}
	esac
	case "$path $before" in
${values.join("\n")}
	esac
	COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _rollcall rollcall
`;
}

function fishScript(levels: readonly Level[]): string {
	const lines = levels.flatMap(({ path, commands, options, choices }) => {
		const depth = path.split(" ").length;
		const words = path.split(" ").slice(1);
		const within = words.map((word) => `__fish_seen_subcommand_from ${word}`);
		const notYet = commands.length > 0 ? [`not __fish_seen_subcommand_from ${commands.join(" ")}`] : [];
		const here = [...within, ...notYet].join("; and ") || "true";
		const at = depth === 1 ? "__fish_use_subcommand" : here;
		return [
			...commands.map((name) => `complete -c rollcall -f -n '${at}' -a ${name}`),
			...options.map((option) => {
				const values = choices.find((choice) => choice.option === option)?.values;
				const taken = values === undefined ? "" : ` -x -a '${values.join(" ")}'`;
				return `complete -c rollcall -n '${at}' -l ${option.replace(/^-+/, "")}${taken}`;
			}),
		];
	});
	return `# Completion of rollcall. For this shell: rollcall completion fish | source\n${lines.join("\n")}\n`;
}

/** The tool that a name which none has most likely means, for the suggestion where it is refused. */

import { didYouMeanName, suggested } from "../../formats/index.js";

/** Words of names that agents guess, by the tool that answers what they ask; the first tool with a word counts. */
const WORDS_BY_TOOL: readonly (readonly [tool: string, words: ReadonlySet<string>])[] = (
	[
		[
			"license_changes",
			"change changes changed compare comparison diff difference delta moves movers new gone",
		],
		["license_history", "history timeline past"],
		["verify_licenses", "verify verification validate check bulk"],
		[
			"aggregate_licenses",
			"aggregate count counts group top rank ranking totals office offices brokerages cities",
		],
		["list_snapshots", "snapshot snapshots month months"],
		["list_states", "states provinces jurisdictions"],
		["get_stats", "stats statistics summary overview statuses types vocabulary values"],
		["suggest", "suggest suggestions autocomplete typeahead complete"],
		["whoami", "me key account usage quota limits"],
		[
			"search_licenses",
			"search find lookup query filter number name agent agents people person licensees licenses",
		],
	] as const
).map(([tool, words]) => [tool, new Set(words.split(" "))]);

/** `; did you mean "x"?` for `given`, of the tools named `offered`; "" where none is meant. */
export function didYouMeanTool(given: string, offered: readonly string[]): string {
	const slip = didYouMeanName(given, offered);
	if (slip !== "") return slip;
	const words = given
		.slice(0, 100)
		.replaceAll(/([a-z])([A-Z])/g, "$1_$2")
		.toLowerCase()
		.split(/[^a-z]+/);
	const meant = WORDS_BY_TOOL.find(
		([tool, known]) => offered.includes(tool) && words.some((word) => known.has(word)),
	);
	return suggested(meant === undefined ? [] : [meant[0]]);
}

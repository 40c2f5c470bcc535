/** What the settings of a build are called where they are given, for messages that name them. */

export interface SettingNames {
	/** What accepts the failure of `gates`. */
	accept(gates: readonly string[]): string;
	/** What replaces a published month. */
	readonly replace: string;
	/** What corrects some states of a published month. */
	readonly merge: string;
	/** What takes states from another month. */
	readonly carry: string;
	/** What chooses that month; null: nothing does. */
	readonly from: string | null;
	/** What states the month. */
	readonly month: string;
}

/** Flags of `build`. */
export const FLAG_NAMES: SettingNames = {
	accept: (gates) => `--accept ${gates.join(",")}`,
	replace: "--replace",
	merge: "--merge-state",
	carry: "--carry",
	from: "--from",
	month: "--month YYYY-MM",
};

/** Settings of a rule of a watched folder. */
export const RULE_NAMES: SettingNames = {
	accept: (gates) => `"accept": ${JSON.stringify(gates)} in its rule`,
	replace: '"replace": true in its rule',
	merge: '"mergeState"',
	carry: '"carry"',
	from: null,
	month: "a drop's name with YYYY-MM",
};

/** Where licensees live: in their own jurisdiction, or in another one of the same country. */

import { invariant } from "../../formats/index.js";
import type { Gazetteer, Places } from "./places.js";
import type { Profile } from "./profiles.js";
import { type Sampler, samplerOf } from "./random.js";
import { type TextTable, textTable } from "./text-table.js";

/** A jurisdiction as a place of residence. */
export interface Residence {
	readonly profile: Profile;
	readonly places: Places;
	/** Its code, as a table of one text. */
	readonly state: TextTable;
}

/** The jurisdictions of a country, drawn by size. */
export interface Residences {
	readonly list: readonly Residence[];
	readonly sampler: Sampler;
}

export function residenceIn(profile: Profile, gazetteer: Gazetteer): Residence {
	const { state } = profile.jurisdiction;
	const places = gazetteer.places.get(state);
	invariant(places !== undefined, `the gazetteer has no place in ${state}`);
	return { profile, places, state: textTable([state]) };
}

export function residencesIn(profiles: readonly Profile[], gazetteer: Gazetteer): Residences {
	return {
		list: profiles.map((profile) => residenceIn(profile, gazetteer)),
		sampler: samplerOf(profiles.map((profile) => profile.thousands)),
	};
}

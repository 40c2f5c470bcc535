/**
 * The licensing jurisdictions: every state, district and territory of the United States and every
 * province and territory of Canada, by postal code. A code names one country, so a row's country
 * follows from its state.
 */

export type CountryCode = "US" | "CA";

export interface Jurisdiction {
	readonly state: string;
	readonly name: string;
	readonly country: CountryCode;
}

const UNITED_STATES =
	"AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|" +
	"DC District of Columbia|FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|" +
	"KY Kentucky|LA Louisiana|ME Maine|MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|" +
	"MO Missouri|MT Montana|NE Nebraska|NV Nevada|NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|" +
	"NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|OR Oregon|PA Pennsylvania|RI Rhode Island|" +
	"SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|VA Virginia|WA Washington|" +
	"WV West Virginia|WI Wisconsin|WY Wyoming|PR Puerto Rico|GU Guam|VI U.S. Virgin Islands|AS American Samoa|" +
	"MP Northern Mariana Islands";

const CANADA =
	"AB Alberta|BC British Columbia|MB Manitoba|NB New Brunswick|NL Newfoundland and Labrador|NS Nova Scotia|" +
	"NT Northwest Territories|NU Nunavut|ON Ontario|PE Prince Edward Island|QC Quebec|SK Saskatchewan|YT Yukon";

function parse(list: string, country: CountryCode): Jurisdiction[] {
	return list.split("|").map((entry) => ({ state: entry.slice(0, 2), name: entry.slice(3), country }));
}

/** Every jurisdiction, United States first. */
export const JURISDICTIONS: readonly Jurisdiction[] = [...parse(UNITED_STATES, "US"), ...parse(CANADA, "CA")];

const byState = new Map(JURISDICTIONS.map((j) => [j.state, j]));

/** The jurisdiction with the upper-case postal code `state`, or undefined. */
export function findJurisdiction(state: string): Jurisdiction | undefined {
	return byState.get(state);
}

/** Instructions that an agent reads before any tool. */

export const INSTRUCTIONS = [
	"Rollcall answers from monthly snapshots of real-estate license records of US states and Canadian provinces. It is read-only.",
	"Status and type vocabularies differ by state (Active, Licensed, Current…): call get_stats with the state before you filter by license_status or member_type, which match exactly.",
	"City matches exactly, last_name and office_name by prefix; suggest finds spellings.",
	"Searches return 25 rows and a few columns by default; ask for more with limit and fields, page on with the arguments in next, and read pagination.total instead of counting rows. page × limit may not exceed 50,000: add filters to reach deeper.",
	"Without snapshot the latest month is asked; earlier months and license_history need a key with history. whoami tells what the key may read and how much of its limits is left.",
	"A refused call says why as error code, message and param, and how to go on. The resource rollcall://columns explains every column.",
].join("\n");

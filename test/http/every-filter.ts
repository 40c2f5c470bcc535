/** For every filter, a query of the fixture's month that uses it alone and that some rows match and some do not. */

import type { FilterName } from "../../formats/index.js";

export const EVERY_FILTER: Readonly<Record<FilterName, string>> = {
	country: "country=CA",
	state: "state=TX&state=QC",
	name: "name=smiht+given3",
	first_name: "first_name=GIVEN3",
	last_name: "last_name=garci&last_name=o'b",
	member_type: "member_type=Broker&member_type=Sales+Agent",
	type_not: "type_not=Broker&type_not=Sales+Agent",
	city: "city=Austin&city=San+José",
	city_not: "city_not=Austin",
	postal_code: "postal_code=90001&postal_code=90007",
	postal_prefix: "postal_prefix=90001",
	office_name: "office_name=acme&office_name=smart",
	office_name_is: "office_name_is=ACME,+realty",
	license_number: "license_number=CA-12&license_number=TX-3",
	license_status: "license_status=Active&license_status=Actif",
	status_not: "status_not=Expired&status_not=Active",
	issued_after: "issued_after=2021-06-01",
	issued_before: "issued_before=2021-06-01",
	expires_after: "expires_after=2027-01-01",
	expires_before: "expires_before=2027-01-01",
	first_issued_after: "first_issued_after=2020-02-01",
	first_issued_before: "first_issued_before=2020-02-01",
	status_group: "status_group=active&status_group=suspended",
	type_group: "type_group=broker",
	present: "present=office_name,matched_email",
	missing: "missing=office_name",
};

/** The name of a filter with a letter twice. */
export function misspelled(name: string): string {
	const at = name.length >> 1;
	return `${name.slice(0, at)}${name[at]}${name.slice(at)}`;
}

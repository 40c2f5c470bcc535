/** What refusals of parameters advise where another name is usual, or another filter takes several values (docs/API.md §1.7). */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ServedFixture } from "./served.js";
import { ANY_TRANSPORT } from "./transports.js";

const REFUSED: readonly (readonly [path: string, query: string, message: RegExp])[] = [
	[
		"/v1/licenses",
		"office_name_is=a&office_name_is=b",
		/give it once; office_name \(prefix\) takes several$/,
	],
	["/v1/licenses", "postal_prefix=6&postal_prefix=7", /give it once; postal_code \(exact\) takes several$/],
	["/v1/licenses", "name=a&name=b", /given more than once; give it once$/],
	[
		"/v1/licenses",
		"county=Cook",
		/"county": rows have no county; city, postal_code and postal_prefix filter/,
	],
	["/v1/licenses", "member_county=Cook", /: rows have no county; /],
	["/v1/states", "county=Cook", /no parameter "county"\. The/],
	["/v1/licenses", "email=a@b.c", /: member_email, matched_email are columns without a filter here; fields,/],
	["/v1/changes", "phone=1", /: member_preferred_phone, matched_phone are columns .* take their names\. The/],
	[
		"/v1/licenses",
		"broker=x",
		/: office_broker_name is a column without a filter here; .* take its name\. The/,
	],
	[
		"/v1/licenses/32200000001",
		"address=x",
		/: member_address is a column without a filter here; fields takes/,
	],
	["/v1/aggregate", "by=state,expires_year", /no dimension "expires_year"; did you mean "expires_month"\?/],
	["/v1/aggregate", "by=expiration_date", /; did you mean "expires_month"\?/],
	["/v1/aggregate", "by=issue_date", /; did you mean "issued_month" or "issued_year"\?/],
	["/v1/aggregate", "by=licensed_since", /; did you mean "first_issued_month" or "first_issued_year"\?/],
	["/v1/aggregate", "by=state&percent=true", /no parameter "percent"\. The/],
	["/v1/licenses", "expires_within_days=60", /did you mean "expires_before"\?/],
	["/v1/licenses", "expiring_in_days=60", /did you mean "expires_before"\?/],
	["/v1/licenses", "expires_between=x", /did you mean "expires_after" or "expires_before"\?/],
	["/v1/licenses", "expires_month=2026-12", /did you mean "expires_after" or "expires_before"\?/],
	["/v1/changes", "issued_year=2026", /did you mean "issued_after" or "issued_before"\?/],
	["/v1/licenses", "first_issued_year=2026", /mean "first_issued_after" or "first_issued_before"\?/],
	[
		"/v1/licenses",
		"office_name_not=Acme",
		/: only type_not, city_not, status_not leave values out; ask without it,/,
	],
	["/v1/aggregate", "by=state&exclude_state=TX", /: only type_not, city_not, status_not leave values out; /],
	["/v1/licenses", "exclude_city=Plano", /did you mean "city_not"\?/],
	["/v1/licenses", "license_status_not=A", /did you mean "status_not"\?/],
	["/v1/states", "state_not=TX", /no parameter "state_not"\. The/],
	["/v1/licenses", "citty=", /^no parameter "citty"; did you mean "city"\?/],
	["/v1/licenses", "citty", /^no parameter "citty"; did you mean "city"\?/],
	["/v1/licenses", "stat=CA&stat=TX", /^no parameter "stat"; did you mean "state"\?/],
	["/v1/licenses", "citty=%ff", /^no parameter "citty"; did you mean "city"\?/],
	["/v1/states", "county", /^no parameter "county"\. The/],
	["/v1/me", "verbose", /^no parameter "verbose"; none is taken here$/],
	["/v1/licenses", "city=", /^city is empty; leave it out/],
	["/v1/licenses", "api_key=", /^keys are not read from the query string/],
	["/v1/licenses/32200000001", "id=", /^id is empty; leave it out/],
	["/docs", "print", /^no parameter "print"; none is taken here$/],
	["/v1/licenses", "state=Canada", /no state or province "Canada": it is a country\. The codes/],
	["/v1/licenses", "state=U.S.A.", /"U\.S\.A\.": it is a country\. The codes/],
	["/v1/licenses", "state=Cancun", /"Cancun"\. The codes/],
];

test("refusals of parameters tell what there is instead", async (t) => {
	const served = await ServedFixture.start(ANY_TRANSPORT);
	t.after(() => served.close());
	const key = await served.key();
	for (const [path, query, message] of REFUSED) {
		const refusal = await served.refused(`${path}?${query}`, key);
		assert.equal(refusal.code, "invalid_parameter");
		assert.match(refusal.message, message, query);
	}
});

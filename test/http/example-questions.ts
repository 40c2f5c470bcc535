/** The requests whose answers are the documentation's examples, by name. */

export const EXAMPLE_QUESTIONS: Readonly<Record<string, string>> = {
	"/v1/health": "/v1/health",
	"/v1/me": "/v1/me",
	"/v1/usage": "/v1/usage?days=3",
	"/v1/snapshots": "/v1/snapshots",
	"/v1/states": "/v1/states?country=CA",
	"/v1/stats": "/v1/stats?state=WY",
	"/v1/suggest": "/v1/suggest?field=city&q=san&state=CA&limit=3",
	"/v1/licenses": "/v1/licenses?state=CA&last_name=smi&sort=member_license_expires&limit=2",
	"/v1/aggregate": "/v1/aggregate?by=office_name&state=CA&status_group=active&present=office_name&top=3",
	"/v1/licenses/{id}": "/v1/licenses/32200000001",
	"/v1/licenses/history": "/v1/licenses/history?id=32200000001&fields=id,snapshot,member_license_status",
	"/v1/changes": "/v1/changes?state=CA&kind=changed&limit=1&fields=id,member_full_name,office_name",
	"/v1/verify":
		"/v1/verify?license=CA:08151198:Smith&license=CA:521335&fields=id,member_full_name,member_state_license_number",
	"/v1/offices": "/v1/offices?state=WY&limit=2",
	csv: "/v1/licenses?state=CA&city=San+Jose&format=csv&limit=3&fields=id,member_full_name,office_name",
	ndjson: "/v1/licenses?state=CA&city=San+Jose&format=ndjson&limit=3&fields=id,member_full_name,office_name",
};

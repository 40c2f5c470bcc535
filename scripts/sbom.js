// Prints what the product is made of as CycloneDX 1.5: every package of package-lock.json that is not for
// development alone or of which it has copies (copied-packages.js), with its licence, checksum and whether it runs
// a script at install. npm's own `npm sbom` leaves out packages that something else needs in development too.
//
// `--licences` prints the licences instead, each with its packages.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { COPIED_PACKAGES } from "./copied-packages.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const { name, version } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"));
const lock = JSON.parse(readFileSync(`${root}/package-lock.json`, "utf8"));

/** Packages by name and version; an alias counts under the name it is published by. */
function productionPackages() {
	const packages = new Map();
	const copied = new Set(COPIED_PACKAGES.map(({ from }) => `node_modules/${from}`));
	for (const [path, entry] of Object.entries(lock.packages)) {
		if (path === "" || (entry.dev === true && !copied.has(path))) continue;
		const published = entry.name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
		packages.set(`${published}@${entry.version}`, { published, ...entry });
	}
	return [...packages].sort(([a], [b]) => (a < b ? -1 : 1));
}

function componentOf([reference, { published, version, integrity, license, optional, hasInstallScript }]) {
	const [algorithm, digest] = integrity.split("-", 2);
	return {
		type: "library",
		"bom-ref": reference,
		name: published,
		version,
		scope: optional === true ? "optional" : "required",
		purl: `pkg:npm/${published.replace("@", "%40")}@${version}`,
		hashes: [
			{
				alg: algorithm.toUpperCase().replace("SHA", "SHA-"),
				content: Buffer.from(digest, "base64").toString("hex"),
			},
		],
		licenses: [/[ ()]/.test(license) ? { expression: license } : { license: { name: license } }],
		properties: [{ name: "npm:hasInstallScript", value: String(hasInstallScript === true) }],
	};
}

const packages = productionPackages();
if (process.argv.includes("--licences")) {
	const byLicence = grouped(packages);
	for (const [licence, those] of byLicence)
		console.log(`${licence} (${those.length}): ${those.map(([reference]) => reference).join(", ")}`);
} else {
	const document = {
		bomFormat: "CycloneDX",
		specVersion: "1.5",
		version: 1,
		metadata: { component: { type: "application", "bom-ref": `${name}@${version}`, name, version } },
		components: packages.map(componentOf),
	};
	console.log(JSON.stringify(document, null, "\t"));
}

function grouped(entries) {
	const groups = new Map();
	for (const entry of entries) {
		const { license } = entry[1];
		groups.set(license, [...(groups.get(license) ?? []), entry]);
	}
	return groups;
}

// Packages of which only some files are used, by browsers. `npm run compile` copies those into dist/, with their
// licences, so that an installation has neither the package nor what it depends on.

/** `from` below node_modules/, `to` below dist/. */
export const COPIED_PACKAGES = [
	{
		// It depends on @scarf/scarf, which reports each installation to its maker.
		from: "swagger-ui-dist",
		to: "server/reference/browser",
		files: [
			"swagger-ui-bundle.js",
			"swagger-ui.css",
			"LICENSE",
			"NOTICE",
			// Licences of what the script was bundled from; its first line names this file.
			"swagger-ui-bundle.js.LICENSE.txt",
		],
	},
];

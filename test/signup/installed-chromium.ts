/** The Chromium that tests of pages run in. */

import { existsSync } from "node:fs";

/** Its program; undefined where none is installed. */
export const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
	(path) => existsSync(path),
);
/** Why tests in Chromium are skipped; false: they are not. */
export const skip = CHROMIUM === undefined ? "no Chromium is installed" : false;

/** Started by a test, several at once: opens the store of a data folder so many times, and creates so many keys each time. */

import { Store } from "../../server/store/store.js";
import { addKey } from "./scratch.js";

const [dataFolder, openings, keys] = process.argv.slice(2);
if (dataFolder === undefined) throw new Error("usage: create-keys DATA_FOLDER OPENINGS KEYS");
for (let opening = 0; opening < Number(openings); opening++) {
	const store = Store.open({ dataFolder, create: true });
	for (let key = 0; key < Number(keys); key++) await addKey(store);
	await store.close();
}

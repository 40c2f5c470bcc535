/** One {@link Grant} for all keys of the same scope, so that caches keyed by grant are shared between keys. */

import type { Key } from "../../keys/key.js";
import { Grant } from "./grant.js";

/** Maximum grants cached: the distinct scopes among the keys in use. */
const GRANTS_MAX = 1_024;

export class GrantCache {
	private readonly byKey = new WeakMap<Key, Grant>();
	private readonly byTag = new Map<string, Grant>();

	/** The grant of `key`. Cost: one lookup. */
	of(key: Key): Grant {
		const known = this.byKey.get(key);
		if (known !== undefined) return known;
		const grant = this.byTag.get(key.scopeTag) ?? new Grant(key);
		if (this.byTag.size >= GRANTS_MAX) this.byTag.clear();
		this.byTag.set(grant.tag, grant);
		this.byKey.set(key, grant);
		return grant;
	}
}

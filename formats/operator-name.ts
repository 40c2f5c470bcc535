/** Who runs a command, as months' manifests and the keys' audit log record it. */

import { userInfo } from "node:os";

/** The OS user's name; `uid N` for a user that the system has no name for, as in many containers. */
export function operatorName(): string {
	try {
		return userInfo().username;
	} catch {
		return `uid ${process.getuid?.() ?? "unknown"}`;
	}
}

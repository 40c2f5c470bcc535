/**
 * Opens a store by its address: `s3://BUCKET/PREFIX`, or `https://HOST/PATH` for a read-only one. Credentials
 * come from the environment or from a file, never from the address.
 */

import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ObjectStoreError } from "./errors.js";
import { HttpsStore } from "./https-store.js";
import type { ObjectStore } from "./object-store.js";
import { type S3Credentials, S3Store, s3Address } from "./s3-store.js";

/** Throws {@link ObjectStoreError} `bad_store_url` or `missing_credentials`. */
export function openStore(url: string, environment: NodeJS.ProcessEnv): ObjectStore {
	if (/^https?:\/\//.test(url)) return new HttpsStore(url);
	const address = s3Address(url, environment);
	return new S3Store(address, credentialsOf(environment));
}

function credentialsOf(environment: NodeJS.ProcessEnv): S3Credentials {
	const accessKeyId = environment.AWS_ACCESS_KEY_ID;
	const secretAccessKey = environment.AWS_SECRET_ACCESS_KEY;
	const sessionToken = environment.AWS_SESSION_TOKEN;
	if (accessKeyId && secretAccessKey) {
		return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
	}
	const path = environment.AWS_SHARED_CREDENTIALS_FILE || join(homedir(), ".aws", "credentials");
	const profile = environment.AWS_PROFILE || "default";
	const settings = existsSync(path) ? profileSettings(readFileSync(path, "utf8"), profile) : new Map();
	const fromFile = {
		accessKeyId: settings.get("aws_access_key_id"),
		secretAccessKey: settings.get("aws_secret_access_key"),
	};
	if (!fromFile.accessKeyId || !fromFile.secretAccessKey) {
		throw new ObjectStoreError(
			"missing_credentials",
			`set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or put them into profile ${profile} of ${path}`,
		);
	}
	const token = settings.get("aws_session_token");
	return { ...fromFile, ...(token ? { sessionToken: token } : {}) };
}

/** `key = value` lines below `[profile]`. */
function profileSettings(text: string, profile: string): Map<string, string> {
	const settings = new Map<string, string>();
	let current = "";
	for (const line of text.split(/\r?\n/)) {
		const section = /^\s*\[([^\]]+)\]/.exec(line);
		if (section !== null) current = section[1].trim();
		const setting = /^\s*([a-z_]+)\s*=\s*(\S+)\s*$/.exec(line);
		if (setting !== null && current === profile) settings.set(setting[1], setting[2]);
	}
	return settings;
}

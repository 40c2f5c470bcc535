/** A self-signed certificate for servers of tests, made by openssl. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** Why tests that need a certificate are skipped; false: they are not. */
export const NO_OPENSSL: false | string =
	spawnSync("openssl", ["version"]).status === 0 ? false : "needs openssl: apt-get install openssl";

export interface Certificate {
	/** Paths of PEM files. */
	readonly key: string;
	readonly cert: string;
}

/** Makes `key.pem` and `cert.pem` in `folder`, for 127.0.0.1, localhost and rollcall.example, valid for two days. */
export function makeCertificate(folder: string): Certificate {
	const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
	const names = "subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:rollcall.example";
	const subject = ["-subj", "/CN=rollcall.example", "-addext", names, "-days", "2", "-nodes"];
	const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
	const settings = ["req", "-x509", ...curve, ...subject, "-keyout", key, "-out", cert];
	const made = spawnSync("openssl", settings, { encoding: "utf8" });
	if (made.status !== 0) throw new Error(`openssl: ${made.error?.message ?? made.stderr}`);
	return { key, cert };
}

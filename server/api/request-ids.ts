/** Request ids: 96 random bits each, so that they reveal neither a count of requests nor their order. */

import { randomBytes } from "node:crypto";

const ID_BYTES = 12;
const ID_CHARACTERS = (ID_BYTES * 4) / 3;
/** Ids made at a time, since the random source costs more per call than per byte. */
const BATCH = 256;

export class RequestIds {
	private batch = "";
	private at = 0;

	/** A new id of 16 URL-safe characters. */
	next(): string {
		if (this.at === this.batch.length) {
			this.batch = randomBytes(ID_BYTES * BATCH).toString("base64url");
			this.at = 0;
		}
		const id = this.batch.slice(this.at, this.at + ID_CHARACTERS);
		this.at += ID_CHARACTERS;
		return id;
	}
}

/**
 * The log: one JSON line per event on stdout (pino). It contains neither keys nor rows: requests are identified
 * by their id.
 */

import { type Logger, pino } from "pino";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export type Log = Logger;

/** Destination of lines. */
export interface LogStream {
	write(line: string): void;
}

/** Bytes of lines that wait while they cannot be written; lines beyond are lost. */
const WAITING_BYTES_MAX = 1 << 20;

/** A log at `level`. Lines are written before the call returns, so that none is lost at exit. */
export function createLog(level: (typeof LOG_LEVELS)[number], stream: LogStream = standardOutput()): Log {
	return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}

/** Where writing fails, as to a file on a full disk, the service goes on; lines are written with the next that succeeds. */
function standardOutput(): LogStream {
	const stream = pino.destination({ fd: 1, sync: true, maxLength: WAITING_BYTES_MAX });
	return stream.on("error", () => undefined);
}

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

/** A log at `level`. Lines are written before the call returns, so that none is lost at exit. */
export function createLog(
	level: (typeof LOG_LEVELS)[number],
	stream: LogStream = pino.destination({ fd: 1, sync: true }),
): Log {
	return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, stream);
}

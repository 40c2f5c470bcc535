/**
 * Ends this process with the npm that started it. npm hands SIGTERM and SIGINT on, but one that is killed,
 * or loses its terminal, leaves its script running: a server would hold its port with nobody to stop it.
 */

const CHECK_INTERVAL_MS = 250;

/**
 * Under `npm run`, sends this process SIGTERM once its parent is gone; does nothing elsewhere. The scripts
 * of package.json use `exec`, so that the parent is npm and not a shell that outlives it.
 */
export function endWithNpm(): void {
	if (process.env.npm_lifecycle_event === undefined) return;
	const parent = process.ppid;
	const timer = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(timer);
		process.kill(process.pid, "SIGTERM");
	}, CHECK_INTERVAL_MS);
	timer.unref();
}

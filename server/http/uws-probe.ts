/**
 * Loads the uWebSockets.js binary given as argument, serves one request with it and exits with 0. Run by
 * uws-library.ts in a process of its own, which a binary that does not fit may crash.
 */

import { createRequire } from "node:module";
import { connect } from "node:net";
import type { UwsLibrary } from "./uws-library.js";

const uws = createRequire(import.meta.url)(process.argv[2]) as UwsLibrary;
const app = uws.App();
app.any("/*", (response) => {
	response.writeStatus("200 OK").tryEnd("ok", 2);
});
app.listen("127.0.0.1", 0, (socket) => {
	if (socket === false) throw new Error("it does not listen");
	const client = connect(uws.us_socket_local_port(socket), "127.0.0.1");
	client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
	client.once("data", (answer) => {
		if (!answer.toString("latin1").startsWith("HTTP/1.1 200 OK\r\n")) throw new Error("it does not answer");
		// Newer versions abort a process that ends while it listens.
		uws.us_listen_socket_close(socket);
		process.exit(0);
	});
});

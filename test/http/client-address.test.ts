/** The address that a request is attributed to, which only trusted proxies can change. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
	ClientAddresses,
	isLoopback,
	isNetwork,
	networkOf,
	normalAddress,
} from "../../server/http/client-address.js";

test("an address has one spelling over both transports", () => {
	const spellings = [
		["10.1.2.3", "10.1.2.3"],
		["::ffff:10.1.2.3", "10.1.2.3"],
		["0000:0000:0000:0000:0000:ffff:0a01:0203", "10.1.2.3"],
		["::1", "0:0:0:0:0:0:0:1"],
		["0000:0000:0000:0000:0000:0000:0000:0001", "0:0:0:0:0:0:0:1"],
		["2001:DB8::a", "2001:db8:0:0:0:0:0:a"],
		["fe80::1%eth0", "fe80:0:0:0:0:0:0:1"],
		["::", "0:0:0:0:0:0:0:0"],
		["2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6"],
		["64:ff9b::10.1.2.3", "64:ff9b:0:0:0:0:a01:203"],
		["", ""],
		["unix", "unix"],
	];
	for (const [text, normal] of spellings) assert.equal(normalAddress(text), normal, text);
});

test("an IPv6 client counts by its network, an IPv4 client by its address", () => {
	assert.equal(networkOf(normalAddress("2001:db8:1:2:aaaa::1")), networkOf(normalAddress("2001:db8:1:2::7")));
	assert.notEqual(networkOf(normalAddress("2001:db8:1:2::1")), networkOf(normalAddress("2001:db8:1:3::1")));
	assert.equal(networkOf("10.1.2.3"), "10.1.2.3");
});

test("every loopback address is this machine", () => {
	for (const text of ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1"])
		assert.ok(isLoopback(normalAddress(text)), text);
	for (const text of ["10.0.0.1", "128.0.0.1", "::2", ""]) assert.ok(!isLoopback(normalAddress(text)), text);
});

test("X-Forwarded-For is read from the right, through trusted proxies only", () => {
	const addresses = new ClientAddresses(["10.0.0.0/8", "192.0.2.1", "fd00::/8"]);
	const cases: [peer: string, forwardedFor: string | null, client: string][] = [
		["198.51.100.7", null, "198.51.100.7"],
		["198.51.100.7", "203.0.113.9", "198.51.100.7"],
		["10.0.0.2", null, "10.0.0.2"],
		["10.0.0.2", "203.0.113.9:51234", "203.0.113.9"],
		["10.0.0.2", "[2001:db8::9]", "2001:db8:0:0:0:0:0:9"],
		["10.0.0.2", "[2001:db8::9]:443", "2001:db8:0:0:0:0:0:9"],
		["10.0.0.2", "203.0.113.9:1, [fd00::1]:2, 10.0.0.3:3", "203.0.113.9"],
		["10.0.0.2", "[203.0.113.9", "10.0.0.2"],
		["10.0.0.2", "203.0.113.9:port", "10.0.0.2"],
		["10.0.0.2", "203.0.113.9:123456", "10.0.0.2"],
		["10.0.0.2", "203.0.113.9", "203.0.113.9"],
		["::ffff:10.0.0.2", "203.0.113.9", "203.0.113.9"],
		["10.0.0.2", "1.1.1.1, 203.0.113.9", "203.0.113.9"],
		["10.0.0.2", "1.1.1.1, 203.0.113.9, 192.0.2.1", "203.0.113.9"],
		["10.0.0.2", "203.0.113.9,fd00::5 , 192.0.2.1", "203.0.113.9"],
		["10.0.0.2", "203.0.113.9, unknown", "10.0.0.2"],
		["10.0.0.2", "203.0.113.9, ", "10.0.0.2"],
		["10.0.0.2", "", "10.0.0.2"],
		["10.0.0.2", "2001:db8::1", "2001:db8:0:0:0:0:0:1"],
		["10.0.0.2", "10.0.0.3", "10.0.0.3"],
		["10.0.0.2", `203.0.113.9${", 10.0.0.9".repeat(15)}`, "203.0.113.9"],
		["10.0.0.2", `203.0.113.9${", 10.0.0.9".repeat(1_000)}`, "10.0.0.9"],
	];
	for (const [peer, forwardedFor, client] of cases)
		assert.equal(addresses.client(peer, forwardedFor), client, `${peer} ${forwardedFor?.slice(0, 80)}`);
	assert.equal(new ClientAddresses([]).client("10.0.0.2", "203.0.113.9"), "10.0.0.2");
});

test("a trusted proxy is an address or a network", () => {
	for (const text of ["10.0.0.1", "10.0.0.0/8", "::1", "fd00::/8", "0.0.0.0/0", "::/128"])
		assert.ok(isNetwork(text), text);
	for (const text of [
		"",
		"10.0.0",
		"10.0.0.1/33",
		"::1/129",
		"10.0.0.0/8/8",
		"proxy",
		"10.0.0.0/",
		"fe80::1%e0",
	])
		assert.ok(!isNetwork(text), text);
});

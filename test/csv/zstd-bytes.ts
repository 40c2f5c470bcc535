/** zstd frames made by hand, so that their headers can claim anything. */

/** A zstd frame with a window of 2^`exponent` bytes and one raw block. */
export function zstdFrame(exponent: number, content: string): Buffer {
	const header = [0x28, 0xb5, 0x2f, 0xfd, 0x00, (exponent - 10) << 3];
	const block = (content.length << 3) | 1;
	return Buffer.concat([Buffer.from([...header, block & 0xff, block >> 8, 0]), Buffer.from(content)]);
}

/** The module assembled from ../count-common.wat by scripts/generate-wasm.js, in base64. */

export const COUNT_COMMON_MODULE =
	"AGFzbQEAAAABCAFgA39/fwF/AhABBGhvc3QGbWVtb3J5AgABAwIBAAcJAQVjb3VudAAACmMBYQIBfwF7IAAgAmohAwJAIAAgA08NAANAIAQgAP0AAAAgAf0AAAD9Tv1i/X39f/2uASEEIABBEGohACABQRBqIQEgACADSQ0ACwsgBP0bACAE/RsBaiAE/RsCIAT9GwNqags=";

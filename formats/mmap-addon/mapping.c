/*
 * Maps files read-only into memory, for formats/mmap.ts. Node-API only, so that one binary serves
 * every Node version; no libc beyond what the node executable exports.
 *
 * map(descriptor, bytes) -> ArrayBuffer over the first `bytes` bytes of the file. The mapping is shared
 * with other processes and removed when the ArrayBuffer is collected. The descriptor may be closed at
 * once. Writing to the ArrayBuffer ends the process: the pages are not writable. Sizes are 64-bit.
 */

#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <node_api.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

static void unmap(napi_env env, void *address, void *bytes) {
	(void)env;
	munmap(address, (size_t)(uintptr_t)bytes);
}

static napi_value map(napi_env env, napi_callback_info info) {
	napi_value arguments[2];
	size_t count = 2;
	int32_t descriptor;
	int64_t bytes;
	if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL) != napi_ok || count != 2 ||
	    napi_get_value_int32(env, arguments[0], &descriptor) != napi_ok ||
	    napi_get_value_int64(env, arguments[1], &bytes) != napi_ok || bytes <= 0) {
		napi_throw_type_error(env, NULL, "map takes a descriptor and a positive number of bytes");
		return NULL;
	}
	void *address = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, descriptor, 0);
	if (address == MAP_FAILED) {
		napi_throw_error(env, "EMMAP", strerror(errno));
		return NULL;
	}
	napi_value buffer;
	if (napi_create_external_arraybuffer(env, address, (size_t)bytes, unmap, (void *)(uintptr_t)bytes, &buffer) != napi_ok) {
		munmap(address, (size_t)bytes);
		napi_throw_error(env, "EMMAP", "this runtime has no external array buffers");
		return NULL;
	}
	return buffer;
}

NAPI_MODULE_INIT() {
	napi_value function;
	if (napi_create_function(env, "map", NAPI_AUTO_LENGTH, map, NULL, &function) != napi_ok) return NULL;
	return napi_set_named_property(env, exports, "map", function) == napi_ok ? exports : NULL;
}

/*
 * The addon: what formats/ does outside JavaScript. Node-API only, so that one binary serves every Node version; no libc beyond
 * what the node executable exports.
 */

#include "addon.h"

int export_function(napi_env env, napi_value exports, const char *name, napi_callback callback) {
	napi_value function;
	return napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, NULL, &function) == napi_ok &&
	       napi_set_named_property(env, exports, name, function) == napi_ok;
}

int memory_of(napi_env env, napi_value array, size_t width, void **memory, size_t *elements) {
	napi_typedarray_type type;
	if (napi_get_typedarray_info(env, array, &type, elements, memory, NULL, NULL) != napi_ok) return 0;
	return type == (width == 4 ? napi_uint32_array : napi_uint8_array);
}

NAPI_MODULE_INIT() {
	const int exported = export_mapping(env, exports) && export_gather(env, exports) && export_crc32(env, exports);
	return exported ? exports : NULL;
}

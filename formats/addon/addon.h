/* What the parts of the addon have in common. A part exports its functions; 0: it could not. */

#ifndef ROLLCALL_ADDON_H
#define ROLLCALL_ADDON_H

#include <node_api.h>
#include <stddef.h>

int export_mapping(napi_env env, napi_value exports);
int export_gather(napi_env env, napi_value exports);
/* Exports nothing where the processor has no instructions for it. */
int export_crc32(napi_env env, napi_value exports);

int export_function(napi_env env, napi_value exports, const char *name, napi_callback callback);

/* The memory of a Uint8Array, or of a Uint32Array for a `width` of 4; 0 where the value is none. */
int memory_of(napi_env env, napi_value array, size_t width, void **memory, size_t *elements);

#endif

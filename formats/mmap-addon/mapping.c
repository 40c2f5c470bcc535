/*
 * Maps files read-only into memory, for formats/mmap.ts. Node-API only, so that one binary serves
 * every Node version; no libc beyond what the node executable exports.
 *
 * map(descriptor, bytes) -> a handle of the first `bytes` bytes of the file, mapped. The descriptor may be closed at
 * once. Sizes are 64-bit.
 * view(handle) -> ArrayBuffer over the mapping, once. Writing to it ends the process: the pages are not writable.
 * prefault(view) -> promise; in a thread of libuv's pool, maps those pages of the view that are in the page cache, so that
 * their first access is no page fault. Reads nothing from disk, except where the system does not tell what is cached,
 * as of files of another user that may not be written. Does nothing on other systems than Linux, and before Linux 5.14.
 *
 * The mapping is shared with other processes and removed when its ArrayBuffer, or a handle without one, is collected; the
 * former on Linux by a thread for all of them, since a gigabyte that was read takes a tenth of a second. The two steps are separate
 * since V8 counts the bytes of an ArrayBuffer as memory that a garbage collection could free, and collects after every
 * 64 MB: a handle costs a system call.
 */

#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <node_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__) && !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22
#endif

/* Pages that are asked about and mapped at once: the lock on the process's mappings is held that long. */
#define PREFAULT_PAGES 256
/* Bytes of a mapping that are removed at once, and the pause after them: other threads can map nothing meanwhile. */
#define REMOVED_BYTES ((size_t)1 << 20)
#define REMOVAL_PAUSE_NS 50000

struct mapping {
	/* NULL once an ArrayBuffer owns it. */
	void *address;
	size_t bytes;
};

#ifdef __linux__

/* Mappings that are still to be removed, by one thread for all, and whether it runs. */
static struct removal {
	struct removal *next;
	char *address;
	size_t bytes;
} *removals = NULL;
static int removing = 0;
static pthread_mutex_t removals_lock = PTHREAD_MUTEX_INITIALIZER;

static struct removal *next_removal(void) {
	pthread_mutex_lock(&removals_lock);
	struct removal *found = removals;
	if (found == NULL) removing = 0;
	else removals = found->next;
	pthread_mutex_unlock(&removals_lock);
	return found;
}

static void *remove_mappings(void *data) {
	const struct timespec pause = {0, REMOVAL_PAUSE_NS};
	(void)data;
	for (struct removal *removal; (removal = next_removal()) != NULL; free(removal)) {
		for (size_t at = 0; at < removal->bytes; at += REMOVED_BYTES) {
			const size_t left = removal->bytes - at;
			munmap(removal->address + at, left < REMOVED_BYTES ? left : REMOVED_BYTES);
			nanosleep(&pause, NULL);
		}
	}
	return NULL;
}

/* Has a mapping removed by a thread, which is made where none runs; returns whether it will be. */
static int remove_aside(void *address, size_t bytes) {
	struct removal *removal = malloc(sizeof *removal);
	pthread_t thread;
	if (removal == NULL) return 0;
	removal->address = address;
	removal->bytes = bytes;
	pthread_mutex_lock(&removals_lock);
	removal->next = removals;
	removals = removal;
	/* Where no thread can be made, the next removal tries again. */
	if (!removing && pthread_create(&thread, NULL, remove_mappings, NULL) == 0) {
		pthread_detach(thread);
		removing = 1;
	}
	pthread_mutex_unlock(&removals_lock);
	return 1;
}

#else

/* The code of a thread must never be unloaded, which the linker promises on Linux. */
static int remove_aside(void *address, size_t bytes) {
	(void)address;
	(void)bytes;
	return 0;
}

#endif

static void unmap(napi_env env, void *address, void *bytes) {
	(void)env;
	if (!remove_aside(address, (size_t)(uintptr_t)bytes)) munmap(address, (size_t)(uintptr_t)bytes);
}

static void release(napi_env env, void *handle, void *hint) {
	struct mapping *mapping = handle;
	(void)env;
	(void)hint;
	if (mapping->address != NULL) munmap(mapping->address, mapping->bytes);
	free(mapping);
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
	struct mapping *mapping = malloc(sizeof *mapping);
	if (mapping == NULL) {
		napi_throw_error(env, "EMMAP", "out of memory");
		return NULL;
	}
	mapping->bytes = (size_t)bytes;
	mapping->address = mmap(NULL, mapping->bytes, PROT_READ, MAP_SHARED, descriptor, 0);
	if (mapping->address == MAP_FAILED) {
		napi_throw_error(env, "EMMAP", strerror(errno));
		free(mapping);
		return NULL;
	}
	napi_value handle;
	if (napi_create_external(env, mapping, release, NULL, &handle) != napi_ok) {
		release(env, mapping, NULL);
		napi_throw_error(env, "EMMAP", "no handle could be made");
		return NULL;
	}
	return handle;
}

static napi_value view(napi_env env, napi_callback_info info) {
	napi_value argument, buffer;
	size_t count = 1;
	void *handle;
	if (napi_get_cb_info(env, info, &count, &argument, NULL, NULL) != napi_ok || count != 1 ||
	    napi_get_value_external(env, argument, &handle) != napi_ok || ((struct mapping *)handle)->address == NULL) {
		napi_throw_type_error(env, NULL, "view takes a handle that has no view yet");
		return NULL;
	}
	struct mapping *mapping = handle;
	void *bytes = (void *)(uintptr_t)mapping->bytes;
	if (napi_create_external_arraybuffer(env, mapping->address, mapping->bytes, unmap, bytes, &buffer) != napi_ok) {
		napi_throw_error(env, "EMMAP", "this runtime has no external array buffers");
		return NULL;
	}
	mapping->address = NULL;
	return buffer;
}

struct prefault {
	char *address;
	size_t bytes;
	/* Keeps the mapping while the work runs. */
	napi_ref view;
	napi_async_work work;
	napi_deferred done;
};

static void map_cached_pages(napi_env env, void *data) {
	(void)env;
#ifdef MADV_POPULATE_READ
	struct prefault *prefault = data;
	unsigned char cached[PREFAULT_PAGES];
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	for (size_t at = 0; at < prefault->bytes; at += PREFAULT_PAGES * page) {
		char *first = prefault->address + at;
		const size_t left = (prefault->bytes - at + page - 1) / page;
		const size_t pages = left < PREFAULT_PAGES ? left : PREFAULT_PAGES;
		if (mincore(first, pages * page, cached) != 0) return;
		for (size_t from = 0; from < pages;) {
			size_t to = from;
			while (to < pages && (cached[to] & 1) != 0) to++;
			if (to > from && madvise(first + from * page, (to - from) * page, MADV_POPULATE_READ) != 0) return;
			from = to + 1;
		}
	}
#else
	(void)data;
#endif
}

static void end_prefault(napi_env env, napi_status status, void *data) {
	struct prefault *prefault = data;
	napi_value nothing;
	(void)status;
	/* These fail only where the thread ends, when nobody waits. */
	napi_delete_reference(env, prefault->view);
	napi_delete_async_work(env, prefault->work);
	if (napi_get_undefined(env, &nothing) == napi_ok) napi_resolve_deferred(env, prefault->done, nothing);
	free(prefault);
}

static napi_value prefault(napi_env env, napi_callback_info info) {
	napi_value view, promise, name;
	size_t count = 1;
	void *address;
	size_t bytes;
	if (napi_get_cb_info(env, info, &count, &view, NULL, NULL) != napi_ok || count != 1 ||
	    napi_get_arraybuffer_info(env, view, &address, &bytes) != napi_ok) {
		napi_throw_type_error(env, NULL, "prefault takes a view");
		return NULL;
	}
	struct prefault *prefault = malloc(sizeof *prefault);
	if (prefault == NULL) {
		napi_throw_error(env, "EMMAP", "out of memory");
		return NULL;
	}
	prefault->address = address;
	prefault->bytes = bytes;
	if (napi_create_promise(env, &prefault->done, &promise) != napi_ok ||
	    napi_create_string_utf8(env, "prefault", NAPI_AUTO_LENGTH, &name) != napi_ok ||
	    napi_create_reference(env, view, 1, &prefault->view) != napi_ok) {
		free(prefault);
		napi_throw_error(env, "EMMAP", "no promise could be made");
		return NULL;
	}
	prefault->work = NULL;
	if (napi_create_async_work(env, NULL, name, map_cached_pages, end_prefault, prefault, &prefault->work) != napi_ok ||
	    napi_queue_async_work(env, prefault->work) != napi_ok) {
		if (prefault->work != NULL) napi_delete_async_work(env, prefault->work);
		napi_delete_reference(env, prefault->view);
		free(prefault);
		napi_throw_error(env, "EMMAP", "no work could be queued");
		return NULL;
	}
	return promise;
}

static int export(napi_env env, napi_value exports, const char *name, napi_callback callback) {
	napi_value function;
	return napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, NULL, &function) == napi_ok &&
	       napi_set_named_property(env, exports, name, function) == napi_ok;
}

NAPI_MODULE_INIT() {
	const int exported = export(env, exports, "map", map) && export(env, exports, "view", view) &&
	                     export(env, exports, "prefault", prefault);
	return exported ? exports : NULL;
}

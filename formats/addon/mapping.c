/*
 * Maps files read-only into memory, for formats/files/mmap.ts, and on Linux copies them into huge pages.
 *
 * map(descriptor, bytes, identity) -> a handle of the first `bytes` bytes of the file, mapped. The descriptor may be closed
 * at once. Sizes are 64-bit. Threads that map a file of one identity share the mapping; an empty identity is never shared.
 * view(handle) -> ArrayBuffer over the mapping, once. Writing to it ends the process: the pages are not writable.
 * prefault(view) -> promise; in a thread of libuv's pool, maps those pages of the view that are in the page cache, so that
 * their first access is no page fault. Reads nothing from disk, except where the system does not tell what is cached,
 * as of files of another user that may not be written. Does nothing on other systems than Linux, and before Linux 5.14.
 * hold(handle, descriptor, budget) -> whether the file, opened again as `descriptor`, which is closed here, is copied into
 * huge pages that take the mapping's place; false where these would be more than `budget` bytes with those that are still to be
 * copied, and for mappings that are not shared or have no view. A file that cannot be read stays mapped.
 * release(handle): undoes hold; the file is mapped again once no handle holds it.
 * held() -> bytes of huge pages now.
 *
 * Addresses never change: each step of a copy replaces pages by others of the same bytes, atomically for readers.
 *
 * The mapping is shared with other processes and removed when its last ArrayBuffer or handle is collected; if it was viewed, on
 * Linux by a thread that also copies, since a gigabyte that was read takes a tenth of a second. A handle and its view are two
 * steps since V8 counts the bytes of an ArrayBuffer as memory that a garbage collection could free, and collects after every
 * 64 MB: a handle costs a system call.
 */

#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <node_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "addon.h"

#if defined(__linux__) && !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22
#endif

/* Pages that are asked about and mapped at once: the lock on the process's mappings is held that long. */
#define PREFAULT_PAGES 256
/* Bytes of a huge page of x64 and arm64, which formats/files/mmap.ts compares with the system's. */
#define HUGE_BYTES ((size_t)1 << 21)
/* Pause after each huge page's bytes that are copied or removed: other threads can map nothing meanwhile. */
#define PAUSE_NS 50000
/* Bytes of a view that V8 counts: enough that views nobody uses are collected some time. */
#define COUNTED_BYTES_MAX (256 << 10)
/* More than twice what any thread has views of. */
#define RESERVE_BYTES ((int64_t)1 << 44)
/* Of an identity, with its end. */
#define IDENTITY_BYTES 96

/* A mapped file. The fields below `references` change under `files_lock` only. */
struct file {
	/* Of the list of shared files, or of those to be removed. */
	struct file *next;
	char *address;
	size_t bytes;
	/* Bytes of address space from `address` on: whole huge pages for a file that may be copied. */
	size_t span;
	/* Empty: not shared. */
	char identity[IDENTITY_BYTES];
	/* Handles and views. */
	int references;
	int viewed;
	/* Handles that hold it. */
	int holders;
	/* To read a copy from that is still to be made; -1: none is. */
	int descriptor;
	/* Bytes from `address` on that are in huge pages. */
	size_t copied;
	/* The file mapped a second time, to be put back; NULL unless some of it is copied. */
	char *source;
	/* Whether it could not be put back. */
	int stuck;
};

/* A thread's handle of a file. */
struct mapping {
	struct file *file;
	int viewed;
	int holds;
};

static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;
static struct file *files = NULL;

/* Bytes of huge pages for a file: what ends in a page of which less than half would be used stays mapped. */
static size_t huge_bytes(const struct file *file) {
	const size_t whole = file->bytes / HUGE_BYTES * HUGE_BYTES;
	return file->bytes - whole < HUGE_BYTES / 2 ? whole : whole + HUGE_BYTES;
}

#ifdef __linux__

/* Files whose mappings are still to be removed, and whether the thread for that runs. */
static struct file *removals = NULL;
static int tending = 0;

static void pause_for_others(void) {
	const struct timespec pause = {0, PAUSE_NS};
	nanosleep(&pause, NULL);
}

static void remove_range(char *address, size_t bytes) {
	for (size_t at = 0; at < bytes; at += HUGE_BYTES) {
		const size_t left = bytes - at;
		munmap(address + at, left < HUGE_BYTES ? left : HUGE_BYTES);
		pause_for_others();
	}
}

static size_t whole_pages(size_t bytes) {
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	return (bytes + page - 1) / page * page;
}

/* Address space of whole huge pages; NULL where there is none. */
static char *reserve(size_t bytes, int protection) {
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	char *found = mmap(NULL, bytes + HUGE_BYTES, protection, flags, -1, 0);
	if (found == MAP_FAILED) return NULL;
	const size_t before = (HUGE_BYTES - (uintptr_t)found % HUGE_BYTES) % HUGE_BYTES;
	if (before > 0) munmap(found, before);
	munmap(found + before + bytes, HUGE_BYTES - before);
	return found + before;
}

static int is_held(struct file *file) {
	pthread_mutex_lock(&files_lock);
	const int held = file->holders > 0;
	pthread_mutex_unlock(&files_lock);
	return held;
}

static void set_copied(struct file *file, size_t copied) {
	pthread_mutex_lock(&files_lock);
	file->copied = copied;
	pthread_mutex_unlock(&files_lock);
}

/* Reads bytes [at, at + HUGE_BYTES) of the file, as far as it goes. Returns whether all were read. */
static int read_piece(const struct file *file, int descriptor, size_t at, char *to) {
	const size_t left = file->bytes - at;
	const size_t end = left < HUGE_BYTES ? left : HUGE_BYTES;
	for (size_t done = 0; done < end;) {
		const ssize_t got = pread(descriptor, to + done, end - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR) continue;
		if (got <= 0) return 0;
		done += (size_t)got;
	}
	return 1;
}

static void remove_source(struct file *file) {
	if (file->source != NULL) munmap(file->source, whole_pages(file->bytes));
	file->source = NULL;
}

/* Replaces the file's pages by huge ones with its bytes, one by one, until nobody holds it. Goes on where it ended before. */
static void copy_file(struct file *file, int descriptor) {
	const size_t bytes = huge_bytes(file);
	if (file->source == NULL) {
		char *source = mremap(file->address, 0, whole_pages(file->bytes), MREMAP_MAYMOVE);
		if (source == MAP_FAILED) return;
		file->source = source;
	}
	size_t at = file->copied;
	size_t left = bytes - at;
	char *copy = reserve(left, PROT_READ | PROT_WRITE);
	if (copy != NULL && madvise(copy, left, MADV_HUGEPAGE) == 0) {
		/* A dump of the process needs no copies of files. */
		madvise(copy, left, MADV_DONTDUMP);
		while (left > 0 && is_held(file)) {
			/*
			 * The kernel provides and clears the huge page here, under the lock of this mapping. Within pread it would under that of
			 * all mappings, and a thread that allocates memory meanwhile waits, in some virtual machines for 8 ms.
			 */
			*(volatile char *)copy = 0;
			if (!read_piece(file, descriptor, at, copy)) break;
			/* On failure the file stays mapped: a mapping is never writable. */
			if (mprotect(copy, HUGE_BYTES, PROT_READ) != 0) break;
			char *to = file->address + at;
			if (mremap(copy, HUGE_BYTES, HUGE_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) break;
			/* Where it was, other threads may map something at once. */
			copy += HUGE_BYTES;
			left -= HUGE_BYTES;
			at += HUGE_BYTES;
			set_copied(file, at);
			pause_for_others();
		}
	}
	if (copy != NULL && left > 0) munmap(copy, left);
	if (at == 0) remove_source(file);
}

/* Maps the file again where huge pages are, from the last on, so that `copied` stays true. */
static void put_back(struct file *file) {
	const size_t mapped = whole_pages(file->bytes);
	for (size_t at = file->copied; at > 0;) {
		at -= HUGE_BYTES;
		char *to = file->address + at;
		const size_t bytes = mapped - at < HUGE_BYTES ? mapped - at : HUGE_BYTES;
		if (mremap(file->source + at, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) return;
		if (bytes < HUGE_BYTES) {
			const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
			mmap(to + bytes, HUGE_BYTES - bytes, PROT_NONE, flags, -1, 0);
		}
		set_copied(file, at);
		pause_for_others();
	}
	remove_source(file);
}

/* The next file that something is to be done for, but for removals; NULL: none. Under `files_lock`. */
static struct file *next_file(void) {
	for (struct file *file = files; file != NULL; file = file->next)
		if (file->descriptor >= 0 || (file->holders == 0 && file->copied > 0 && !file->stuck)) return file;
	return NULL;
}

static void drop_locked(struct file *file);

/* Removes, copies and puts back until nothing of that is left to do. */
static void *tend_files(void *data) {
	struct file *file;
	(void)data;
	pthread_mutex_lock(&files_lock);
	for (;;) {
		if ((file = removals) != NULL) {
			removals = file->next;
			pthread_mutex_unlock(&files_lock);
			remove_range(file->address, file->span);
			if (file->source != NULL) remove_range(file->source, whole_pages(file->bytes));
			/* Of a copy that was not begun. */
			if (file->descriptor >= 0) close(file->descriptor);
			free(file);
			pthread_mutex_lock(&files_lock);
			continue;
		}
		if ((file = next_file()) == NULL) break;
		const int descriptor = file->descriptor;
		const int copies = file->holders > 0;
		file->descriptor = -1;
		file->references++;
		pthread_mutex_unlock(&files_lock);
		/* Only this thread changes what is copied. */
		if (!copies && file->copied > 0) put_back(file);
		if (copies && file->copied < huge_bytes(file)) copy_file(file, descriptor);
		if (descriptor >= 0) close(descriptor);
		pthread_mutex_lock(&files_lock);
		file->stuck = !copies && file->copied > 0;
		drop_locked(file);
	}
	tending = 0;
	pthread_mutex_unlock(&files_lock);
	return NULL;
}

/* Has the thread do what is to be done; it is made where none runs. Under `files_lock`. */
static void tend(void) {
	pthread_t thread;
	/* Where no thread can be made, the next call tries again. */
	if (tending || pthread_create(&thread, NULL, tend_files, NULL) != 0) return;
	pthread_detach(thread);
	tending = 1;
}

#else

static char *reserve(size_t bytes, int protection) {
	(void)bytes;
	(void)protection;
	return NULL;
}

#endif

/* Gives up one reference. Under `files_lock`. */
static void drop_locked(struct file *file) {
	if (--file->references > 0) return;
	for (struct file **link = &files; *link != NULL; link = &(*link)->next) {
		if (*link != file) continue;
		*link = file->next;
		break;
	}
#ifdef __linux__
	if (file->viewed) {
		file->next = removals;
		removals = file;
		tend();
		return;
	}
#endif
	/* Without a thread, whose code must never be unloaded: the linker promises that on Linux only. */
	munmap(file->address, file->span);
	free(file);
}

static void drop(struct file *file) {
	pthread_mutex_lock(&files_lock);
	drop_locked(file);
	pthread_mutex_unlock(&files_lock);
}

static void unmap(napi_env env, void *address, void *file) {
	(void)env;
	(void)address;
	drop(file);
}

/* Under `files_lock`. */
static void stop_holding(struct mapping *mapping) {
	if (!mapping->holds) return;
	mapping->holds = 0;
	mapping->file->holders--;
#ifdef __linux__
	tend();
#endif
}

static void discard(napi_env env, void *handle, void *hint) {
	struct mapping *mapping = handle;
	(void)env;
	(void)hint;
	pthread_mutex_lock(&files_lock);
	stop_holding(mapping);
	drop_locked(mapping->file);
	pthread_mutex_unlock(&files_lock);
	free(mapping);
}

/* Maps a file anew. NULL: `errno` says why. */
static struct file *map_file(int descriptor, size_t bytes, const char *identity) {
	struct file *file = calloc(1, sizeof *file);
	if (file == NULL) return NULL;
	file->bytes = bytes;
	file->span = bytes;
	file->references = 1;
	file->descriptor = -1;
	strcpy(file->identity, identity);
	char *at = NULL;
	if (identity[0] != 0) {
		const size_t span = (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
		at = reserve(span, PROT_NONE);
		if (at != NULL) file->span = span;
	}
	file->address = mmap(at, bytes, PROT_READ, at == NULL ? MAP_SHARED : MAP_SHARED | MAP_FIXED, descriptor, 0);
	if (file->address != MAP_FAILED) return file;
	const int reason = errno;
	if (at != NULL) munmap(at, file->span);
	free(file);
	errno = reason;
	return NULL;
}

/* The file of an identity, of which a reference is taken; mapped where it is not. NULL: `errno` says why. */
static struct file *find_file(int descriptor, size_t bytes, const char *identity) {
	if (identity[0] == 0) return map_file(descriptor, bytes, identity);
	pthread_mutex_lock(&files_lock);
	struct file *file = files;
	while (file != NULL && (file->bytes != bytes || strcmp(file->identity, identity) != 0)) file = file->next;
	if (file != NULL) file->references++;
	else if ((file = map_file(descriptor, bytes, identity)) != NULL) {
		file->next = files;
		files = file;
	}
	pthread_mutex_unlock(&files_lock);
	return file;
}

static napi_value map(napi_env env, napi_callback_info info) {
	napi_value arguments[3];
	size_t count = 3, length;
	int32_t descriptor;
	int64_t bytes;
	char identity[IDENTITY_BYTES];
	if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL) != napi_ok || count != 3 ||
	    napi_get_value_int32(env, arguments[0], &descriptor) != napi_ok ||
	    napi_get_value_int64(env, arguments[1], &bytes) != napi_ok || bytes <= 0 ||
	    napi_get_value_string_latin1(env, arguments[2], identity, sizeof identity, &length) != napi_ok) {
		napi_throw_type_error(env, NULL, "map takes a descriptor, a positive number of bytes and an identity");
		return NULL;
	}
	struct mapping *mapping = calloc(1, sizeof *mapping);
	if (mapping != NULL) mapping->file = find_file(descriptor, (size_t)bytes, identity);
	if (mapping == NULL || mapping->file == NULL) {
		napi_throw_error(env, "EMMAP", strerror(errno));
		free(mapping);
		return NULL;
	}
	napi_value handle;
	if (napi_create_external(env, mapping, discard, NULL, &handle) != napi_ok) {
		discard(env, mapping, NULL);
		napi_throw_error(env, "EMMAP", "no handle could be made");
		return NULL;
	}
	return handle;
}

/* The handle that is the first of `count` arguments; NULL where it is none. */
static struct mapping *handle_of(napi_env env, napi_callback_info info, size_t count, napi_value *arguments) {
	size_t given = count;
	void *handle;
	if (napi_get_cb_info(env, info, &given, arguments, NULL, NULL) != napi_ok || given != count ||
	    napi_get_value_external(env, arguments[0], &handle) != napi_ok)
		return NULL;
	return handle;
}

/* Changes how many bytes V8 takes to be held outside its heap; returns how many they are. */
static int64_t count_bytes(napi_env env, int64_t change) {
	int64_t counted = 0;
	napi_adjust_external_memory(env, change, &counted);
	return counted;
}

/*
 * V8 takes the bytes of a view for memory that it has to free: it would mark for every 64 MB of files, with pauses, and for as
 * long have each allocation of a buffer wait 5 ms. So all but COUNTED_BYTES_MAX of them are taken off again. It takes all of
 * them off once more when the view is collected, and must not come below zero: RESERVE_BYTES are put on before, at the cost of
 * one collection.
 */
static napi_status make_view(napi_env env, struct file *file, napi_value *buffer) {
	if (count_bytes(env, 0) < RESERVE_BYTES / 2) count_bytes(env, RESERVE_BYTES);
	const int64_t before = count_bytes(env, 0);
	const napi_status status =
		napi_create_external_arraybuffer(env, file->address, file->bytes, unmap, file, buffer);
	const int64_t more = count_bytes(env, 0) - before;
	if (more > COUNTED_BYTES_MAX) count_bytes(env, COUNTED_BYTES_MAX - more);
	return status;
}

static napi_value view(napi_env env, napi_callback_info info) {
	napi_value argument, buffer;
	struct mapping *mapping = handle_of(env, info, 1, &argument);
	if (mapping == NULL || mapping->viewed) {
		napi_throw_type_error(env, NULL, "view takes a handle that has no view yet");
		return NULL;
	}
	struct file *file = mapping->file;
	if (make_view(env, file, &buffer) != napi_ok) {
		napi_throw_error(env, "EMMAP", "this runtime has no external array buffers");
		return NULL;
	}
	pthread_mutex_lock(&files_lock);
	file->references++;
	file->viewed = 1;
	pthread_mutex_unlock(&files_lock);
	mapping->viewed = 1;
	return buffer;
}

#ifdef __linux__

/* Duplicates the descriptor where it is to be read. Under `files_lock`. */
static int hold_file(struct file *file, int descriptor, size_t budget) {
	size_t planned = huge_bytes(file);
	const int has_room = (uintptr_t)file->address % HUGE_BYTES == 0 && planned <= file->span;
	if (file->identity[0] == 0 || planned == 0 || !has_room) return 0;
	for (struct file *other = files; other != NULL; other = other->next)
		if (other != file && other->holders > 0) planned += huge_bytes(other) - other->copied;
	if (file->holders == 0 && planned > budget) return 0;
	if (file->descriptor < 0) file->descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
	if (file->descriptor < 0) return 0;
	file->holders++;
	tend();
	return 1;
}

#else

static int hold_file(struct file *file, int descriptor, size_t budget) {
	(void)file;
	(void)descriptor;
	(void)budget;
	return 0;
}

#endif

static napi_value hold(napi_env env, napi_callback_info info) {
	napi_value arguments[3], answer;
	struct mapping *mapping = handle_of(env, info, 3, arguments);
	int32_t descriptor;
	int64_t budget;
	if (mapping == NULL || napi_get_value_int32(env, arguments[1], &descriptor) != napi_ok ||
	    napi_get_value_int64(env, arguments[2], &budget) != napi_ok) {
		napi_throw_type_error(env, NULL, "hold takes a handle, a descriptor and a number of bytes");
		return NULL;
	}
	pthread_mutex_lock(&files_lock);
	const int may_hold = mapping->viewed && !mapping->holds && budget > 0;
	const int begins = may_hold && hold_file(mapping->file, descriptor, (size_t)budget);
	if (begins) mapping->holds = 1;
	const int holds = mapping->holds;
	pthread_mutex_unlock(&files_lock);
	return napi_get_boolean(env, holds != 0, &answer) == napi_ok ? answer : NULL;
}

static napi_value release(napi_env env, napi_callback_info info) {
	napi_value argument;
	struct mapping *mapping = handle_of(env, info, 1, &argument);
	if (mapping == NULL) {
		napi_throw_type_error(env, NULL, "release takes a handle");
		return NULL;
	}
	pthread_mutex_lock(&files_lock);
	stop_holding(mapping);
	pthread_mutex_unlock(&files_lock);
	return NULL;
}

static napi_value held(napi_env env, napi_callback_info info) {
	napi_value answer;
	size_t bytes = 0;
	(void)info;
	pthread_mutex_lock(&files_lock);
	for (struct file *file = files; file != NULL; file = file->next) bytes += file->copied;
	pthread_mutex_unlock(&files_lock);
	return napi_create_int64(env, (int64_t)bytes, &answer) == napi_ok ? answer : NULL;
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

int export_mapping(napi_env env, napi_value exports) {
	return export_function(env, exports, "map", map) && export_function(env, exports, "view", view) &&
	       export_function(env, exports, "prefault", prefault) && export_function(env, exports, "hold", hold) &&
	       export_function(env, exports, "release", release) && export_function(env, exports, "held", held);
}

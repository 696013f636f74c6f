/* SPDX-License-Identifier: Apache-2.0 */
#include "base/loaded_library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 2, ROOM_BYTES = 1 << 20 };

/* False where the function is not there. */
static bool find(void *library, const struct tb_library_function *function) {
  void *found = dlsym(library, function->name);
  memcpy(function->pointer, &found,
         sizeof(found)); /* ISO C does not convert between pointers to objects and functions */
  return found != NULL;
}

static bool load(const char *file, const struct tb_library_function *functions, size_t count) {
  /* Stays loaded: what C++ libraries leave behind does not end well. */
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  bool all = library != NULL;
  for (size_t i = 0; i < count && all; i++) all = find(library, &functions[i]);
  if (library) (void)dlclose(library);
  return all;
}

/* The loader says in words alone what failed, and often other ones where it got no memory: as long as there is some, it
 * is asked again. */
enum tb_status tb_library_load(const char *file, const struct tb_library_function *functions, size_t count) {
  for (int tries = 0; tries < TRIES; tries++) {
    if (load(file, functions, count)) return TB_OK;
    void *volatile room = malloc(ROOM_BYTES); /* volatile: else compilers know better than to ask */
    if (!room) return TB_NO_MEMORY;
    free(room);
  }
  return TB_UNSUPPORTED;
}

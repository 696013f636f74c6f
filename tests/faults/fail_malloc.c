/* SPDX-License-Identifier: Apache-2.0
 *
 * A library to be preloaded (LD_PRELOAD) into the program under test, in which malloc, calloc and realloc fail:
 * FAIL_MALLOC_AT=N is the first call that fails, counted from 1, FAIL_MALLOC_TIMES=N how many fail in a row (1).
 * FAIL_MALLOC_COUNT=FILE: the number of calls is written there at the end. Calls before main are not counted: they are
 * the dynamic linker's and other libraries'.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*main_function)(int argc, char **argv, char **env);

static struct {
  void *(*malloc)(size_t size);
  void *(*calloc)(size_t count, size_t size);
  void *(*realloc)(void *block, size_t size);
  void (*free)(void *block);
  main_function main;
} real;

static atomic_ulong calls;
static unsigned long first = 0, last = 0; /* of the calls that fail */
static atomic_bool counting;

/* What is asked for while the real functions are looked up. */
static char startup[4096];
static size_t startup_used;

static void *take_startup(size_t size) {
  size = (size + 15) & ~(size_t)15;
  if (size > sizeof(startup) - startup_used) abort();
  void *block = startup + startup_used;
  startup_used += size;
  return block;
}

static int is_startup(const void *block) {
  return (const char *)block >= startup && (const char *)block < startup + sizeof(startup);
}

static void find(const char *name, void *function) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  memcpy(function, &found, sizeof(found)); /* ISO C does not convert a pointer to data to one to a function */
}

static int is_ready(void) {
  static int state; /* 1: under way. The first call comes before there are threads */
  if (state == 0) {
    state = 1;
    find("calloc", &real.calloc);
    find("realloc", &real.realloc);
    find("free", &real.free);
    find("malloc", &real.malloc);
    state = 2;
  }
  return state == 2;
}

static int fails(void) {
  if (!atomic_load(&counting)) return 0;
  unsigned long call = atomic_fetch_add(&calls, 1) + 1;
  if (call < first || call > last) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) {
  if (!is_ready()) return take_startup(size);
  return fails() ? NULL : real.malloc(size);
}

void *calloc(size_t count, size_t size) {
  if (!is_ready()) return take_startup(count * size);
  return fails() ? NULL : real.calloc(count, size);
}

void *realloc(void *block, size_t size) {
  if (!is_ready()) abort();
  return fails() ? NULL : real.realloc(block, size);
}

void free(void *block) {
  if (block && !is_startup(block) && is_ready()) real.free(block);
}

static unsigned long number(const char *name, unsigned long otherwise) {
  const char *text = getenv(name);
  return text ? strtoul(text, NULL, 10) : otherwise;
}

static void write_count(void) {
  atomic_store(&counting, 0);
  const char *path = getenv("FAIL_MALLOC_COUNT");
  if (!path) return;
  char text[32];
  int len = snprintf(text, sizeof(text), "%lu\n", atomic_load(&calls));
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0 || write(fd, text, (size_t)len) != len || close(fd) != 0) abort();
}

static int counted_main(int argc, char **argv, char **env) {
  first = number("FAIL_MALLOC_AT", 0);
  last = first ? first - 1 + number("FAIL_MALLOC_TIMES", 1) : 0;
  if (atexit(write_count) != 0) abort();
  atomic_store(&counting, 1);
  return real.main(argc, argv, env);
}

/* The name is the C library's. */
int __libc_start_main(main_function main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_function main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end) {
  int (*start)(main_function, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
  find("__libc_start_main", &start);
  real.main = main;
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "baselines.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK = 1 << 20 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool bench_memcpy(const char *path, double *seconds) {
  struct stat st;
  if (stat(path, &st) != 0) return false;
  size_t size = (size_t)st.st_size;
  char *from = malloc(size), *to = malloc(size);
  FILE *file = fopen(path, "rb");
  bool good = from && to && file && fread(from, 1, size, file) == size;
  if (good) {
    memset(to, 1, size); /* page faults are not part of the copy */
    double start = now();
    memcpy(to, from, size);
    *seconds = now() - start;
    good = to[size - 1] == from[size - 1];
  }
  if (file) fclose(file);
  free(from);
  free(to);
  return good;
}

static bool write_all(int fd, const char *data, size_t len) {
  while (len) {
    ssize_t n = write(fd, data, len);
    if (n <= 0) return false;
    data += n;
    len -= (size_t)n;
  }
  return true;
}

bool bench_copy(const char *from, const char *to) {
  int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  char *block = malloc(BLOCK);
  bool good = in >= 0 && out >= 0 && block;
  while (good) {
    ssize_t n = read(in, block, BLOCK);
    if (n == 0) break;
    good = n > 0 && write_all(out, block, (size_t)n);
  }
  free(block);
  if (in >= 0) close(in);
  if (out >= 0) good = close(out) == 0 && good;
  return good;
}

bool bench_inflate(const char *path, uint64_t *bytes) {
  gzFile file = gzopen(path, "rb");
  char *block = malloc(BLOCK);
  int n = -1;
  *bytes = 0;
  if (file && block) {
    gzbuffer(file, BLOCK / 4);
    while ((n = gzread(file, block, BLOCK)) > 0) *bytes += (unsigned)n;
  }
  free(block);
  if (file) gzclose(file);
  return n == 0;
}

bool bench_deflate(const char *from, const char *to) {
  int in = open(from, O_RDONLY);
  gzFile out = gzopen(to, "wb6");
  char *block = malloc(BLOCK);
  bool good = in >= 0 && out && block;
  while (good) {
    ssize_t n = read(in, block, BLOCK);
    if (n == 0) break;
    good = n > 0 && gzwrite(out, block, (unsigned)n) == n;
  }
  free(block);
  if (in >= 0) close(in);
  if (out) good = gzclose(out) == Z_OK && good;
  return good;
}

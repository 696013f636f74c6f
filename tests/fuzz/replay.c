/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a fuzz target once over each file that is named: the corpus as a test, with any compiler.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0) return 1;
  long size = ftell(file);
  rewind(file);
  uint8_t *data = malloc(size > 0 ? (size_t)size : 1); /* of the exact size, so that sanitizers see one byte too far */
  int bad = !data || size < 0 || fread(data, 1, (size_t)size, file) != (size_t)size;
  if (!bad) LLVMFuzzerTestOneInput(data, (size_t)size);
  free(data);
  fclose(file);
  return bad;
}

int main(int argc, char **argv) {
  int bad = argc < 2;
  for (int i = 1; i < argc; i++)
    if (replay(argv[i]) != 0) {
      perror(argv[i]);
      bad = 1;
    }
  return bad;
}

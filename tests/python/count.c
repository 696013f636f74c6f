/* SPDX-License-Identifier: Apache-2.0
 *
 * count FILE: reads all events one by one, in the one shape, and prints how many there are and how long it took: CPU
 * time, in seconds. What rates.py compares columns with.
 */
#include <stdio.h>
#include <time.h>
#include <tracebridge/reader.h>

int main(int argc, char **argv) {
  struct tb_reader *reader;
  struct tb_error error = {0};
  const struct tb_event *event;
  enum tb_status status;
  unsigned long long events = 0;
  clock_t start = clock();
  if (argc != 2 || tb_reader_open(argv[1], NULL, &reader, &error) != TB_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  while ((status = tb_reader_next(reader, &event)) == TB_OK) events++;
  tb_reader_close(reader);
  printf("%llu %f\n", events, (double)(clock() - start) / CLOCKS_PER_SEC);
  return status == TB_END ? 0 : 1;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Feed: takes a trace in whatever pieces a pipe or socket brings, and prints each slice's name as soon as it is there.
 *
 *   producer | ./feed        ./feed HOST PORT    (reads from a TCP connection)
 */
#define _POSIX_C_SOURCE 200809L /* sockets, also with -std=c11 */
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <tracebridge/reader.h>

static int connect_to(const char *host, const char *port) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
  if (getaddrinfo(host, port, &hints, &found) != 0) return -1;
  int fd = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
  if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
    (void)close(fd);
    fd = -1;
  }
  freeaddrinfo(found);
  return fd;
}

/* Prints what there is; TB_AGAIN when more input is needed. */
static enum tb_status drain(struct tb_reader *reader) {
  const struct tb_event *event;
  enum tb_status status;
  while ((status = tb_reader_next(reader, &event)) == TB_OK)
    if (event->type == TB_EVENT_SLICE_BEGIN) printf("%.*s\n", (int)event->name.len, event->name.ptr);
  (void)fflush(stdout);
  return status;
}

static enum tb_status read_all(struct tb_reader *reader, int fd) {
  char chunk[4096];
  ssize_t got;
  enum tb_status status = TB_AGAIN;
  while (status == TB_AGAIN && (got = read(fd, chunk, sizeof(chunk))) > 0) {
    status = tb_reader_feed(reader, chunk, (size_t)got);
    if (status == TB_OK) status = drain(reader);
  }
  if (status != TB_AGAIN) return status;
  tb_reader_feed_end(reader);
  return drain(reader);
}

int main(int argc, char **argv) {
  struct tb_reader *reader;
  struct tb_error error = {0};
  struct tb_reader_options options = {.size = sizeof(options), .slices = TB_SLICES_BEGIN_END};
  int fd = argc == 3 ? connect_to(argv[1], argv[2]) : STDIN_FILENO;
  if (fd < 0 || tb_reader_create_feed("input", &options, &reader, &error) != TB_OK) return 1;
  enum tb_status status = read_all(reader, fd);
  size_t losses;
  const struct tb_loss *loss = tb_reader_losses(reader, &losses);
  for (size_t i = 0; i < losses; i++)
    fprintf(stderr, "lost %llu: %s\n", (unsigned long long)loss[i].count, loss[i].reason);
  if (status != TB_END) fprintf(stderr, "%s\n", tb_reader_error(reader)->message);
  tb_reader_close(reader);
  return status != TB_END ? 1 : losses ? 4 : 0;
}

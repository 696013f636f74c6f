/* SPDX-License-Identifier: Apache-2.0
 *
 * Test help: serves a file once over TCP on this machine, in small pieces. Prints the port that it listens on.
 *
 *   ./serve_file FILE
 */
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int listen_here(unsigned *port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof(address);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) != 0 || listen(fd, 1) != 0) return -1;
  if (getsockname(fd, (struct sockaddr *)&address, &len) != 0) return -1;
  *port = ntohs(address.sin_port);
  return fd;
}

static int send_all(int fd, const char *bytes, size_t len) {
  while (len) {
    ssize_t sent = write(fd, bytes, len);
    if (sent <= 0) return -1;
    bytes += sent;
    len -= (size_t)sent;
  }
  return 0;
}

int main(int argc, char **argv) {
  unsigned port;
  FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  int server = file ? listen_here(&port) : -1;
  if (server < 0) return 1;
  printf("%u\n", port);
  (void)fflush(stdout);
  int client = accept(server, NULL, NULL);
  char piece[37];
  size_t got;
  int failed = client < 0;
  while (!failed && (got = fread(piece, 1, sizeof(piece), file)) > 0) failed = send_all(client, piece, got) != 0;
  (void)fclose(file);
  if (client >= 0) (void)close(client);
  (void)close(server);
  return failed;
}

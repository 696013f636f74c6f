/* SPDX-License-Identifier: Apache-2.0 */
#include "print.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

bool cli_print_written(void *file, const char *text, size_t len) { return fwrite(text, 1, len, file) == len; }

/* What fails here shows in ferror, as with stdio. */
void cli_vprint(FILE *to, const char *format, va_list args) {
  (void)tb_escape_print(cli_print_written, to, format, args);
}

void cli_print(FILE *to, const char *format, ...) {
  va_list args;
  va_start(args, format);
  cli_vprint(to, format, args);
  va_end(args);
}

void cli_print_json(FILE *to, const char *text) {
  fputc('"', to);
  (void)tb_escape_text(TB_ESCAPE_JSON, (struct tb_str){text, strlen(text)}, cli_print_written, to);
  fputc('"', to);
}

void cli_print_in_handler(const char *text) {
  struct pollfd stderr_fd = {STDERR_FILENO, POLLOUT, 0};
  if (poll(&stderr_fd, 1, 0) != 1 || !(stderr_fd.revents & POLLOUT)) return;
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return; /* there is no other way to say it */
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * One trace for a viewer in the browser of the same machine: served on the loopback interface, to that viewer's pages
 * alone, until it was fetched.
 *
 *     bool show(void *ctx, const char *link); // such as: return puts(link) >= 0;
 *     struct tb_serve_options options = {.size = sizeof(options), .ready = show};
 *     struct tb_error error = {0};
 *     if (tb_serve("trace.perfetto-trace", &options, &error) != TB_OK) puts(error.message);
 */
#ifndef TRACEBRIDGE_SERVE_H
#define TRACEBRIDGE_SERVE_H

#include <stdbool.h>

#include "tracebridge/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TB_SERVE_VIEWER "https://ui.perfetto.dev" /* the viewer by default */
#define TB_SERVE_PORT 9001                        /* the port that the pages of ui.perfetto.dev may ask */
#define TB_SERVE_ANY_PORT 65536                   /* one that is free */

struct tb_serve_options {
  size_t size;        /* sizeof */
  const char *viewer; /* its address, http:// or https://, without what follows #; NULL: TB_SERVE_VIEWER */
  const char *name;   /* what the viewer shows as the trace's name; NULL: the last part of the path */
  unsigned port;      /* 0: TB_SERVE_PORT; TB_SERVE_ANY_PORT */
  /* Called once, when the trace can be fetched: `link` is the viewer's address that makes it do so, valid until the
   * call returns. The trace is open by then: its file may lose its name. NULL: it is not called. */
  bool (*ready)(void *ctx, const char *link);
  /* Called some times a second until the trace was fetched. NULL: nobody is asked. */
  bool (*waiting)(void *ctx);
  void *ctx; /* of all, which are called from the thread that called tb_serve; false ends it with TB_CANCELLED */
  /* Called once, when the viewer's address is known to be one and we have the port, before the file is opened: may make
   * it. NULL: it is not called. */
  bool (*prepare)(void *ctx);
};

/* Serves the file `path`, as it is, on 127.0.0.1 until a page of the viewer has fetched all of it once, and no other
 * fetch runs; one that takes nothing for a minute is ended. Each run has a path of its own that nobody can guess.
 * Whoever asks for it without the viewer's origin, or by another host's name, gets an empty answer (403), as does each
 * other path (404).
 *
 * `options` and `error` may be NULL. TB_OK; TB_CANCELLED; TB_IO: the file cannot be read, or the port is taken;
 * TB_UNSUPPORTED: libmicrohttpd (libmicrohttpd.so.12) is not installed; TB_INVALID: `path` is NULL, a directory or no
 * file, or an option is wrong; TB_NO_MEMORY. */
TB_MUST_CHECK TB_API enum tb_status tb_serve(const char *path, const struct tb_serve_options *options,
                                             struct tb_error *error);

#ifdef __cplusplus
}
#endif
#endif

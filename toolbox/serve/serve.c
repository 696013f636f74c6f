/* SPDX-License-Identifier: Apache-2.0
 *
 * libmicrohttpd is loaded when a trace is served, so that whoever serves none does not need it. It answers in a thread
 * of its own, which blocks SIGPIPE; what passes between the threads is `fetched` and `fetches`.
 */
#include "tracebridge/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/loaded_library.h"
#include "base/memory.h"
#include "base/options.h"
#include "io/path.h"
#include "toolbox/serve/viewer_link.h"

static const char LIBRARY[] = "libmicrohttpd.so.12";
enum { WAIT_NS = 50 * 1000 * 1000, HANG_S = 60 };

/* The functions of libmicrohttpd that are of use here, by their names in it. */
#define FUNCTIONS(X)                 \
  X(MHD_start_daemon)                \
  X(MHD_stop_daemon)                 \
  X(MHD_lookup_connection_value)     \
  X(MHD_create_response_from_fd64)   \
  X(MHD_create_response_from_buffer) \
  X(MHD_add_response_header)         \
  X(MHD_queue_response)              \
  X(MHD_destroy_response)

struct server {
  struct MHD_Daemon *daemon;
  struct tb_buffer origin, path, link;
  char hosts[2][32]; /* names of ours that a request may ask by */
  int socket;        /* until the daemon has it */
  int fd;            /* of the trace */
  uint64_t size;
  atomic_bool fetched;                       /* all of it, once */
  atomic_uint fetches;                       /* that run */
#define MEMBER(name) __typeof__(name) *name; /* NOLINT(bugprone-macro-parentheses) */
  FUNCTIONS(MEMBER)
#undef MEMBER
};

static enum tb_status load(struct server *s, struct tb_error *error) {
#define FUNCTION(name) {#name, &s->name},
  const struct tb_library_function functions[] = {FUNCTIONS(FUNCTION)};
#undef FUNCTION
  enum tb_status status = tb_library_load(LIBRARY, functions, sizeof(functions) / sizeof(functions[0]));
  if (status != TB_UNSUPPORTED) return status;
  return tb_fail(error, status, TB_NO_OFFSET,
                 "serving needs the library %s, which is not installed (Debian: "
                 "libmicrohttpd12)",
                 LIBRARY);
}

/* ---- answers, in the thread of libmicrohttpd --------------------------------------------------------------------- */

static enum MHD_Result answer(struct server *s, struct MHD_Connection *connection, unsigned code,
                              struct MHD_Response *response) {
  enum MHD_Result result = response ? s->MHD_queue_response(connection, code, response) : MHD_NO;
  if (response) s->MHD_destroy_response(response);
  return result;
}

static enum MHD_Result answer_nothing(struct server *s, struct MHD_Connection *connection, unsigned code) {
  static char none[1];
  return answer(s, connection, code, s->MHD_create_response_from_buffer(0, none, MHD_RESPMEM_PERSISTENT));
}

static void add_header(const struct server *s, struct MHD_Response *response, const char *name, const char *value) {
  if (response) (void)s->MHD_add_response_header(response, name, value);
}

/* Its pages alone may read the answer. */
static void allow_viewer(const struct server *s, struct MHD_Response *response) {
  add_header(s, response, "Access-Control-Allow-Origin", s->origin.data);
  add_header(s, response, "Vary", "Origin");
  add_header(s, response, "Cache-Control", "no-store");
}

/* What browsers ask before they let a page from elsewhere ask this machine. */
static enum MHD_Result answer_preflight(struct server *s, struct MHD_Connection *connection) {
  static char none[1];
  struct MHD_Response *response = s->MHD_create_response_from_buffer(0, none, MHD_RESPMEM_PERSISTENT);
  allow_viewer(s, response);
  add_header(s, response, "Access-Control-Allow-Methods", "GET");
  add_header(s, response, "Access-Control-Allow-Private-Network", "true");
  return answer(s, connection, MHD_HTTP_NO_CONTENT, response);
}

static enum MHD_Result answer_trace(struct server *s, struct MHD_Connection *connection) {
  int fd = dup(s->fd); /* the response closes it */
  struct MHD_Response *response = fd < 0 ? NULL : s->MHD_create_response_from_fd64(s->size, fd);
  if (!response && fd >= 0) (void)close(fd);
  allow_viewer(s, response);
  add_header(s, response, "Content-Type", "application/octet-stream");
  return answer(s, connection, MHD_HTTP_OK, response);
}

/* Asked by a page of the viewer, and by our own name: another host's name would be a page that had its name changed to
 * our address. */
static bool is_from_viewer(const struct server *s, struct MHD_Connection *connection) {
  const char *origin = s->MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Origin");
  const char *host = s->MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
  return origin && host && strcmp(origin, s->origin.data) == 0 &&
         (strcmp(host, s->hosts[0]) == 0 || strcmp(host, s->hosts[1]) == 0);
}

static enum MHD_Result handle_request(void *cls, struct MHD_Connection *connection, const char *path,
                                      const char *method, const char *version, const char *body, size_t *body_len,
                                      void **request) {
  (void)version;
  (void)body;
  struct server *s = cls;
  if (*body_len) return MHD_NO;
  if (!is_from_viewer(s, connection)) return answer_nothing(s, connection, MHD_HTTP_FORBIDDEN);
  if (strcmp(path, s->path.data) != 0) return answer_nothing(s, connection, MHD_HTTP_NOT_FOUND);
  if (strcmp(method, "OPTIONS") == 0) return answer_preflight(s, connection);
  if (strcmp(method, "GET") != 0) return answer_nothing(s, connection, MHD_HTTP_METHOD_NOT_ALLOWED);
  *request = s; /* this one is of the whole trace, see end_request */
  atomic_fetch_add(&s->fetches, 1);
  return answer_trace(s, connection);
}

static void end_request(void *cls, struct MHD_Connection *connection, void **request,
                        enum MHD_RequestTerminationCode how) {
  (void)connection;
  struct server *s = cls;
  if (*request != s) return;
  if (how == MHD_REQUEST_TERMINATED_COMPLETED_OK) atomic_store(&s->fetched, true);
  atomic_fetch_sub(&s->fetches, 1);
}

/* ---- in the caller's thread -------------------------------------------------------------------------------------- */

static enum tb_status open_trace(struct server *s, const char *path, struct tb_error *error) {
  struct stat st = {0};
  s->fd = open(path, O_RDONLY | O_CLOEXEC);
  enum tb_status status = TB_OK;
  if (s->fd < 0 || fstat(s->fd, &st) != 0)
    status = tb_fail_errno(error, TB_IO, errno, "cannot open");
  else if (!S_ISREG(st.st_mode))
    status = tb_fail(error, TB_INVALID, TB_NO_OFFSET, "is no file, but may be asked for more than once");
  if (status == TB_OK)
    s->size = (uint64_t)st.st_size;
  else if (error)
    tb_error_set_file(error, path);
  return status;
}

static enum tb_status name_trace(struct server *s, const char *path, const struct tb_serve_options *options,
                                 struct tb_error *error) {
  const char *name = options->name ? options->name : tb_path_last_part(path);
  uint64_t key = 0;
  enum tb_status status = tb_viewer_origin(&s->origin, options->viewer);
  if (status == TB_INVALID)
    return tb_fail(error, status, TB_NO_OFFSET,
                   "the viewer %s is no address of http:// or https:// without what follows #", options->viewer);
  if (getrandom(&key, sizeof(key), 0) != sizeof(key)) return tb_fail_errno(error, TB_IO, errno, "no random number");
  return status == TB_OK ? tb_viewer_path(&s->path, key, name) : status;
}

/* A socket that listens on the loopback interface, in s->socket, and its port. */
static enum tb_status listen_on(struct server *s, unsigned *port, struct tb_error *error) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons(*port == TB_SERVE_ANY_PORT ? 0 : (uint16_t)*port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t len = sizeof(address);
  const int reuse = 1; /* what was served a moment ago may still be on its way */
  s->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s->socket < 0 || setsockopt(s->socket, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse)) != 0 ||
      bind(s->socket, (const struct sockaddr *)&address, len) != 0 || listen(s->socket, SOMAXCONN) != 0 ||
      getsockname(s->socket, (struct sockaddr *)&address, &len) != 0)
    return tb_fail_errno(error, TB_IO, errno,
                         "cannot serve on port %u of 127.0.0.1; tb_serve_options.port is the way to another", *port);
  *port = ntohs(address.sin_port);
  return TB_OK;
}

/* Takes the port, by which the trace's address is known. */
static enum tb_status take_port(struct server *s, const struct tb_serve_options *options, struct tb_error *error) {
  unsigned port = options->port;
  enum tb_status status = listen_on(s, &port, error);
  if (status == TB_OK) status = tb_viewer_link(&s->link, options->viewer, port, s->path.data);
  if (status != TB_OK) return status;
  (void)snprintf(s->hosts[0], sizeof(s->hosts[0]), "127.0.0.1:%u", port);
  (void)snprintf(s->hosts[1], sizeof(s->hosts[1]), "localhost:%u", port);
  return TB_OK;
}

static enum tb_status start(struct server *s, struct tb_error *error) {
  s->daemon = s->MHD_start_daemon(MHD_USE_AUTO_INTERNAL_THREAD, 0, NULL, NULL, handle_request, s,
                                  MHD_OPTION_LISTEN_SOCKET, s->socket, MHD_OPTION_NOTIFY_COMPLETED, end_request, s,
                                  MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)HANG_S, MHD_OPTION_END);
  if (!s->daemon) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "%s does not start", LIBRARY);
  s->socket = -1; /* the daemon closes it */
  return TB_OK;
}

static enum tb_status wait_for_viewer(struct server *s, const struct tb_serve_options *options) {
  if (options->ready && !options->ready(options->ctx, s->link.data)) return TB_CANCELLED;
  while (!atomic_load(&s->fetched) || atomic_load(&s->fetches)) {
    if (options->waiting && !options->waiting(options->ctx)) return TB_CANCELLED;
    (void)nanosleep(&(struct timespec){0, WAIT_NS}, NULL);
  }
  return TB_OK;
}

static enum tb_status serve(struct server *s, const char *path, const struct tb_serve_options *options,
                            struct tb_error *error) {
  enum tb_status status = load(s, error);
  if (status == TB_OK) status = name_trace(s, path, options, error);
  if (status == TB_OK) status = take_port(s, options, error);
  if (status == TB_OK && options->prepare && !options->prepare(options->ctx)) status = TB_CANCELLED;
  if (status == TB_OK) status = open_trace(s, path, error);
  if (status == TB_OK) status = start(s, error);
  return status == TB_OK ? wait_for_viewer(s, options) : status;
}

enum tb_status tb_serve(const char *path, const struct tb_serve_options *options, struct tb_error *error) {
  struct tb_serve_options filled = {0};
  struct server s = {.fd = -1, .socket = -1};
  if (!path) return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "no path");
  enum tb_status status = tb_options_take(&filled, sizeof(filled), options, error);
  if (status != TB_OK) return status;
  if (!filled.viewer) filled.viewer = TB_SERVE_VIEWER;
  if (!filled.port) filled.port = TB_SERVE_PORT;
  if (filled.port > TB_SERVE_ANY_PORT) return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "no port %u", filled.port);
  tb_buffer_init(&s.origin, tb_default_allocator(), 0);
  tb_buffer_init(&s.path, tb_default_allocator(), 0);
  tb_buffer_init(&s.link, tb_default_allocator(), 0);
  status = serve(&s, path, &filled, error);
  if (s.daemon) s.MHD_stop_daemon(s.daemon);
  if (s.socket >= 0) (void)close(s.socket);
  if (s.fd >= 0) (void)close(s.fd);
  tb_buffer_free(&s.origin);
  tb_buffer_free(&s.path);
  tb_buffer_free(&s.link);
  return status == TB_OK ? status : tb_fail(error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
}

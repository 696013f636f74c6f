/* SPDX-License-Identifier: Apache-2.0 */
#include "toolbox/serve/viewer_link.h"

#include <inttypes.h>
#include <stdio.h>

struct scheme {
  const char *begin, *port; /* the port is left out of origins */
};

static const struct scheme schemes[] = {{"https://", ":443"}, {"http://", ":80"}};

static const struct scheme *scheme_of(const char *address) {
  for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
    if (strncasecmp(address, schemes[i].begin, strlen(schemes[i].begin)) == 0) return &schemes[i];
  return NULL;
}

/* Letters, digits and what is plain in a host's name or its port; [ and ] are around IPv6. */
static bool of_host(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c != '\0' && strchr("-._:[]", c));
}

/* What a link may have as it is: no blanks, quotes, control characters, and no second fragment. */
static bool is_plain_address(const char *address) {
  for (const char *p = address; *p; p++)
    if (*p <= ' ' || *p > '~' || strchr("\"'<>\\^`{|}#", *p)) return false;
  return true;
}

/* The end of scheme, host and port; NULL where the address has no scheme or no host. */
static const char *end_of_host(const char *address, const struct scheme *scheme) {
  if (!scheme) return NULL;
  const char *host = address + strlen(scheme->begin), *end = host;
  while (of_host(*end)) end++;
  return end == host || (*end && !strchr("/?", *end)) ? NULL : end;
}

static enum tb_status append_text(struct tb_buffer *to, const char *text) {
  return tb_buffer_append(to, text, strlen(text) + 1);
}

enum tb_status tb_viewer_origin(struct tb_buffer *to, const char *viewer) {
  const struct scheme *scheme = scheme_of(viewer);
  const char *end = end_of_host(viewer, scheme);
  if (!end || !is_plain_address(viewer)) return TB_INVALID;
  size_t len = (size_t)(end - viewer), port = strlen(scheme->port);
  if (len > port && strncmp(end - port, scheme->port, port) == 0) len -= port;
  size_t begin = to->len;
  if (tb_buffer_append(to, viewer, len) != TB_OK || tb_buffer_append(to, "", 1) != TB_OK) return TB_NO_MEMORY;
  for (char *p = to->data + begin; *p; p++)
    if (*p >= 'A' && *p <= 'Z') *p = (char)(*p - 'A' + 'a');
  return TB_OK;
}

enum tb_status tb_viewer_path(struct tb_buffer *to, uint64_t key, const char *name) {
  char folder[24];
  int len = snprintf(folder, sizeof(folder), "/%016" PRIx64 "/", key);
  if (tb_buffer_append(to, folder, (size_t)len) != TB_OK) return TB_NO_MEMORY;
  size_t begin = to->len;
  if (append_text(to, *name ? name : "trace") != TB_OK) return TB_NO_MEMORY;
  for (char *p = to->data + begin; *p; p++)
    if (!of_host(*p) || strchr(":[]", *p)) *p = '_';
  return TB_OK;
}

enum tb_status tb_viewer_link(struct tb_buffer *to, const char *viewer, unsigned port, const char *path) {
  const char *end = end_of_host(viewer, scheme_of(viewer));
  char with[64];
  int len = snprintf(with, sizeof(with), "%s#!/?url=http://127.0.0.1:%u", end && *end ? "" : "/", port);
  if (tb_buffer_append(to, viewer, strlen(viewer)) != TB_OK || tb_buffer_append(to, with, (size_t)len) != TB_OK)
    return TB_NO_MEMORY;
  return append_text(to, path);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "convert/format_detect.h"

#include <string.h>

#include "ftrace/line_parser.h"
#include "protobuf/wire.h"

static const char *const names[] = {"unknown", "json", "fxt", "perfetto", "ftrace"};

const char *tb_format_name(enum tb_format format) {
  return (size_t)format < sizeof(names) / sizeof(names[0]) ? names[format] : names[0];
}

enum tb_format tb_format_from_name(const char *name) {
  for (size_t i = 1; i < sizeof(names) / sizeof(names[0]); i++)
    if (strcmp(name, names[i]) == 0) return (enum tb_format)i;
  return TB_FORMAT_UNKNOWN;
}

static bool ends_with(const char *text, size_t len, const char *suffix) {
  size_t n = strlen(suffix);
  return len >= n && memcmp(text + len - n, suffix, n) == 0;
}

enum tb_format tb_format_from_path(const char *path) {
  size_t len = strlen(path);
  if (ends_with(path, len, ".gz")) len -= 3;
  if (ends_with(path, len, ".json")) return TB_FORMAT_JSON;
  if (ends_with(path, len, ".fxt")) return TB_FORMAT_FXT;
  if (ends_with(path, len, ".perfetto-trace") || ends_with(path, len, ".pftrace")) return TB_FORMAT_PERFETTO;
  return TB_FORMAT_UNKNOWN;
}

static bool looks_like_json(const char *p, size_t len) {
  size_t i = len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  while (i < len && (p[i] == ' ' || p[i] == '\t' || p[i] == '\r' || p[i] == '\n')) i++;
  return i < len && (p[i] == '[' || p[i] == '{');
}

/* A TracePacket's tag, a length, and then the tag of a field that a packet may start with. */
static bool looks_like_perfetto(const unsigned char *p, size_t len) {
  if (len < 2 || p[0] != 0x0a) return false;
  size_t i = 1;
  while (i < len && i < 10 && (p[i] & 0x80)) i++;
  if (++i >= len) return true; /* one short packet */
  unsigned wire_type = p[i] & 7;
  return (wire_type <= 2 || wire_type == 5) && (p[i] >> 3) != 0;
}

/* A packet of 91 or 123 bytes starts like JSON after an empty line: only a packet is made of whole fields to its end. */
static bool starts_with_whole_packet(const char *p, size_t len) {
  if (len < 2 || p[0] != 0x0a || (p[1] != '[' && p[1] != '{') || len - 2 < (size_t)p[1]) return false;
  struct tb_wire_cursor cursor = {p + 2, p + 2 + p[1]};
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_next(&cursor, &field)) == TB_OK) continue;
  return status == TB_END;
}

static bool looks_like_fxt(const unsigned char *p, size_t len) {
  static const unsigned char magic[8] = {0x10, 0x00, 0x04, 0x46, 0x78, 0x54, 0x16, 0x00};
  static const unsigned char big_endian[8] = {0x00, 0x16, 0x54, 0x78, 0x46, 0x04, 0x00, 0x10};
  return len >= 8 && (memcmp(p, magic, 8) == 0 || memcmp(p, big_endian, 8) == 0);
}

/* Text with ftrace's header, or an event on one of its first lines. */
static bool looks_like_ftrace(const char *p, size_t len) {
  enum { LINES = 4 };
  struct tb_ftrace_text_event event;
  const char *end = p + len;
  for (size_t lines = 0; p < end && lines < LINES;) {
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    struct tb_str line = {p, (size_t)((stop ? stop : end) - p)};
    for (size_t i = 0; i < line.len; i++)
      if ((unsigned char)line.ptr[i] < ' ' && line.ptr[i] != '\t' && line.ptr[i] != '\r') return false;
    if (tb_ftrace_is_header(line)) return true;
    if (stop && tb_ftrace_parse_line(line, &event)) return true;
    lines += line.len && line.ptr[0] != '#';
    p = stop ? stop + 1 : end;
  }
  return false;
}

enum tb_format tb_format_detect(const char *data, size_t len) {
  if (looks_like_fxt((const unsigned char *)data, len)) return TB_FORMAT_FXT;
  if (starts_with_whole_packet(data, len)) return TB_FORMAT_PERFETTO;
  if (looks_like_json(data, len)) return TB_FORMAT_JSON;
  if (looks_like_ftrace(data, len)) return TB_FORMAT_FTRACE;
  if (looks_like_perfetto((const unsigned char *)data, len)) return TB_FORMAT_PERFETTO;
  return TB_FORMAT_UNKNOWN;
}

/* What people take for a trace, or keep one in: the bytes that stand at an offset, and what to say. */
#define AT(offset, bytes, complaint) \
  { offset, sizeof(bytes) - 1, bytes, complaint }
static const char UTF16[] = "is text in UTF-16: make it UTF-8 first (iconv -f UTF-16 -t UTF-8)";
static const char HTML[] = "is an HTML page, which is not read";
static const struct {
  size_t offset, len;
  const char *bytes, *complaint;
} known_foreign[] = {
    AT(0, "\xff\xfe", UTF16),
    AT(0, "\xfe\xff", UTF16),
    AT(0, "PK\3\4", "is a zip archive: unpack it first; `tracebridge merge` takes it as it is"),
    AT(257, "ustar", "is a tar archive: unpack it first; `tracebridge merge` takes it as it is"),
    AT(0, "BZh", "is compressed with bzip2: decompress it first"),
    AT(0, "\3757zXZ", "is compressed with xz: decompress it first"),
    AT(0, "\4\"M\30", "is compressed with lz4: decompress it first"),
    AT(0, "PERFILE2", "is a recording of Linux perf, which is not read"),
    AT(0, "\177ELF", "is a program and no trace"),
    AT(0, "<!DOCTYPE", HTML),
    AT(0, "<html", HTML),
};
#undef AT

const char *tb_format_known_foreign(const char *data, size_t len) {
  for (size_t i = 0; i < sizeof(known_foreign) / sizeof(known_foreign[0]); i++)
    if (len >= known_foreign[i].offset + known_foreign[i].len &&
        memcmp(data + known_foreign[i].offset, known_foreign[i].bytes, known_foreign[i].len) == 0)
      return known_foreign[i].complaint;
  return NULL;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * What people take for a trace, or keep one in. JSON is recognised by its first keys, without the blanks between them.
 */
#include <string.h>

#include "convert/format_detect.h"
#include "io/archive.h"
#include "io/decompress.h"

enum { LOOK_BYTES = 4096 };

/* ---- by magic numbers -------------------------------------------------------------------------------------------- */

#define AT(offset, bytes, complaint) \
  { offset, sizeof(bytes) - 1, bytes, complaint }
static const char UTF16[] = "is text in UTF-16: make it UTF-8 first (iconv -f UTF-16 -t UTF-8)";
static const struct {
  size_t offset, len;
  const char *bytes, *complaint;
} magics[] = {
    AT(0, "\xff\xfe\0\0", "is text in UTF-32: make it UTF-8 first (iconv -f UTF-32 -t UTF-8)"),
    AT(0, "\0\0\xfe\xff", "is text in UTF-32: make it UTF-8 first (iconv -f UTF-32 -t UTF-8)"),
    AT(0, "\xff\xfe", UTF16),
    AT(0, "\xfe\xff", UTF16),
    AT(0, "7z\274\257\47\34", "is a 7z archive, which is not read: unpack it first"),
    AT(0, "PERFILE2", "is a recording of Linux perf, which is not read: ui.perfetto.dev opens it"),
    AT(0, "\177ELF", "is a program and no trace"),
    AT(0, "\x89PNG", "is a picture and no trace"),
    AT(0, "SQLite format 3", "is an SQLite database and no trace"),
    AT(0, "JFR\0", "is a recording of Java's Flight Recorder, which is not read: JDK Mission Control opens it"),
    AT(0, "\x1f\x8b", "is compressed twice: decompress it once first (gzip -d)"),
    AT(0, "\x28\xb5\x2f\xfd", "is compressed twice: decompress it once first (zstd -d)"),
};
#undef AT

/* JSON in UTF-16 without a byte order mark. */
static const char *find_wide_json(const char *data, size_t len) {
  if (len < 4 || !data[0] != !data[2] || !data[1] != !data[3]) return NULL;
  char first = data[0] ? data[0] : data[1];
  if (data[0] && data[1]) return NULL;
  if (first != '[' && first != '{') return NULL;
  return data[0] ? "is text in UTF-16: make it UTF-8 first (iconv -f UTF-16LE -t UTF-8)"
                 : "is text in UTF-16: make it UTF-8 first (iconv -f UTF-16BE -t UTF-8)";
}

static const char *find_magic(const char *data, size_t len) {
  for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
    if (len >= magics[i].offset + magics[i].len && memcmp(data + magics[i].offset, magics[i].bytes, magics[i].len) == 0)
      return magics[i].complaint;
  return find_wide_json(data, len);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* It begins with `start`, and `has` is in it. */
static const struct {
  const char *start, *has, *complaint;
} documents[] = {
    {"{\"nodes\":[{\"", "\"callFrame\"",
     "is a V8 CPU profile, which is not read: Chrome's DevTools and speedscope open it; `node "
     "--trace-event-categories v8,node` records a trace"},
    {"{\"head\":{\"", "\"callFrame\"", "is a V8 heap profile, which is not read: Chrome's DevTools open it"},
    {"{\"snapshot\":{\"meta\"", "", "is a V8 heap snapshot, which is not read: Chrome's DevTools open it"},
    {"{\"log\":{\"", "\"creator\"",
     "is an HTTP archive (HAR), which is not read: a browser's DevTools open it; Chrome's Performance panel records a "
     "trace"},
    {"{\"", "speedscope.app/file-format-schema", "is a speedscope profile, which is not read: speedscope.app opens it"},
    {"{\"meta\":{\"", "\"interval\"",
     "is a profile of Firefox, which is not read: profiler.firefox.com and ui.perfetto.dev open it"},
    {"{\"resourceSpans\":[", "", "is OpenTelemetry data (OTLP), which is not read: what shows OTLP opens it"},
    {"{\"data\":[{\"traceID\"", "", "is a trace of Jaeger, which is not read: Jaeger's own page opens it"},
    {"{\"constants\":{\"", "\"logEventTypes\"",
     "is a log of Chrome's network stack, which is not read: "
     "netlog-viewer.appspot.com opens it"},
};

/* The start of a document without what separates its tokens; the keys that are looked for have no blanks in them. */
static size_t compact(const char *data, size_t len, char *to) {
  size_t n = 0;
  for (size_t i = 0; i < len && n < LOOK_BYTES; i++)
    if (data[i] != ' ' && (data[i] < '\t' || data[i] > '\r')) to[n++] = data[i];
  return n;
}

static const char *find_document(const char *data, size_t len) {
  char text[LOOK_BYTES];
  size_t n = compact(data, len, text);
  if (!n || text[0] != '{' || memmem(text, n, "\"traceEvents\":", 14) || memmem(text, n, "\"ph\":\"", 6)) return NULL;
  for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
    size_t start = strlen(documents[i].start);
    if (n >= start && memcmp(text, documents[i].start, start) == 0 &&
        memmem(text, n, documents[i].has, strlen(documents[i].has)))
      return documents[i].complaint;
  }
  return NULL;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Whether a line ends in "SECONDS.FRACTION: [PERIOD] EVENT:" as those of perf script that begin a sample do, and the
 * next one begins with a blank: an address, or nothing. */
static bool is_perf_script(const char *data, size_t len) {
  const char *end = memchr(data, '\n', len);
  if (!end || end == data || end + 1 == data + len) return false;
  const char *p = end;
  while (p > data && is_blank(p[-1])) p--;
  if (p == data || p[-1] != ':') return false;
  const char *time = memmem(data, (size_t)(end - data), ": ", 2);
  if (!time || time == data || time + 2 >= p || !is_digit(time[-1])) return false;
  const char *fraction = time;
  while (fraction > data && is_digit(fraction[-1])) fraction--;
  return fraction > data + 1 && fraction[-1] == '.' && is_digit(fraction[-2]) && (is_blank(end[1]) || end[1] == '\n');
}

/* What wraps a trace, and is not looked into where the input is fed in pieces. */
static const char *find_wrapping(const char *data, size_t len) {
  size_t before;
  if (tb_archive_detect(data, len)) return "is a zip or tar archive: unpack it first";
  return tb_compression_is_foreign(tb_compression_detect(data, len, &before)) ? "is compressed: decompress it first"
                                                                              : NULL;
}

const char *tb_format_known_foreign(const char *data, size_t len) {
  const char *found = find_magic(data, len);
  if (!found) found = find_wrapping(data, len);
  if (!found) found = find_document(data, len);
  if (!found && is_perf_script(data, len))
    found = "is the output of perf script, which is not read: ui.perfetto.dev opens it";
  return found;
}

bool tb_format_is_foreign_document(const char *data, size_t len) { return find_document(data, len) != NULL; }

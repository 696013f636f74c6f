/* SPDX-License-Identifier: Apache-2.0
 *
 * The text is taken apart into pieces, each of which ends with a packet, and is encoded by itself. A piece that is
 * wrong is lost, and no other: a line that begins with "packet" begins a new one, whatever is still open.
 */
#include "convert/packet_text.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/losses.h"
#include "base/memory.h"
#include "base/search.h"
#include "protobuf/text_lexer.h"
#include "protobuf/text_parser.h"
#include "protos/perfetto/trace_packet.pb-c.h"

enum {
  CHUNK_BYTES = 256 * 1024,
  PIECE_MAX = 1 << 30,
  PLAIN_MAX = 4096,       /* more outside of brackets, literals and comments is no field of a trace */
  BLANKS_MAX = 64 * 1024, /* between packets that are kept */
  PLACES_MAX = 1 << 17    /* of packets: more than a reader has read ahead */
};

static const char PACKET[] = "packet", BYTE_ORDER_MARK[] = "\xef\xbb\xbf";

/* How far a piece was looked through. The lexer does not do this: it wants a text that is whole and right, and a piece
 * is looked for in one that comes bit by bit and may be neither. */
struct piece_scan {
  size_t at;
  unsigned depth; /* of brackets */
  char quote;     /* of the literal that it is in; 0: none */
  bool escaped, comment;
  size_t plain; /* characters outside of brackets, literals and comments, but for blanks */
};

/* Where a packet is, and where the text that it was made of. */
struct packet_place {
  uint64_t packet, text;
};

struct packet_text {
  const struct tb_allocator *allocator;
  struct tb_input *from;
  struct tb_buffer text; /* [text_at, len) is not yet encoded */
  size_t text_at;
  uint64_t offset;          /* of text.data[0] in the input */
  enum tb_status ended;     /* how the input did; TB_OK: it goes on */
  struct tb_buffer packets; /* [packets_at, len) is not yet given */
  size_t packets_at;
  uint64_t made;           /* bytes of all packets before these */
  struct tb_buffer places; /* struct packet_place of the last packets */
  struct tb_extension_names names;
  bool in_plain;         /* what is no text of a packet was counted */
  bool any;              /* there was a packet */
  struct tb_error fault; /* the first */
  struct tb_losses losses;
};

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static const char *pass_blanks(const char *at, const char *end) {
  while (at < end && is_blank(*at)) at++;
  return at;
}

/* Whether a line that begins at `at` begins a packet. *more: that is not known without more bytes. */
static bool begins_packet(const char *at, const char *end, bool *more) {
  size_t len = sizeof(PACKET) - 1, n = (size_t)(end - at);
  *more = n < len && memcmp(at, PACKET, n) == 0;
  if (n < len || memcmp(at, PACKET, len) != 0) return false;
  at = pass_blanks(at + len, end);
  if (at < end && *at == ':') at = pass_blanks(at + 1, end);
  *more = at == end;
  return at < end && (*at == '{' || *at == '<');
}

/* Passes over what is inside of a literal or a comment. */
static bool pass_inside(struct piece_scan *s, char c) {
  if (!s->quote && !s->comment) return false;
  if (c == '\n') {
    s->quote = 0;
    s->comment = s->escaped = false;
  } else if (s->quote && !s->escaped && c == s->quote) {
    s->quote = 0;
  } else {
    s->escaped = s->quote && !s->escaped && c == '\\';
  }
  return true;
}

/* Whether the piece ends with this character. */
static bool take_character(struct piece_scan *s, char c) {
  if (pass_inside(s, c)) return false;
  if (c == '"' || c == '\'') s->quote = c;
  s->comment = c == '#';
  if (!s->depth && !s->quote && !s->comment && !is_blank(c)) s->plain++;
  if (c == '{' || c == '<' || c == '[') s->depth++;
  if (!s->depth && s->plain > PLAIN_MAX) return true;
  if ((c != '}' && c != '>' && c != ']') || !s->depth) return false;
  return --s->depth == 0;
}

/* Looks for the end of the piece that begins at text_at. True: it is at *end. */
static bool find_end(const struct packet_text *t, struct piece_scan *s, size_t *end) {
  const char *data = t->text.data;
  while (s->at < t->text.len) {
    bool more = false, line = s->at > t->text_at && data[s->at - 1] == '\n';
    if (line && begins_packet(data + s->at, data + t->text.len, &more)) {
      *end = s->at;
      return true;
    }
    if (more && t->ended == TB_OK) return false;
    bool blank = line && !s->plain && s->at - t->text_at > BLANKS_MAX;
    if (!blank && !take_character(s, data[s->at++])) continue;
    *end = s->at;
    return true;
  }
  *end = s->at;
  return t->ended != TB_OK;
}

static size_t byte_order_mark(const char *data, size_t len) {
  size_t mark = sizeof(BYTE_ORDER_MARK) - 1;
  return len >= mark && memcmp(data, BYTE_ORDER_MARK, mark) == 0 ? mark : 0;
}

static enum tb_status read_more(struct packet_text *t, struct tb_error *error) {
  if (t->text_at) {
    memmove(t->text.data, t->text.data + t->text_at, t->text.len - t->text_at);
    t->offset += t->text_at;
    t->text.len -= t->text_at;
    t->text_at = 0;
  }
  if (t->text.len > PIECE_MAX) return tb_fail(error, TB_BAD_DATA, t->offset, "a packet of more than 1 GiB of text");
  if (tb_buffer_reserve(&t->text, CHUNK_BYTES) != TB_OK)
    return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  size_t got = 0;
  enum tb_status status = tb_input_read(t->from, t->text.data + t->text.len, CHUNK_BYTES, &got, error);
  t->text.len += got;
  if (!t->offset && !t->text_at) t->text_at = byte_order_mark(t->text.data, t->text.len);
  if (status != TB_OK && status != TB_END && status != TB_TRUNCATED) return status;
  t->ended = status;
  return TB_OK;
}

/* ---- packets ----------------------------------------------------------------------------------------------------- */

static enum tb_status lose(struct packet_text *t, const struct tb_text_fault *fault) {
  uint64_t offset = t->offset + t->text_at + fault->at;
  tb_losses_add_kind(&t->losses, "packets whose text is wrong", tb_str_from(fault->what), offset);
  if (t->fault.code == TB_OK) (void)tb_fail(&t->fault, TB_BAD_DATA, offset, "is no text of packets: %s", fault->what);
  return TB_OK;
}

/* Passes over what may be between packets; false where that is all there is. */
static bool go_to_packet(struct packet_text *t, size_t end) {
  struct tb_text_cursor cursor = {t->text.data + t->text_at, t->text.data + end};
  if (!tb_text_take(&cursor, ',') && !tb_text_take(&cursor, ';')) tb_text_skip(&cursor);
  tb_text_skip(&cursor);
  t->text_at = (size_t)(cursor.at - t->text.data);
  return cursor.at < cursor.end;
}

/* The packets that come next are of the text at text_at. */
static enum tb_status keep_place(struct packet_text *t) {
  struct packet_place place = {t->made, t->offset + t->text_at};
  size_t keep = PLACES_MAX * sizeof(place);
  if (t->places.len == 2 * keep) {
    memmove(t->places.data, t->places.data + keep, keep);
    t->places.len = keep;
  }
  return tb_buffer_append(&t->places, &place, sizeof(place));
}

static uint64_t place_of(const void *ctx, uint64_t offset) {
  const struct packet_text *t = ctx;
  const struct packet_place *places = (const struct packet_place *)(const void *)t->places.data;
  size_t at = 0;
  TB_LOWER_BOUND(at, t->places.len / sizeof(*places), i, places[i].packet <= offset);
  return at ? places[at - 1].text : TB_NO_OFFSET;
}

static enum tb_status encode(struct packet_text *t, size_t end, struct tb_error *error) {
  struct tb_text_result result;
  if (!go_to_packet(t, end)) return TB_OK;
  if (keep_place(t) != TB_OK) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  enum tb_status status = tb_text_parse(&t->packets, &perfetto__protos__trace__descriptor, &t->names,
                                        (struct tb_str){t->text.data + t->text_at, end - t->text_at}, &result);
  if (status == TB_BAD_DATA) return lose(t, &result.fault);
  if (status != TB_OK) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  for (uint64_t i = 0; i < result.unknown; i++)
    tb_losses_add_kind(&t->losses, "fields that our schema does not know",
                       tb_str_from(i ? "others" : result.unknown_first.what),
                       t->offset + t->text_at + result.unknown_first.at);
  t->any |= t->packets.len > 0;
  return TB_OK;
}

/* What is no text of a packet is one loss, however long it is. */
static enum tb_status lose_plain(struct packet_text *t) {
  const struct tb_text_fault fault = {.what = "between packets is what is none"};
  if (t->in_plain) return TB_OK;
  t->in_plain = true;
  return lose(t, &fault);
}

static enum tb_status next_piece(struct packet_text *t, struct tb_error *error) {
  struct piece_scan scan = {.at = t->text_at};
  size_t end;
  while (!find_end(t, &scan, &end)) {
    size_t done = scan.at - t->text_at;
    enum tb_status status = read_more(t, error);
    if (status != TB_OK) return status;
    scan.at = t->text_at + done;
  }
  t->made += t->packets.len;
  t->packets.len = t->packets_at = 0;
  bool plain = scan.plain > PLAIN_MAX || (t->in_plain && !scan.depth && !strchr("}>]", t->text.data[end - 1]));
  enum tb_status status = plain ? lose_plain(t) : encode(t, end, error);
  t->in_plain = plain;
  t->text_at = end;
  return status;
}

/* ---- the input --------------------------------------------------------------------------------------------------- */

/* That the input is cut is lost here: what reads the packets sees a trace that is whole. */
static enum tb_status finish(struct packet_text *t, struct tb_error *error) {
  uint64_t end = t->offset + t->text.len;
  if (t->any) {
    if (t->ended == TB_TRUNCATED) tb_losses_add(&t->losses, TB_LOSS_COMPRESSION, end);
    return t->ended = TB_END;
  }
  if (t->fault.code == TB_OK && end) (void)tb_fail(&t->fault, TB_BAD_DATA, 0, "has no packets");
  if (t->fault.code == TB_OK) return t->ended;
  if (error && error->code == TB_OK) *error = t->fault;
  return TB_BAD_DATA;
}

static enum tb_status read_packets(void *ctx, char *to, size_t capacity, size_t *got, struct tb_error *error) {
  struct packet_text *t = ctx;
  *got = 0;
  while (t->packets_at == t->packets.len) {
    if (t->ended != TB_OK && t->text_at == t->text.len) return finish(t, error);
    enum tb_status status = next_piece(t, error);
    if (status != TB_OK) return status;
  }
  size_t left = t->packets.len - t->packets_at;
  *got = left < capacity ? left : capacity;
  memcpy(to, t->packets.data + t->packets_at, *got);
  t->packets_at += *got;
  return TB_OK;
}

static void close_text(void *ctx) {
  struct packet_text *t = ctx;
  tb_buffer_free(&t->text);
  tb_buffer_free(&t->packets);
  tb_buffer_free(&t->places);
  tb_extension_names_free(&t->names);
  tb_free(t->allocator, t, sizeof(*t));
}

enum tb_status tb_packet_text_open(struct tb_input **input, const struct tb_allocator *allocator,
                                   struct tb_error *error) {
  struct packet_text *t = tb_calloc(allocator, sizeof(*t));
  if (!t) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  t->allocator = allocator;
  t->from = *input;
  tb_buffer_init(&t->text, allocator, 0);
  tb_buffer_init(&t->packets, allocator, 0);
  tb_buffer_init(&t->places, allocator, 0);
  tb_extension_names_init(&t->names, allocator);
  const struct tb_input_source source = {t, read_packets, close_text, &t->losses, place_of};
  struct tb_input *inside;
  enum tb_status status = tb_input_open_inside(tb_input_name(*input), &source, *input, allocator, 1, &inside, error);
  if (status != TB_OK) {
    close_text(t);
    return status;
  }
  *input = inside;
  return TB_OK;
}

/* dump writes a packet that its fields would not make again as field 1 of a trace. */
bool tb_packet_text_detect(const char *data, size_t len) {
  static const char bytes[] = "1: \"";
  struct tb_text_cursor cursor = {data + byte_order_mark(data, len), data + len};
  bool more;
  tb_text_skip(&cursor);
  size_t left = (size_t)(cursor.end - cursor.at);
  if (left >= sizeof(bytes) - 1 && memcmp(cursor.at, bytes, sizeof(bytes) - 1) == 0) return true;
  return begins_packet(cursor.at, cursor.end, &more);
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets: counts a Perfetto trace's packets by kind, copies those of one sequence to a new trace, and decodes its
 * events with protobuf-c's generated structs.
 *
 *   ./packets trace.perfetto-trace SEQUENCE copy.perfetto-trace
 *
 * The structs are what protoc-gen-c makes of the public perfetto_trace.proto, or of a part of it.
 */
#include <stdio.h>
#include <stdlib.h>

#include <tracebridge/packet.h>

#include "perfetto/trace_packet.pb-c.h"

enum { KINDS = 2048 };

/* A packet's bytes come without their frame: field 1 of Trace, and how long it is. */
static void copy(FILE *to, struct tb_str bytes) {
  size_t len = bytes.len;
  (void)fputc(0x0a, to);
  for (; len >= 0x80; len >>= 7) (void)fputc((int)(len & 0x7f) | 0x80, to);
  (void)fputc((int)len, to);
  (void)fwrite(bytes.ptr, 1, bytes.len, to);
}

static void decode(const struct tb_packet *packet) {
  Perfetto__Protos__TracePacket *message =
      perfetto__protos__trace_packet__unpack(NULL, packet->bytes.len, (const uint8_t *)packet->bytes.ptr);
  if (message && message->track_event)
    printf("at %lld ns: type %d\n", (long long)packet->timestamp, (int)message->track_event->type);
  if (message) perfetto__protos__trace_packet__free_unpacked(message, NULL);
}

int main(int argc, char **argv) {
  static unsigned counts[KINDS];
  static struct tb_str names[KINDS];
  struct tb_packet_reader *reader;
  struct tb_error error = {0};
  const struct tb_packet *packet;
  enum tb_status status;
  if (argc != 4) return 2;
  FILE *to = fopen(argv[3], "wb");
  if (!to || tb_packet_reader_open(argv[1], NULL, &reader, &error) != TB_OK) {
    fprintf(stderr, "%s\n", to ? error.message : argv[3]);
    return 1;
  }
  while ((status = tb_packet_next(reader, &packet)) == TB_OK) {
    if (packet->kind < KINDS) {
      counts[packet->kind]++;
      names[packet->kind] = packet->kind_name; /* a constant */
    }
    if (packet->sequence != (uint32_t)strtoul(argv[2], NULL, 10)) continue;
    copy(to, packet->bytes);
    decode(packet);
  }
  for (unsigned kind = 0; kind < KINDS; kind++)
    if (counts[kind]) printf("%u %.*s\n", counts[kind], (int)names[kind].len, names[kind].ptr ? names[kind].ptr : "");
  tb_packet_reader_close(reader);
  return fclose(to) == 0 && status == TB_END ? 0 : 1;
}

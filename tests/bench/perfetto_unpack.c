/* SPDX-License-Identifier: Apache-2.0
 *
 * The baseline of everything that reads Perfetto traces: each packet through protobuf-c's generated unpack, into memory
 * that is one pointer further for each allocation and empty again for each packet.
 */
#include "baselines.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protobuf/wire.h"
#include "protos/perfetto/trace_packet.pb-c.h"

enum { BUMP_BYTES = 4 << 20 };

struct bump {
  size_t used;
  char *memory;
};

static void *bump_alloc(void *ctx, size_t size) {
  struct bump *bump = ctx;
  size_t start = bump->used;
  size = (size + 15) & ~(size_t)15;
  if (size > BUMP_BYTES - start) return NULL;
  bump->used += size;
  return bump->memory + start;
}

static void bump_free(void *ctx, void *p) { (void)ctx, (void)p; }

static bool unpack_all(struct tb_str trace, uint64_t *packets) {
  static char memory[BUMP_BYTES];
  struct bump bump = {0, memory};
  ProtobufCAllocator allocator = {bump_alloc, bump_free, &bump};
  struct tb_wire_cursor cursor = tb_wire_cursor(trace);
  struct tb_wire_field field;
  enum tb_status status;
  while ((status = tb_wire_read(&cursor, &field)) == TB_OK) {
    bump.used = 0;
    if (!perfetto__protos__trace_packet__unpack(&allocator, field.bytes.len, (const uint8_t *)field.bytes.ptr))
      return false;
    ++*packets;
  }
  return status == TB_END;
}

bool bench_unpack(const char *path, uint64_t *packets) {
  struct stat st;
  *packets = 0;
  int fd = open(path, O_RDONLY);
  if (fd < 0) return false;
  void *data = fstat(fd, &st) == 0 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  close(fd);
  if (data == MAP_FAILED) return false;
  bool good = unpack_all((struct tb_str){data, (size_t)st.st_size}, packets);
  munmap(data, (size_t)st.st_size);
  return good;
}

#!/bin/bash
# one_of_each.py fails on a second of each idea, planted in a copy of the tree one at a time, and on a list that is too
# long.
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z -co --exclude-standard bridge merge toolbox cli | xargs -0 cp --parents -t "$copy"
git -C "$copy" init -q
tests/lint/one_of_each.py "$copy"

planted=()
plant() { # IDEA CODE: a file that has none of it gets it
  echo "$2" >"$copy/bridge/model/planted.c"
  if tests/lint/one_of_each.py "$copy" >"$copy/said"; then
    echo "not found: a second $1: $2"
    exit 1
  fi
  grep -qF "bridge/model/planted.c:1: a second $1: " "$copy/said"
  rm "$copy/bridge/model/planted.c"
  planted+=("$1")
}
plant 'ring between two threads' '  pthread_cond_t filled;'
plant 'ring between two threads' '  (void)pthread_mutex_lock(&queue->mutex);'
plant 'thread' '  if (pthread_create(&thread, NULL, run, ctx) != 0) return false;'
plant 'heap' '    size_t child = 2 * at + 1;'
plant 'heap' '  while (i && before(item, items[(i - 1) / 2])) i = up(i);'
plant 'temporary file' '  int fd = mkostemp(path, O_CLOEXEC);'
plant 'temporary file' '  int fd = open(directory, O_TMPFILE | O_RDWR, 0600);'
plant 'reading and writing all at an offset' '    ssize_t n = pread(fd, to + done, len - done, (off_t)done);'
plant 'reading and writing all at an offset' '    ssize_t n = pwrite(fd, data, len, 0);'
plant 'freeing pages of a file' '  (void)fallocate(fd, mode, 0, len);'
plant 'hash mixing' '  return hash * 0x9E3779B97F4A7C15u;'
plant 'hash mixing' '  hash = (hash ^ byte) * UINT64_C(0x100000001b3);'
plant 'binary search' '    size_t middle = low + (high - low) / 2;'
plant 'binary search' '    size_t mid = (lo + hi) / 2;'
plant 'loader of libraries' '  void *library = dlopen("libz.so.1", RTLD_NOW);'
plant 'key of carried fields' '  if (tb_str_equal(member->name, TB_STR("tts_ns"))) return true;'
plant 'key of carried fields' '#define CARRIED "trace_event."'
plant 'same file' '  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;'
plant 'last part of a path' "  const char *slash = strrchr(path, '/');"
plant 'passing over a JSON string' "    if (*p == '\\\\') p++;"
plant 'unescaping of JSON' '  if (c >= 0xD800 && c < 0xdc00) c = second_half(c);'
plant 'escaping for JSON' "  *at++ = 'u';"
plant 'escaping for JSON' '  fprintf(to, "{\"name\":\"%s\"}", name);'
plant 'varint of protobuf' '  for (; value >= 128; value >>= 7) *at++ = (char)(value | 128);'
plant 'varint of protobuf' '  while (*at++ & 0x80) continue;'
plant 'merging of sorted items' '#include "base/heap.h"'
plant 'name of a compressed file' '  return ends_with(path, ".gz");'
plant 'name of a compressed file' '  return ends_with(path, ".zst");'
plant 'sequence table' '  if (!tb_map_get(&r->sequences, packet->sequence, packet->machine, &place)) return;'
plant 'sequence table' '  uint64_t key = (uint64_t)machine << 32 | id;'
plant 'packet-header parser' '    case TB_TRACE_PACKET_SEQUENCE_FLAGS:'
plant 'packet-header parser' '  if (field.number == TB_TRACE_PACKET_TIMESTAMP) head->timestamp = field.value;'
plant 'packet-header parser' \
  '  if (tag == TB_WIRE_TAG2(TB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, TB_WIRE_VARINT)) return at + 2;'
plant 'open addressing' '  for (;; i++) if (!slots[i & (capacity - 1)].used) return &slots[i & (capacity - 1)];'
plant 'open addressing' '  while (slots[i]) i = (i + 1) & (count - 1);'
diff <(printf '%s\n' "${planted[@]}" | uniq) <(tests/lint/one_of_each.py --ideas) # all rows were tried

echo '/* as pthread_create does: 2 * at + 1 */' >"$copy/bridge/model/planted.c" # comments may speak of all
tests/lint/one_of_each.py "$copy"

sed -i '/pthread_create/d' "$copy/merge/input/prescan_inputs.c" # an entry of a list that nothing needs any more
if tests/lint/one_of_each.py "$copy" >"$copy/said"; then exit 1; fi
grep -qF 'merge/input/prescan_inputs.c has no thread any more' "$copy/said"

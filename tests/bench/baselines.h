/* SPDX-License-Identifier: Apache-2.0
 *
 * What a conversion is compared with: each goes over the same bytes in the plainest way that somebody else's code
 * can.
 */
#ifndef BENCH_BASELINES_H
#define BENCH_BASELINES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each returns false when it failed. *seconds is what the work itself took, *events the count where one is known. */
bool bench_memcpy(const char *path, double *seconds);         /* the file's bytes, memory to memory */
bool bench_copy(const char *from, const char *to);            /* read() and write() through one buffer */
bool bench_inflate(const char *path, uint64_t *bytes);        /* zlib; the result is thrown away */
bool bench_deflate(const char *from, const char *to);         /* zlib, default level: makes .gz inputs */
bool bench_simdjson_walk(const char *path, uint64_t *events); /* every key and value of every event, once */
bool bench_unpack(const char *path, uint64_t *packets);       /* protobuf-c's TracePackets, into a bump allocator */

#ifdef __cplusplus
}
#endif
#endif

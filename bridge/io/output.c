/* SPDX-License-Identifier: Apache-2.0 */
#include "io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/compress.h"
#include "io/path.h"
#include "io/write_behind.h"
#include "tracebridge/file.h"

enum {
  BUFFER_BYTES = 1 << 20,
  PASSED_BYTES = 256 * 1024, /* to the thread at a time, which then has what is still in a cache */
  DIRECT_BYTES = 64 * 1024,  /* so much is not copied to be written */
  COMPRESSED_BYTES = 256 * 1024
};

static const char SUFFIX[] = ".XXXXXX"; /* room for what a temporary name has behind the target's */

struct tb_output {
  const struct tb_allocator *allocator;
  char *path; /* as given, for messages */
  /* The file that is created or replaced, with links followed. NULL: `fd` is written directly (descriptors, devices,
   * pipes). */
  char *target;
  char *temporary; /* its name until it is whole; NULL: none left to be renamed or removed */
  tb_temporary_name on_temporary_name;
  void *on_temporary_name_ctx;
  bool keeps_existing; /* no file is replaced */
  bool nameless;       /* the file has no name yet, not even `temporary`: whatever ends the process, nothing is left */
  int fd;
  struct tb_output_place place; /* a function or memory has the bytes, and else `fd` */
  tb_output_misleads misleads;  /* NULL once it was called */
  tb_output_padding padding;
  unsigned threads;
  char *buffer;
  size_t len;
  uint64_t taken;
  enum tb_status status;          /* the first failure that the caller's thread knows of */
  struct tb_write_behind *behind; /* compresses and writes in a thread of its own; what follows is then the thread's */
  struct tb_compressor *compressor; /* NULL: none */
  char *compressed;                 /* room for what it made */
  uint64_t written;
  struct tb_error error;
};

static bool has_fd(const struct tb_output *out) { return !out->place.write_bytes && !out->place.memory; }

static char *copy_text(const struct tb_allocator *a, const char *text, const char *suffix) {
  size_t n = strlen(text), m = strlen(suffix);
  char *p = tb_alloc(a, n + m + 1);
  if (!p) return NULL;
  memcpy(p, text, n);
  memcpy(p + n, suffix, m + 1);
  return p;
}

static void drop_text(const struct tb_output *out, char **text) {
  if (*text) tb_free(out->allocator, *text, strlen(*text) + 1);
  *text = NULL;
}

static void report_temporary_name(const struct tb_output *out, const char *name) {
  if (out->on_temporary_name) out->on_temporary_name(out->on_temporary_name_ctx, name);
}

/* The temporary name is in use no more. */
static void drop_temporary(struct tb_output *out) {
  report_temporary_name(out, NULL);
  drop_text(out, &out->temporary);
}

/* What replaces a file is private until it gets that file's mode; the kernel applies the umask to a new one. */
static mode_t first_mode(const struct tb_output *out) {
  struct stat st;
  return stat(out->target, &st) == 0 ? 0600 : 0666;
}

/* A file without a name in the target's folder; -1 where the file system or a missing /proc does not allow it. */
static int open_nameless(const struct tb_output *out) {
  char folder[PATH_MAX];
  if (!tb_path_folder(out->target, folder) || access("/proc/self/fd", X_OK) != 0) return -1;
  return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, first_mode(out));
}

/* Makes the next temporary name, which begins at another number in each process; false after too many attempts. */
static bool next_name(struct tb_output *out, unsigned attempt) {
  snprintf(out->temporary + strlen(out->target), sizeof(SUFFIX), ".%06u", ((unsigned)getpid() + attempt) % 1000000);
  return attempt < 10000;
}

static enum tb_status open_named(struct tb_output *out, struct tb_error *error) {
  errno = EEXIST;
  for (unsigned attempt = 0; out->fd < 0 && errno == EEXIST && next_name(out, attempt); attempt++)
    out->fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, first_mode(out));
  if (out->fd >= 0) {
    report_temporary_name(out, out->temporary);
    return TB_OK;
  }
  int e = errno;
  drop_text(out, &out->temporary);
  return tb_fail_errno(error, TB_IO, e, "cannot create");
}

static enum tb_status open_temporary(struct tb_output *out, struct tb_error *error) {
  out->temporary = copy_text(out->allocator, out->target, SUFFIX);
  if (!out->temporary) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  out->fd = open_nameless(out);
  out->nameless = out->fd >= 0;
  return out->nameless ? TB_OK : open_named(out, error);
}

static enum tb_status open_directly(struct tb_output *out, int descriptor, struct tb_error *error) {
  out->fd = descriptor >= 0 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 0) : open(out->path, O_WRONLY | O_CLOEXEC);
  return out->fd < 0 ? tb_fail_errno(error, TB_IO, errno, "cannot open for writing") : TB_OK;
}

static enum tb_status open_path(struct tb_output *out, struct tb_error *error) {
  char target[PATH_MAX];
  struct stat st;
  if (!tb_path_follow(out->path, target)) return tb_fail_errno(error, TB_IO, errno, "cannot create");
  int descriptor = tb_path_descriptor(target);
  if (descriptor >= 0) return open_directly(out, descriptor, error);
  if (stat(out->path, &st) == 0 && !S_ISREG(st.st_mode)) {
    if (S_ISDIR(st.st_mode)) return tb_fail(error, TB_IO, TB_NO_OFFSET, "is a directory, cannot be written");
    return open_directly(out, -1, error);
  }
  out->target = copy_text(out->allocator, target, "");
  if (!out->target) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  return open_temporary(out, error);
}

static enum tb_status open_any(struct tb_output *out, const char *path, const struct tb_output_options *options,
                               struct tb_error *error) {
  const enum tb_compression compression = options ? options->compression : TB_COMPRESSION_NONE;
  out->path = copy_text(out->allocator, path, "");
  out->buffer = tb_alloc(out->allocator, BUFFER_BYTES);
  bool compresses = compression != TB_COMPRESSION_NONE;
  if (compresses) {
    out->compressed = tb_alloc(out->allocator, COMPRESSED_BYTES);
    out->compressor = tb_compressor_create(compression, out->allocator);
  }
  if (!out->path || !out->buffer || (compresses && (!out->compressed || !out->compressor)))
    return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  const int *descriptor = out->place.descriptor;
  if (!has_fd(out)) return TB_OK;
  if (descriptor) return open_directly(out, *descriptor >= 0 ? *descriptor : INT_MAX, error);
  return strcmp(path, "-") == 0 ? open_directly(out, STDOUT_FILENO, error) : open_path(out, error);
}

enum tb_status tb_output_open(const char *path, const struct tb_output_options *options, struct tb_output **output,
                              struct tb_error *error) {
  const struct tb_allocator *a = options && options->allocator ? options->allocator : tb_default_allocator();
  *output = NULL;
  struct tb_output *out = tb_calloc(a, sizeof(*out));
  if (!out) return tb_fail(error, TB_NO_MEMORY, TB_NO_OFFSET, "out of memory");
  out->allocator = a;
  out->fd = -1;
  out->misleads = options ? options->misleads : NULL;
  out->padding = options ? options->padding : NULL;
  out->threads = options ? options->threads : 1;
  if (options) out->place = options->place;
  out->on_temporary_name = options ? options->temporary_name : NULL;
  out->on_temporary_name_ctx = options ? options->temporary_name_ctx : NULL;
  enum tb_status status = open_any(out, path, options, error);
  if (status != TB_OK) {
    tb_error_set_file(error, path);
    tb_output_close(out);
    return status;
  }
  *output = out;
  return TB_OK;
}

static enum tb_status write_to_caller(struct tb_output *out, const char *data, size_t len) {
  const struct tb_output_place *place = &out->place;
  if (!len) return TB_OK;
  enum tb_status status = TB_OK;
  if (place->memory)
    status = tb_buffer_append(place->memory, data, len);
  else if (!place->write_bytes(place->ctx, data, len))
    status = TB_IO;
  out->written += status == TB_OK ? len : 0;
  if (status == TB_OK) return TB_OK;
  tb_error_set_file(&out->error, out->path);
  return tb_fail(&out->error, status, TB_NO_OFFSET, "cannot write: %s",
                 status == TB_IO ? "the function that takes the bytes has failed" : tb_status_text(status));
}

static enum tb_status write_fd(struct tb_output *out, const char *data, size_t len) {
  if (!has_fd(out)) return write_to_caller(out, data, len);
  while (len) {
    ssize_t n = write(out->fd, data, len);
    if (n < 0) {
      if (errno == EINTR) continue;
      tb_error_set_file(&out->error, out->path);
      return tb_fail_errno(&out->error, TB_IO, errno, "cannot write");
    }
    data += n;
    len -= (size_t)n;
    out->written += (uint64_t)n;
  }
  return TB_OK;
}

static enum tb_status write_compressed(struct tb_output *out, const char *data, size_t len, bool ends) {
  const char *end = data + len;
  for (bool done = false; !done;) {
    size_t got;
    enum tb_status status =
        tb_compress(out->compressor, &data, end, ends, out->compressed, COMPRESSED_BYTES, &got, &done);
    if (status != TB_OK) return tb_fail(&out->error, status, TB_NO_OFFSET, "%s", tb_status_text(status));
    status = write_fd(out, out->compressed, got);
    if (status != TB_OK) return status;
  }
  return TB_OK;
}

static enum tb_status write_through(struct tb_output *out, const char *data, size_t len) {
  if (!out->compressor) return write_fd(out, data, len);
  return len ? write_compressed(out, data, len, false) : TB_OK;
}

static enum tb_status consume(void *ctx, const char *bytes, size_t len) { return write_through(ctx, bytes, len); }

/* Ends the thread; all is the caller's again. */
static void stop_thread(struct tb_output *out) {
  tb_write_behind_stop(out->behind);
  out->behind = NULL;
}

/* Without a thread to be had, writing goes on in the caller's. */
static void start_thread(struct tb_output *out) {
  if (out->threads > 1) out->behind = tb_write_behind_start(out->allocator, BUFFER_BYTES, consume, out);
  out->threads = 1; /* tried once */
}

/* The buffer holds the first bytes that are written. */
static enum tb_status write_padding(struct tb_output *out) {
  char padding[TB_OUTPUT_PADDING_MAX];
  size_t len = out->misleads(out->buffer, out->len) ? out->padding(padding) : 0;
  out->misleads = NULL;
  out->taken += len;
  return write_through(out, padding, len);
}

static enum tb_status flush(struct tb_output *out) {
  if (out->status != TB_OK || !out->len) return out->status;
  if (out->misleads) out->status = write_padding(out);
  if (out->status != TB_OK) return out->status;
  if (!out->behind) start_thread(out);
  if (out->behind)
    out->status = tb_write_behind_pass(out->behind, &out->buffer, out->len);
  else
    out->status = write_through(out, out->buffer, out->len);
  out->len = 0;
  if (out->status != TB_OK) stop_thread(out);
  return out->status;
}

static enum tb_status report(const struct tb_output *out, struct tb_error *error) {
  if (error && error->code == TB_OK) *error = out->error;
  return out->status;
}

/* Through the buffer, in pieces. */
static enum tb_status write_buffered(struct tb_output *out, const char *data, size_t len) {
  while (len) {
    size_t room = BUFFER_BYTES - out->len, n = len < room ? len : room;
    memcpy(out->buffer + out->len, data, n);
    out->len += n;
    data += n;
    len -= n;
    if ((len || (out->behind && out->len >= PASSED_BYTES)) && flush(out) != TB_OK) return out->status;
  }
  return TB_OK;
}

enum tb_status tb_output_write(struct tb_output *out, const void *data, size_t len, struct tb_error *error) {
  if (out->status != TB_OK) return report(out, error);
  out->taken += len;
  if (len >= DIRECT_BYTES && out->threads < 2 && !out->behind && !out->misleads) {
    if (flush(out) == TB_OK) out->status = write_through(out, data, len);
  } else {
    (void)write_buffered(out, data, len);
  }
  return out->status == TB_OK ? TB_OK : report(out, error);
}

char *tb_output_reserve(struct tb_output *out, size_t len, struct tb_error *error) {
  if (len > BUFFER_BYTES) return NULL;
  size_t most = out->behind ? PASSED_BYTES : BUFFER_BYTES;
  if (out->status == TB_OK && (len > BUFFER_BYTES - out->len || out->len >= most)) (void)flush(out);
  if (out->status == TB_OK) return out->buffer + out->len;
  (void)report(out, error);
  return NULL;
}

void tb_output_commit(struct tb_output *out, size_t len) {
  out->len += len;
  out->taken += len;
}

static bool link_as(struct tb_output *out, const char *name) {
  char from[64];
  snprintf(from, sizeof(from), "/proc/self/fd/%d", out->fd);
  out->nameless = linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) != 0;
  return !out->nameless;
}

/* Gives a nameless file a temporary name: a link cannot replace a file that is there, a rename can. */
static bool give_temporary_name(struct tb_output *out) {
  for (unsigned attempt = 0; next_name(out, attempt); attempt++) {
    if (link_as(out, out->temporary)) {
      report_temporary_name(out, out->temporary);
      return true;
    }
    if (errno != EEXIST) break;
  }
  return false;
}

/* Gives the file the mode of the one that it replaces, and its owner where the system permits. Where the group differs
 * and cannot be changed, the group gets the rights of all others: the mode was not meant for its members. */
static void keep_mode(const struct tb_output *out) {
  struct stat was, is;
  if (!out->target || stat(out->target, &was) != 0 || fstat(out->fd, &is) != 0) return;
  mode_t mode = was.st_mode & 0777;
  bool other = was.st_uid != is.st_uid || was.st_gid != is.st_gid;
  if (other && fchown(out->fd, was.st_uid, was.st_gid) != 0 && was.st_gid != is.st_gid &&
      fchown(out->fd, (uid_t)-1, was.st_gid) != 0)
    mode = (mode & 0707) | (mode & 07) << 3;
  (void)fchmod(out->fd, mode); /* it was made for its owner alone */
}

/* All that was taken is in the file. */
static enum tb_status write_rest(struct tb_output *out) {
  if (!out->behind) out->threads = 1; /* not worth a thread any more */
  if (flush(out) == TB_OK && out->behind) out->status = tb_write_behind_drain(out->behind);
  stop_thread(out);
  if (out->status == TB_OK && out->compressor) out->status = write_compressed(out, "", 0, true);
  return out->status;
}

static enum tb_status fail_to_name(struct tb_output *out) {
  if (out->keeps_existing && errno == EEXIST)
    return tb_fail_errno(&out->error, TB_IO, errno, "is there by now, and no file is to be replaced");
  return tb_fail_errno(&out->error, TB_IO, errno, "cannot give the output its name");
}

/* Moves the file from its temporary name to its own; by a link where nothing is to be replaced and the file system has
 * no rename for that. */
static bool rename_to_target(const struct tb_output *out) {
  if (!out->keeps_existing) return rename(out->temporary, out->target) == 0;
  if (renameat2(AT_FDCWD, out->temporary, AT_FDCWD, out->target, RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  return link(out->temporary, out->target) == 0 && unlink(out->temporary) == 0;
}

static enum tb_status name_file(struct tb_output *out) {
  keep_mode(out);
  bool placed = out->nameless && link_as(out, out->target); /* nothing is replaced */
  if (out->nameless && out->keeps_existing && errno == EEXIST) return fail_to_name(out);
  if (placed) drop_text(out, &out->temporary);
  if (out->nameless && !give_temporary_name(out))
    return tb_fail_errno(&out->error, TB_IO, errno, "cannot give the output its name");
  int fd = out->fd;
  out->fd = -1;
  if (close(fd) != 0) {
    int e = errno;
    if (placed) (void)unlink(out->target);
    return tb_fail_errno(&out->error, TB_IO, e, "cannot write");
  }
  if (!out->temporary) return TB_OK;
  if (!rename_to_target(out)) return fail_to_name(out);
  drop_temporary(out);
  return TB_OK;
}

enum tb_status tb_output_finish(struct tb_output *out, struct tb_error *error) {
  if (write_rest(out) == TB_OK && has_fd(out)) out->status = name_file(out);
  if (out->status == TB_OK) return TB_OK;
  tb_error_set_file(&out->error, out->path);
  return report(out, error);
}

void tb_output_keep_existing(struct tb_output *out) { out->keeps_existing = true; }

uint64_t tb_output_bytes(const struct tb_output *out) { return out->taken; }
uint64_t tb_output_bytes_written(const struct tb_output *out) { return out->written; }

void tb_output_close(struct tb_output *out) {
  if (!out) return;
  stop_thread(out);
  if (out->fd >= 0) (void)close(out->fd);
  if (out->temporary && !out->nameless) (void)unlink(out->temporary);
  tb_compressor_destroy(out->compressor);
  if (out->temporary) drop_temporary(out);
  drop_text(out, &out->target);
  drop_text(out, &out->path);
  tb_free(out->allocator, out->buffer, BUFFER_BYTES);
  tb_free(out->allocator, out->compressed, COMPRESSED_BYTES);
  tb_free(out->allocator, out, sizeof(*out));
}

static enum tb_status fail_null(struct tb_error *error) {
  return tb_fail(error, TB_INVALID, TB_NO_OFFSET, "the file, or what to write, is NULL");
}

enum tb_status tb_file_write(const char *path, const void *data, size_t len, struct tb_error *error) {
  struct tb_output *output;
  if (!path || (!data && len)) return fail_null(error);
  enum tb_status status = tb_output_open(path, NULL, &output, error);
  if (!output) return status;
  status = tb_output_write(output, data, len, error);
  if (status == TB_OK) status = tb_output_finish(output, error);
  tb_output_close(output);
  return status;
}

/* A tb_file is an output by another name. */
static struct tb_output *output_of(struct tb_file *file) { return (struct tb_output *)(void *)file; }

enum tb_status tb_file_open(const char *path, tb_temporary_name temporary_name, void *ctx, struct tb_file **file,
                            struct tb_error *error) {
  size_t len;
  if (file) *file = NULL;
  if (!path || !file) return fail_null(error);
  struct tb_output_options options = {.temporary_name = temporary_name, .temporary_name_ctx = ctx, .threads = 1};
  options.compression = tb_path_compression(path, &len);
  struct tb_output *output;
  enum tb_status status = tb_output_open(path, &options, &output, error);
  *file = (struct tb_file *)(void *)output;
  return status;
}

void tb_file_keep_existing(struct tb_file *file) {
  if (file) tb_output_keep_existing(output_of(file));
}

enum tb_status tb_file_put(struct tb_file *file, const void *data, size_t len, struct tb_error *error) {
  if (!file || (!data && len)) return fail_null(error);
  return tb_output_write(output_of(file), data, len, error);
}

enum tb_status tb_file_finish(struct tb_file *file, struct tb_error *error) {
  return file ? tb_output_finish(output_of(file), error) : fail_null(error);
}

void tb_file_close(struct tb_file *file) { tb_output_close(output_of(file)); }

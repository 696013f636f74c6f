/* SPDX-License-Identifier: Apache-2.0
 *
 * What a machine-learning profiler writes: operators in nested calls, each launching kernels on a stream of a device
 * over a flow; many string arguments; the layout spread over several lines.
 */
#include "generate.h"

static const char *const operators[] = {
    "aten::empty",      "aten::zero_", "aten::convolution", "aten::cudnn_convolution",
    "aten::batch_norm", "aten::relu_", "aten::max_pool2d",  "aten::add_",
    "aten::linear",     "aten::addmm", "aten::log_softmax", "autograd::engine::evaluate"};
static const char *const kernels[] = {
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, at::detail::Array<char*, 1>>",
    "volta_scudnn_128x64_relu_interior_nn_v1",
    "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1>(cudnn::bnFwTrainParams)",
    "void gemmSN_NN_kernel<float, 256, 4, 2, 8, 3, 4, false>(cublasGemmvParamsEx<float>)"};
static const char *const shapes[] = {"[[], [], [], [], [], []]", "[[32, 3, 224, 224], [64, 3, 7, 7], [], []]",
                                     "[[32, 64, 112, 112], [64], [64], [64], [64]]",
                                     "[[1000, 2048], [32, 2048], [1000]]"};
static const char *const stacks[] = {
    "torch/nn/modules/module.py(1051): _call_impl;torchvision/models/resnet.py(234): forward;train.py(54): <module>",
    "torch/autograd/__init__.py(147): backward;torch/_tensor.py(255): backward;train.py(58): <module>",
    "torch/optim/sgd.py(110): step;torch/optim/optimizer.py(88): wrapper;train.py(59): <module>"};

struct run {
  uint64_t cpu_ns, gpu_ns; /* since baseTimeNanoseconds */
  uint32_t correlation;
};

static void write_time(struct bench_generator *g, const char *key, uint64_t ns) {
  bench_print(g, "\"%s\": %llu.%03u", key, (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
}

static void open_event(struct bench_generator *g, const char *phase, const char *category, const char *name, int pid,
                       int tid) {
  bench_print(g, "%s  {\n    \"ph\": \"%s\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d,\n    ",
              g->events++ ? ",\n" : "", phase, category, name, pid, tid);
}

static void write_operator(struct bench_generator *g, struct run *r, uint64_t ts, uint64_t dur) {
  open_event(g, "X", "cpu_op", operators[bench_pick(g, 12)], 25738, 25738);
  write_time(g, "ts", ts);
  bench_print(g, ", ");
  write_time(g, "dur", dur);
  unsigned shape = bench_pick(g, 4), stack = bench_pick(g, 3);
  bench_print(
      g,
      ",\n    \"args\": {\n      \"External id\": %u, \"Trace name\": \"PyTorch Profiler\", \"Trace iteration\": %u,\n"
      "      \"Input Dims\": %s, \"Call stack\": \"%s\"\n    }\n  }",
      r->correlation, r->correlation / 1000, shapes[shape], stacks[stack]);
}

static void write_flow(struct bench_generator *g, const char *phase, uint32_t id, int pid, int tid, uint64_t ts) {
  open_event(g, phase, "ac2g", "ac2g", pid, tid);
  bench_print(g, "\"id\": %u, ", id);
  write_time(g, "ts", ts);
  bench_print(g, "%s\n  }", phase[0] == 'f' ? ", \"bp\": \"e\"" : "");
}

static void write_launch(struct bench_generator *g, struct run *r, uint64_t ts, uint64_t dur) {
  open_event(g, "X", "cuda_runtime", "cudaLaunchKernel", 25738, 25738);
  write_time(g, "ts", ts);
  bench_print(g, ", ");
  write_time(g, "dur", dur);
  bench_print(g, ",\n    \"args\": {\n      \"cbid\": 211, \"correlation\": %u\n    }\n  }", r->correlation);
  write_flow(g, "s", r->correlation, 25738, 25738, ts);
}

static void write_kernel(struct bench_generator *g, struct run *r, uint64_t dur) {
  if (r->gpu_ns < r->cpu_ns) r->gpu_ns = r->cpu_ns;
  open_event(g, "X", "kernel", kernels[bench_pick(g, 4)], 0, 7);
  write_time(g, "ts", r->gpu_ns);
  bench_print(g, ", ");
  write_time(g, "dur", dur);
  unsigned n = bench_pick(g, 49152);
  bench_print(
      g,
      ",\n    \"args\": {\n      \"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": %u,\n"
      "      \"registers per thread\": %u, \"shared memory\": %u, \"blocks per SM\": %u.%u,\n"
      "      \"grid\": [%u, 1, 1], \"block\": [%u, 1, 1]\n    }\n  }",
      r->correlation, 16 + n % 64, n, n % 32, n % 100, 1 + n % 4096, 64u << n % 4);
  write_flow(g, "f", r->correlation, 0, 7, r->gpu_ns);
  r->gpu_ns += dur + 1000;
}

/* An operator that calls another, that launches a kernel. */
static void write_step(struct bench_generator *g, struct run *r) {
  uint64_t dur = 8000 + bench_pick_skewed(g, 200000);
  r->correlation++;
  write_operator(g, r, r->cpu_ns, dur);
  if (bench_pick(g, 2)) write_operator(g, r, r->cpu_ns + 1000, dur - 2000);
  if (bench_pick(g, 3)) {
    write_launch(g, r, r->cpu_ns + 2000, dur - 4000);
    write_kernel(g, r, 1000 + bench_pick_skewed(g, 100000));
  }
  r->cpu_ns += dur + 500;
}

void bench_generate_pytorch(struct bench_generator *g, uint64_t bytes) {
  struct run r = {.cpu_ns = 4523460111000u};
  bench_print(
      g,
      "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\n      \"id\": 0, \"name\": \"Device\"\n    }\n  "
      "],\n"
      "  \"displayTimeUnit\": \"ms\",\n  \"baseTimeNanoseconds\": 1623142620000000000,\n  \"traceEvents\": [\n");
  open_event(g, "M", "", "process_name", 25738, 0);
  bench_print(g, "\"ts\": 0,\n    \"args\": {\n      \"name\": \"python\"\n    }\n  }");
  while (g->bytes < bytes) write_step(g, &r);
  bench_print(g, "\n  ],\n  \"traceName\": \"bench.pt.trace.json\"\n}\n");
}

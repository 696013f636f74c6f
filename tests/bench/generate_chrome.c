/* SPDX-License-Identifier: Apache-2.0
 *
 * What a browser writes: some processes with some threads, chunks of 64 events of one thread after the other, so that
 * time runs forward on each thread but not in the file.
 */
#include "generate.h"

enum { PROCESSES = 4, THREADS_EACH = 6, THREADS = PROCESSES * THREADS_EACH, MAX_DEPTH = 12, CHUNK_EVENTS = 64 };

struct name {
  const char *category, *name;
};

static const struct name names[] = {
    {"toplevel", "ThreadControllerImpl::RunTask"},
    {"toplevel,viz", "VizCompositorThread::SubmitCompositorFrame"},
    {"ipc,toplevel", "ChannelReader::DispatchInputData"},
    {"devtools.timeline", "FunctionCall"},
    {"devtools.timeline", "UpdateLayoutTree"},
    {"devtools.timeline,rail", "FireAnimationFrame"},
    {"disabled-by-default-v8.gc", "V8.GC_SCAVENGER_SCAVENGE_PARALLEL"},
    {"v8,devtools.timeline", "v8.compile"},
    {"blink,benchmark", "LocalFrameView::performLayout"},
    {"blink", "PageAnimator::serviceScriptedAnimations"},
    {"cc", "LayerTreeHostImpl::PrepareToDraw"},
    {"cc,benchmark", "ProxyMain::BeginMainFrame"},
    {"gpu", "CommandBufferStub::OnAsyncFlush"},
    {"loading", "ResourceDispatcher::OnReceivedResponse"},
    {"net", "URLRequestJob::NotifyHeadersComplete"},
    {"mojom", "Receive network::mojom::URLLoaderClient"},
    {"base", "MessagePumpLibevent::OnLibeventNotification"},
    {"disabled-by-default-devtools.timeline", "RunMicrotasks"},
};

static const char *const files[] = {
    "../../third_party/blink/renderer/core/frame/local_frame_view.cc",
    "../../cc/trees/single_thread_proxy.cc",
    "../../mojo/public/cpp/bindings/lib/connector.cc",
    "../../services/network/url_loader.cc",
    "../../gpu/ipc/service/command_buffer_stub.cc",
};

static const char *const functions[] = {"ScheduleAnimation", "OnHandleReadyInternal", "Accept", "NotifyCompleted",
                                        "operator()"};

static const char *const thread_names[THREADS_EACH] = {"CrRendererMain",       "Compositor",
                                                       "Chrome_ChildIOThread", "ThreadPoolForegroundWorker",
                                                       "VizCompositorThread",  "ThreadPoolServiceThread"};

struct open_slice {
  uint64_t end;
  const struct name *name;
  bool needs_end; /* was written as B */
};

struct thread {
  unsigned pid, tid;
  uint64_t now, cpu;
  struct open_slice stack[MAX_DEPTH];
  int depth;
};

static void begin_event(struct bench_generator *g, const struct thread *t, uint64_t ts, char phase) {
  bench_print(g, "%s{\"pid\":%u,\"tid\":%u,\"ts\":%llu,\"ph\":\"%c\"", g->events++ ? ",\n" : "", t->pid, t->tid,
              (unsigned long long)ts, phase);
}

static void write_args(struct bench_generator *g) {
  unsigned kind = bench_pick(g, 8), n = bench_pick(g, 3000), m = bench_pick(g, 5); /* drawn in a fixed order */
  switch (kind) {
    case 0:
      bench_print(g, ",\"args\":{}");
      break;
    case 1:
      bench_print(g, ",\"args\":{\"src_file\":\"%s\",\"src_func\":\"%s\"}", files[m], functions[n % 5]);
      break;
    case 2:
      bench_print(g, ",\"args\":{\"class\":%u,\"line\":%u}", m, n);
      break;
    case 3:
      bench_print(g, ",\"args\":{\"data\":{\"frame\":\"%08X%08X\",\"nodeCount\":%u,\"dirty\":%s}}", m, n % 100, n,
                  n % 2 ? "true" : "false");
      break;
    case 4:
      bench_print(g, ",\"args\":{\"url\":\"https://www.example.org/assets/app-%u.js?v=%u\"}", n % 300, m);
      break;
    case 5:
      bench_print(g, ",\"args\":{\"layerTreeId\":%u,\"ratio\":0.%u}", m, n);
      break;
    case 6:
      bench_print(g, ",\"args\":{\"fd\":%u}", n % 64);
      break;
    default:
      bench_print(g, ",\"args\":{\"info\":{\"delay\":%u,\"nestingLevel\":%u},\"queue\":\"frame_loading_control_tq\"}",
                  n, m);
  }
}

static void end_slices(struct bench_generator *g, struct thread *t) {
  while (t->depth && t->stack[t->depth - 1].end <= t->now) {
    const struct open_slice *slice = &t->stack[--t->depth];
    if (!slice->needs_end) continue;
    begin_event(g, t, slice->end, 'E');
    bench_print(g, ",\"cat\":\"%s\",\"name\":\"%s\",\"args\":{},\"tts\":%llu}", slice->name->category,
                slice->name->name, (unsigned long long)t->cpu);
  }
}

static void write_instant(struct bench_generator *g, struct thread *t, const struct name *name) {
  begin_event(g, t, t->now, 'I');
  bench_print(g, ",\"cat\":\"%s\",\"name\":\"%s\",\"s\":\"t\"", name->category, name->name);
  write_args(g);
  bench_print(g, ",\"tts\":%llu}", (unsigned long long)t->cpu);
}

static void write_slice(struct bench_generator *g, struct thread *t, const struct name *name) {
  uint32_t room = 1000000;
  if (t->depth) room = (uint32_t)(t->stack[t->depth - 1].end - t->now);
  uint32_t dur = bench_pick_skewed(g, room + 1);
  bool pair = bench_pick(g, 10) < 2;
  begin_event(g, t, t->now, pair ? 'B' : 'X');
  bench_print(g, ",\"cat\":\"%s\",\"name\":\"%s\"", name->category, name->name);
  write_args(g);
  if (!pair) bench_print(g, ",\"dur\":%u,\"tdur\":%u", dur, dur - bench_pick(g, dur / 4 + 1));
  bench_print(g, ",\"tts\":%llu", (unsigned long long)t->cpu);
  unsigned flow = bench_pick(g, 24 * 4096);
  if (flow < 4096) bench_print(g, ",\"bind_id\":\"0x%x\",\"flow_%s\":true", 0x6ea00 + flow, flow % 2 ? "in" : "out");
  bench_print(g, "}");
  t->stack[t->depth++] = (struct open_slice){t->now + dur, name, pair};
}

static void write_event(struct bench_generator *g, struct thread *t) {
  uint32_t step = 1 + bench_pick_skewed(g, 200);
  t->now += step;
  t->cpu += step - bench_pick(g, step / 3 + 1);
  end_slices(g, t);
  const struct name *name = &names[bench_pick(g, sizeof(names) / sizeof(names[0]))];
  if (t->depth == MAX_DEPTH || bench_pick(g, 30) == 0)
    write_instant(g, t, name);
  else
    write_slice(g, t, name);
}

static void finish_thread(struct bench_generator *g, struct thread *t) {
  while (t->depth) {
    t->now = t->stack[t->depth - 1].end;
    end_slices(g, t);
  }
}

void bench_generate_chrome(struct bench_generator *g, uint64_t bytes) {
  struct thread threads[THREADS];
  bench_print(g, "{\"traceEvents\":[\n");
  for (unsigned i = 0; i < THREADS; i++) {
    struct thread *t = &threads[i];
    *t = (struct thread){.pid = 1200 + 37 * (i / THREADS_EACH), .now = 73610000842u + i, .cpu = 392694};
    t->tid = t->pid + i % THREADS_EACH;
    begin_event(g, t, 0, 'M');
    bench_print(g, ",\"cat\":\"__metadata\",\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}",
                thread_names[i % THREADS_EACH]);
  }
  for (unsigned i = 0; g->bytes < bytes; i = (i + 1) % THREADS)
    for (int n = 0; n < CHUNK_EVENTS && g->bytes < bytes; n++) write_event(g, &threads[i]);
  for (unsigned i = 0; i < THREADS; i++) finish_thread(g, &threads[i]);
  bench_print(g, "],\n\"metadata\":{\"clock-domain\":\"LINUX_CLOCK_MONOTONIC\",\"product-version\":\"bench\"}}\n");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/chrome_names.h"

#include <string.h>

struct kind {
  int32_t type;
  const char *name;
};

static struct tb_slice find(const struct kind *kinds, size_t count, int32_t type) {
  for (size_t i = 0; i < count; i++)
    if (kinds[i].type == type) return (struct tb_slice){kinds[i].name, strlen(kinds[i].name)};
  return TB_SLICE("");
}

struct tb_slice tb_chrome_process_name(int32_t type) {
  static const struct kind kinds[] = {{1, "Browser"},       {2, "Renderer"}, {3, "Utility"},     {4, "Zygote"},
                                      {5, "SandboxHelper"}, {6, "Gpu"},      {7, "PpapiPlugin"}, {8, "PpapiBroker"}};
  return find(kinds, sizeof(kinds) / sizeof(kinds[0]), type);
}

struct tb_slice tb_chrome_thread_name(int32_t type) {
  static const struct kind kinds[] = {{1, "CrProcessMain"},
                                      {2, "ChromeIOThread"},
                                      {3, "ThreadPoolBackgroundWorker&"},
                                      {4, "ThreadPoolForegroundWorker&"},
                                      {5, "ThreadPoolSingleThreadForegroundBlocking&"},
                                      {6, "ThreadPoolSingleThreadBackgroundBlocking&"},
                                      {7, "ThreadPoolService"},
                                      {8, "Compositor"},
                                      {9, "VizCompositorThread"},
                                      {10, "CompositorTileWorker&"},
                                      {11, "ServiceWorkerThread&"},
                                      {50, "MemoryInfra"},
                                      {51, "StackSamplingProfiler"}};
  return find(kinds, sizeof(kinds) / sizeof(kinds[0]), type);
}

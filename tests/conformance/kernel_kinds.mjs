// SPDX-License-Identifier: Apache-2.0
//
// Kinds of the kernel's events that slices, counters and states say, of some where they can (docs/MAPPING.md). Other
// kinds are instants to users of the library; the trace processor has all in its table ftrace_event.
export const SAID = new Set(`sched_switch sched_waking print cpu_frequency cpu_frequency_limits cpu_idle clock_set_rate
    gpu_frequency oom_score_adj_update rss_stat thermal_temperature cdev_update gpu_mem_total ion_stat dma_heap_stat
    dma_fence_wait_start dma_fence_wait_end suspend_resume wakeup_source_activate wakeup_source_deactivate
    gpu_work_period workqueue_execute_start workqueue_execute_end irq_handler_entry irq_handler_exit softirq_entry
    softirq_exit binder_transaction binder_transaction_received mali_gpu_power_state sde_tracing_mark_write
    dpu_tracing_mark_write zero`.split(/\s+/));

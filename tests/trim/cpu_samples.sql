-- Samples of V8's profiles, and what of: the function and those that called it.
select c.ts, t.tid, f.name, c.callsite_depth as depth, f2.name as caller
from (select s.*, k.depth as callsite_depth, k.frame_id, k.parent_id from cpu_profile_stack_sample s
      join stack_profile_callsite k on k.id = s.callsite_id) c
join thread t using (utid) join stack_profile_frame f on f.id = c.frame_id
left join stack_profile_callsite k2 on k2.id = c.parent_id left join stack_profile_frame f2 on f2.id = k2.frame_id
where c.ts >= $start and c.ts < $end
-- of the part
select c.ts, t.tid, f.name, c.callsite_depth as depth, f2.name as caller
from (select s.*, k.depth as callsite_depth, k.frame_id, k.parent_id from cpu_profile_stack_sample s
      join stack_profile_callsite k on k.id = s.callsite_id) c
join thread t using (utid) join stack_profile_frame f on f.id = c.frame_id
left join stack_profile_callsite k2 on k2.id = c.parent_id left join stack_profile_frame f2 on f2.id = k2.frame_id

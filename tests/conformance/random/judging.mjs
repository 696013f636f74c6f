// SPDX-License-Identifier: Apache-2.0
//
// Faults of the cases of a batch, by their slots.
import {slotOfId, slotOfTime} from "./json_case.mjs";

const LARGEST_ID = 1e6;

// The slot that a row of a table is of: by its time, or by the ids and names that are in it; -1 where it does not say.
export function slotOf(table, row) {
  if (table !== "threads" && table !== "processes") return slotOfTime(row[0]);
  for (const value of row) {
    const text = String(value ?? "").match(/^(?:[pt]|proc |thread )(\d+)/)?.[1];
    if (text) return Number(text);
    if (/^\d+$/.test(value ?? "") && slotOfId(value) >= 0 && Number(value) < LARGEST_ID) return slotOfId(value);
  }
  return -1;
}

export class Faults {
  list = new Map();  // slot -> texts
  add(slot, text) {
    if (!this.list.has(slot)) this.list.set(slot, []);
    this.list.get(slot).push(text);
  }
}

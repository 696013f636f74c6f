// SPDX-License-Identifier: Apache-2.0
//
// Encodes FXT records. References are inline or to the tables of strings and threads, as the caller says.
const WORD = 8;
export const EVENTS = [
  "instant", "counter", "begin", "end", "complete", "async_begin", "async_instant", "async_end", "flow_begin",
  "flow_step", "flow_end"
];
const ARGS = {
  null: 0,
  int32: 1,
  uint32: 2,
  int64: 3,
  uint64: 4,
  double: 5,
  string: 6,
  pointer: 7,
  koid: 8,
  bool: 9
};

const word = (value) => {
  const bytes = Buffer.alloc(WORD);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)));
  return bytes;
};

function stream(text) {
  const bytes = Buffer.from(text);
  return Buffer.concat([bytes, Buffer.alloc((WORD - (bytes.length % WORD)) % WORD)]);
}

function record(type, header, parts) {
  const body = Buffer.concat(parts);
  return Buffer.concat([word(BigInt(type) | (BigInt(body.length / WORD + 1) << 4n) | header), body]);
}

const at = (value, bit) => BigInt(value) << BigInt(bit);

export const IDLE = -2147483648;  // the weight of an idle thread

export class FxtTrace {
  parts = [word(0x0016547846040010n)];
  providers = new Map();  // id -> its tables and ticks per second
  get strings() { return this.provider.strings; }
  get threads() { return this.provider.threads; }

  // What follows is of that provider.
  use(id, rate = 1e9) {
    if (this.current === id) return;
    this.current = id;
    const known = this.providers.get(id);
    this.provider = known ?? {strings: new Map(), threads: new Map(), rate};
    if (known) {
      this.parts.push(record(0, at(2, 16) | at(id, 20), []));
      return;
    }
    this.providers.set(id, this.provider);
    const name = `random ${id}`;
    this.parts.push(record(0, at(1, 16) | at(id, 20) | at(name.length, 52), [stream(name)]));
    this.parts.push(record(1, 0n, [word(rate)]));
  }

  time(ns) { return word(BigInt(ns) * BigInt(this.provider.rate) / 1000000000n); }

  // [reference, words in the record]
  string(text, indexed) {
    if (text === "") return [0, Buffer.alloc(0)];
    if (!indexed || this.strings.size > 30000) return [0x8000 | Buffer.byteLength(text), stream(text)];
    if (!this.strings.has(text)) {
      const index = this.strings.size + 1;
      this.parts.push(record(2, at(index, 16) | at(Buffer.byteLength(text), 32), [stream(text)]));
      this.strings.set(text, index);
    }
    return [this.strings.get(text), Buffer.alloc(0)];
  }

  thread({pid, tid}, indexed) {
    const key = `${pid}/${tid}`;
    if (!indexed) return [0, Buffer.concat([word(pid), word(tid)])];
    if (!this.threads.has(key)) {
      const index = (this.threads.size % 255) + 1;  // a later record replaces an entry
      for (const [other, taken] of this.threads)
        if (taken === index) this.threads.delete(other);
      this.parts.push(record(3, at(index, 16), [word(pid), word(tid)]));
      this.threads.set(key, index);
    }
    return [this.threads.get(key), Buffer.alloc(0)];
  }

  arg({type, name, value}, indexed) {
    const [reference, text] = this.string(name, indexed), parts = [text];
    let high = 0n;
    if (type === "int32" || type === "uint32") high = BigInt.asUintN(32, BigInt(value));
    if (type === "bool") high = value ? 1n : 0n;
    if (type === "string") {
      const [index, words] = this.string(value, indexed);
      high = BigInt(index);
      parts.push(words);
    }
    if (["int64", "uint64", "pointer", "koid"].includes(type)) parts.push(word(value));
    if (type === "double") {
      const bytes = Buffer.alloc(WORD);
      bytes.writeDoubleLE(value);
      parts.push(bytes);
    }
    return record(ARGS[type], at(reference, 16) | (high << 32n), parts);
  }

  event({type, ts, thread, category = "", name = "", args = [], last, indexed}) {
    const [who, threadWords] = this.thread(thread, indexed);
    const [cat, catWords] = this.string(category, indexed), [called, nameWords] = this.string(name, indexed);
    const header = at(EVENTS.indexOf(type), 16) | at(args.length, 20) | at(who, 24) | at(cat, 32) | at(called, 48);
    const parts = [this.time(ts), threadWords, catWords, nameWords, ...args.map((arg) => this.arg(arg, indexed))];
    if (last !== undefined) parts.push(type === "complete" ? this.time(last) : word(last));
    this.parts.push(record(4, header, parts));
  }

  weight(name, value) { return this.arg({type: "int32", name, value}, false); }

  contextSwitch({ts, cpu, state, from, to}) {
    const weights = [["outgoing_weight", from], ["incoming_weight", to]].filter(([, thread]) => thread.weight !== 0);
    const header = at(weights.length, 16) | at(cpu, 20) | at(state, 36) | at(1, 60);
    this.parts.push(record(8, header, [
      this.time(ts), word(from.tid), word(to.tid), ...weights.map(([name, {weight}]) => this.weight(name, weight))
    ]));
  }

  wakeup({ts, cpu, thread}) {
    this.parts.push(record(8, at(1, 16) | at(cpu, 20) | at(2, 60), [
      this.time(ts), word(thread.tid), this.weight("weight", 3)
    ]));
  }

  log({ts, thread, text}) {
    const header = at(Buffer.byteLength(text), 16);
    this.parts.push(record(9, header, [this.time(ts), word(thread.pid), word(thread.tid), stream(text)]));
  }

  blob({name, bytes}) {
    const [reference, words] = this.string(name, false);
    this.parts.push(record(5, at(reference, 16) | at(bytes.length, 32) | at(1, 48), [words, stream(bytes)]));
  }

  userspaceObject({thread, pointer, name, args}) {
    const [reference, words] = this.string(name, false);
    const header = at(reference, 24) | at(args.length, 40);
    this.parts.push(record(6, header, [
      word(pointer), word(thread.pid), words, ...args.map((arg) => this.arg(arg, false))
    ]));
  }

  bufferFull() { this.parts.push(record(0, at(3, 16) | at(this.current, 20), [])); }

  kernelObject({type, koid, name, process}) {
    const [reference, words] = this.string(name, false);
    const args = process === undefined ? [] : [this.arg({type: "koid", name: "process", value: process}, false)];
    this.parts.push(record(7, at(type, 16) | at(reference, 24) | at(args.length, 40), [word(koid), words, ...args]));
  }

  bytes() { return Buffer.concat(this.parts); }
}

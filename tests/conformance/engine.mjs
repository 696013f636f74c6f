// SPDX-License-Identifier: Apache-2.0
//
// Workers that load a trace in Perfetto's trace processor and answer queries, one trace after the other. The package's
// glue was made for a browser's web worker and keeps its state in globals, so each engine gets a worker thread of its
// own, dressed up as a web worker.
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";
import { pathToFileURL } from "node:url";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

const PIECE = 16 << 20; // bytes of the trace in one request; the engine refuses very large ones

// Replacements in the glue: no 64-bit memory, the module compiled by us, and the bridge where we can reach it.
const EDITS = [
  ["this.useMemory64 = hasMemory64Support();", "this.useMemory64 = false;"],
  [
    "var result = instantiateSync(wasmBinaryFile, info);",
    "var result = [new WebAssembly.Instance(globalThis.tpModule, info)];"
  ],
  [
    "const wasmBridge = new wasm_bridge_1.WasmBridge();",
    "const wasmBridge = new wasm_bridge_1.WasmBridge(); globalThis.tpBridge = wasmBridge;"
  ],
  [
    "onRuntimeInitialized: () => deferredRuntimeInitialized.resolve(),",
    "onRuntimeInitialized: () => { deferredRuntimeInitialized.resolve(); setTimeout(globalThis.tpReady, 0); },"
  ],
];

async function start(home, module) {
  const worker = globalThis;
  worker.WorkerGlobalScope ??= class {};
  worker.self = worker;
  Object.defineProperty(worker, "location", { value: { href: pathToFileURL(home).href + "/" }, configurable: true });
  worker.tpModule = module;
  const ready = new Promise((resolve) => { worker.tpReady = resolve; });
  let glue = fs.readFileSync(path.join(home, "engine_bundle.node.js"), "utf8");
  for (const [from, to] of EDITS) {
    if (!glue.includes(from)) throw new Error(`the trace processor's glue is another: it lacks ${from}`);
    glue = glue.replaceAll(from, to);
  }
  for (const channel of ["log", "warn", "info", "debug"]) console[channel] = () => {}; // the engine's chatter
  vm.runInThisContext(glue, { filename: "engine_bundle.node.js" });
  const { EngineBase } = await import(pathToFileURL(path.join(home, "engine.mjs")).href);
  await ready;
  await new Promise((resolve) => setTimeout(resolve, 20)); // the engine sets up its service on the same queue
  const { port1, port2 } = new MessageChannel();
  class Engine extends EngineBase {
    mode = "WASM";
    id = "conformance";
    rpcSendRequestBytes(bytes) { port2.postMessage(bytes); }
    dispose() {}
  }
  const engine = new Engine();
  port2.onmessage = ({ data }) => { if (data instanceof Uint8Array) engine.onRpcResponseBytes(data); };
  worker.tpBridge.initialize(port1);
  await engine.resetTraceProcessor({});
  return { engine, fresh: keepState(engine) };
}

// The memory of an engine that has loaded nothing and the numbers of its requests, which together are all its state.
// Copying them back takes less time than the engine takes to reset itself.
function keepState(engine) {
  const memory = globalThis.tpBridge.connection.HEAPU8;
  let used = memory.length;
  while (used && memory[used - 1] === 0) used--;
  const { txSeqId, rxSeqId } = engine;
  return { memory: memory.slice(0, used), sequence: { txSeqId, rxSeqId } };
}

function restoreState({ engine, fresh }) {
  const memory = globalThis.tpBridge.connection.HEAPU8;
  memory.set(fresh.memory);
  memory.fill(0, fresh.memory.length);
  Object.assign(engine, fresh.sequence);
}

async function load(engine, file) {
  const bytes = fs.readFileSync(file);
  for (let at = 0; at < bytes.length; at += PIECE) await engine.parse(new Uint8Array(bytes.subarray(at, at + PIECE)));
  await engine.notifyEof();
}

// The engine of this thread. It starts once, since a start costs many times what a small trace does.
let running;

// Loads `file`; without one the queries are of the trace that is loaded.
async function answer({ home, module, file, queries }) {
  running ??= await start(home, module);
  const { engine } = running;
  if (file) {
    restoreState(running);
    await load(engine, file);
  }
  const tables = {};
  for (const [name, sql] of Object.entries(queries)) {
    const result = await engine.query(sql);
    const columns = result.columns();
    const rows = [];
    for (const row = result.iter({}); row.valid(); row.next()) rows.push(columns.map((column) => row.get(column)));
    tables[name] = { columns, rows };
  }
  return tables;
}

if (!isMainThread && workerData?.tracebridgeEngine) {
  const fail = (error) => parentPort.postMessage({ error: String(error.message ?? error).split("\n")[0] });
  process.on("uncaughtException", fail);
  parentPort.on("message", (asked) => answer({ ...workerData, ...asked })
    .then((tables) => parentPort.postMessage({ tables }), fail));
}

const REUSED = 8 << 20; // bytes of the largest trace after which an engine, which never gives memory back, goes on
const idle = []; // workers that have answered
let compiled; // once for all workers

function takeWorker(home) {
  const worker = idle.pop();
  worker?.removeAllListeners("exit").ref();
  if (worker) return worker;
  compiled ??= new WebAssembly.Module(fs.readFileSync(path.join(home, "trace_processor.wasm")));
  return new Worker(new URL(import.meta.url), {
    workerData: { tracebridgeEngine: true, home, module: compiled }, stdout: true, stderr: true,
  });
}

function giveBack(worker, file) {
  if (fs.statSync(file).size > REUSED) {
    worker.terminate();
    return;
  }
  worker.once("exit", () => idle.splice(idle.indexOf(worker), 1)).unref();
  idle.push(worker);
}

// What a worker answers. One that failed is not used again.
function ask(worker, asked) {
  return new Promise((resolve, reject) => {
    const end = (how, value) => {
      for (const name of ["message", "error", "exit"]) worker.removeAllListeners(name);
      if (how === reject) worker.terminate();
      how(value);
    };
    worker.once("message", ({ tables, error }) => error ? end(reject, new Error(error)) : end(resolve, tables));
    worker.once("error", (error) => end(reject, error));
    worker.once("exit", () => end(reject, new Error("the trace processor ended early")));
    worker.postMessage(asked);
  });
}

// The results of `queries` {name: SQL} over the trace `file`: {name: {columns, rows}}. Rejects where it cannot be
// loaded.
export async function queryTrace(home, file, queries) {
  const worker = takeWorker(home);
  const tables = await ask(worker, { file, queries });
  giveBack(worker, file);
  return tables;
}

// The trace `file`, loaded for any number of such queries, which are answered one after the other. Rejects as above.
export async function openTrace(home, file) {
  const worker = takeWorker(home);
  let last = ask(worker, { file, queries: {} });
  await last;
  return {
    query: (queries) => (last = last.then(() => ask(worker, { queries }))),
    close: () => last.then(() => giveBack(worker, file), () => {}),
  };
}

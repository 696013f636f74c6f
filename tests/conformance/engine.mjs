// SPDX-License-Identifier: Apache-2.0
//
// A worker that loads one trace in Perfetto's trace processor and answers queries. The package's glue was made for a
// browser's web worker and keeps its state in globals, so each trace gets a worker thread of its own, dressed up as a
// web worker.
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
  return engine;
}

async function load(engine, file) {
  const bytes = fs.readFileSync(file);
  for (let at = 0; at < bytes.length; at += PIECE) await engine.parse(new Uint8Array(bytes.subarray(at, at + PIECE)));
  await engine.notifyEof();
}

async function answer({ home, module, file, queries }) {
  const engine = await start(home, module);
  await load(engine, file);
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
  process.on("uncaughtException", (error) => parentPort.postMessage({ error: String(error.message ?? error) }));
  answer(workerData).then((tables) => parentPort.postMessage({ tables }),
    (error) => parentPort.postMessage({ error: String(error.message ?? error).split("\n")[0] }));
}

let compiled; // once for all workers

// The results of `queries` {name: SQL} over the trace `file`: {name: {columns, rows}}. Rejects where it cannot be
// loaded.
export function queryTrace(home, file, queries) {
  compiled ??= new WebAssembly.Module(fs.readFileSync(path.join(home, "trace_processor.wasm")));
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { tracebridgeEngine: true, home, module: compiled, file, queries }, stdout: true, stderr: true,
    });
    const end = (how, value) => { how(value); worker.terminate(); };
    worker.once("message", ({ tables, error }) => error ? end(reject, new Error(error)) : end(resolve, tables));
    worker.once("error", (error) => end(reject, error));
    worker.once("exit", () => reject(new Error("the trace processor ended early")));
  });
}

/** How much memory the process of a script may use, in bytes. */
export const MAX_SCRIPT_BYTES = 1_000_000_000;

/**
 * The program of a script's process, as a text: it is the same for Bun, Node and a compiled Atomic. Each line of its input is
 * a `ScriptMessage`, each line of its output a `ScriptTurn`.
 *
 * 1. It works off one message per turn of the event loop, and says in one line what the script did in that turn. So what a script does
 *    depends on the order of the messages alone.
 * 2. Functions and values of the script stay here. They have numbers, which a `parallel` or `pipeline` forgets at its end.
 */
export const SCRIPT_PROGRAM = `"use strict";
const { AsyncLocalStorage } = require("node:async_hooks");
const { createInterface } = require("node:readline");
const { createContext, Script } = require("node:vm");
const { Worker } = require("node:worker_threads");

// A script that fills the memory is ended by a thread of its own: this one may be in a loop. Node's permission model has no
// threads; V8's own limit is left then.
const watchMemory = "const never = new Int32Array(new SharedArrayBuffer(4)); for (;;) { Atomics.wait(never, 0, 0, 100);" +
  " if (process.memoryUsage().rss > ${MAX_SCRIPT_BYTES}) process.kill(process.pid, 'SIGKILL'); }";
try { new Worker(watchMemory, { eval: true }).on("error", () => undefined).unref(); } catch {}

const branches = new AsyncLocalStorage();
const branchOf = () => branches.getStore() ?? 0;
const waiting = new Map();
const kept = new Map();
let lastId = 0;
let spent = 0;
let total = null;
let opened;

let said = [];
let count = 0;
let isWorking = false;
const flush = () => {
  process.stdout.write(JSON.stringify({ count, said }) + "\\n");
  said = [];
};
const say = (saying) => {
  said.push(saying);
  // What is said between two messages has no turn to wait for.
  if (!isWorking) flush();
};

const keep = (value, handles) => {
  const handle = ++lastId;
  kept.set(handle, { value, handles });
  handles.push(handle);
  return handle;
};
const elementOf = (value, handles, isValue) => {
  if (isValue) return { type: "value", handle: keep(value, handles) };
  if (typeof value === "function") return { type: "work", handle: keep(value, handles) };
  if (typeof value === "object" && value !== null) {
    const json = opened.copy(value);
    return json === "promise" ? { type: "promise" } : { type: "other", json };
  }
  return { type: "other", json: typeof value === "bigint" ? String(value) : JSON.stringify(value) };
};
const elementsOf = (list, handles, isValue) => {
  const elements = [];
  for (let index = 0; index < list.count; index++) elements.push(elementOf(list.at(index), handles, isValue));
  return elements;
};

const bridge = {
  call(name, args, resolve, reject) {
    const id = ++lastId;
    waiting.set(id, { resolve, reject });
    say({ type: "call", id, branch: branchOf(), name, args });
  },
  fork(name, list, other, stages, resolve, reject) {
    const id = ++lastId;
    const handles = [];
    waiting.set(id, { resolve, reject, handles });
    const elements = list === undefined ? elementOf(other, handles, false) : elementsOf(list, handles, name === "pipeline");
    say({ type: "fork", id, branch: branchOf(), name, list: elements, stages: elementsOf(stages, handles, false) });
  },
  phase(text, isText) {
    if (!isText || text.trim() === "") {
      const message = "The name of phase() is " + (isText ? JSON.stringify(text) : text.slice(0, 120)) + ". Pass a text that is not empty.";
      throw Object.assign(new Error(message), { code: "SCRIPT_USAGE" });
    }
    say({ type: "phase", branch: branchOf(), text });
  },
  log(text) {
    say({ type: "log", text });
  },
  spent: () => spent,
  remaining: () => (total === null ? Infinity : Math.max(0, total - spent)),
};

const open = ({ path, body, prelude, args, total: given }) => {
  total = given;
  const context = createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
  opened = new Script(prelude, { filename: "atomic:script" }).runInContext(context)(bridge, args, total);
  // Without it, the runtime throws an error of this realm. A text leads to nothing.
  const importModuleDynamically = () => { throw "A script cannot import modules."; };
  const run = new Script(body, { filename: path, importModuleDynamically }).runInContext(context);
  opened.execute(run, (json) => say({ type: "done", json }), (thrown) => say({ type: "failed", thrown }));
};
const end = (id) => {
  const found = waiting.get(id);
  waiting.delete(id);
  return found;
};
const handlers = {
  start: open,
  answer: ({ id, json }) => end(id).resolve(json),
  // Other branches of a fork that failed still need its handles.
  reject: ({ id, message, code }) => end(id).reject(message, code),
  forked({ id, results }) {
    const { resolve, handles } = end(id);
    const values = results.map((handle) => (handle === null ? null : kept.get(handle).value));
    for (const handle of handles) kept.delete(handle);
    resolve(...values);
  },
  invoke({ id, branch, work, values }) {
    const { value, handles } = kept.get(work);
    const given = values.map(({ handle, plain }) => (handle === undefined ? plain : kept.get(handle).value));
    const returned = (result) => say({ type: "returned", id, handle: keep(result, handles) });
    const threw = (thrown) => say({ type: "threw", id, thrown });
    branches.run(branch, () => opened.invoke(value, given, returned, threw));
  },
};

// The script's own promises that nobody awaits.
const fail = (reason) => {
  const thrown = opened?.parts(reason) ?? { isError: true, message: String(reason?.message) };
  say({ type: "failed", thrown });
};
process.on("unhandledRejection", fail);
process.on("uncaughtException", fail);

// 1
const lines = [];
const work = () => {
  const line = lines.shift();
  isWorking = line !== undefined;
  if (!isWorking) return;
  const message = JSON.parse(line);
  spent = message.spent;
  try {
    handlers[message.type](message);
  } catch (error) {
    fail(error);
  }
  setImmediate(() => {
    count++;
    flush();
    setImmediate(work);
  });
};
const take = (line) => {
  lines.push(line);
  if (isWorking) return;
  isWorking = true;
  setImmediate(work);
};
createInterface({ input: process.stdin }).on("line", take).on("close", () => process.exit(0));
flush();
`;

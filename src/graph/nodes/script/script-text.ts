import { createContext, Script } from "node:vm";
import { given } from "../../errors/given.ts";
import type { ScriptApi } from "./script-api.ts";
import { ScriptFailedError } from "./script-errors.ts";
import type { ScriptFunction } from "./script-node.ts";

/** A script as a text: the body of an asynchronous function. */
export interface ScriptText {
  /** Its file, for the places in errors. */
  readonly path: string;
  readonly text: string;
}

/** A value that the script threw is converted to text and stack where it was made. */
interface ThrownParts {
  readonly message: string;
  readonly stack: string | undefined;
}

/*
 * Nothing of Atomic's own realm reaches the script: an object or a function of it leads to all that Atomic can do. So
 *
 * 1. texts, numbers, and the script's own values are all that is passed to its functions;
 * 2. the prelude alone calls the bridge, and replaces what that throws;
 * 3. Atomic never awaits a value of the script, whose `then` would be given functions of Atomic's. The prelude awaits it, with
 *    methods that it has saved before the script runs, and Atomic keeps it in a box.
 */

/** Passes one call of the script on. */
interface Bridge {
  /** Calls `agent`, `shell`, `ask` or `workflow` with arguments as JSON. */
  call(
    name: "agent" | "shell" | "ask" | "workflow",
    args: readonly (string | undefined)[],
    resolve: (json: string | undefined) => void,
    reject: (message: string, code: string | undefined) => void,
  ): void;
  fork(
    name: "parallel" | "pipeline",
    args: readonly unknown[],
    resolve: (...results: readonly unknown[]) => void,
    reject: (message: string, code: string | undefined) => void,
  ): void;
  say(name: "phase" | "log", text: string): void;
  budget(name: "spent" | "remaining"): number;
}

/**
 * What exists in a script besides JavaScript's own objects. It runs inside of the script's context, so that everything that
 * the script can reach belongs to that context.
 */
const PRELUDE = `(function (bridge, argsText, total) {
  "use strict";
  const { stringify, parse } = JSON;
  const toText = String;
  const PlainDate = Date;
  const PlainPromise = Promise;
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  // 2
  const pass = (name, ...values) => {
    try {
      return bridge[name](...values);
    } catch (error) {
      throw new Error(toText(error?.message));
    }
  };
  // 3
  const invoke = (work, values, done, fail) => {
    const working = new PlainPromise((resolve) => resolve(apply(work, undefined, values)));
    apply(then, working, [(value) => done(value), (error) => fail(error)]);
  };
  const define = (name, value) => Object.defineProperty(globalThis, name, { value, writable: false, configurable: false });
  const give = (json) => (json === undefined ? undefined : parse(json));
  const show = (value) => {
    if (typeof value === "string") return value;
    const text = typeof value === "object" ? stringify(value) : undefined;
    return text === undefined ? toText(value) : text;
  };
  const unavailable = (name, why) => () => {
    throw new Error(name + " is not available in a script: " + why);
  };
  const CLOCK = "a resumed run has to come to the same steps. Pass the time in with the run's input.";
  const CHANCE = "a resumed run has to come to the same steps. Number what has to differ.";
  // The error is made where the script makes the call, so it has that place.
  const failWith = (error, reject) => (message, code) => {
    Object.defineProperty(error, "message", { value: message });
    if (code !== undefined) Object.defineProperty(error, "code", { value: code });
    reject(error);
  };
  for (const name of ["agent", "shell", "ask", "workflow"]) {
    define(name, function (...values) {
      const fail = new Error();
      return new Promise((resolve, reject) => {
        if (values.some((value) => typeof value === "function" || typeof value === "symbol"))
          return failWith(fail, reject)(name + "() was given a function. Pass texts and plain objects.", "SCRIPT_USAGE");
        pass("call", name, values.map((value) => stringify(value)), (json) => resolve(give(json)), failWith(fail, reject));
      });
    });
  }
  for (const name of ["parallel", "pipeline"]) {
    define(name, function (...values) {
      const fail = new Error();
      return new Promise((resolve, reject) => {
        pass("fork", name, values, (...results) => resolve(results), failWith(fail, reject));
      });
    });
  }
  define("phase", (name) => pass("say", "phase", show(name)));
  define("log", (...values) => pass("say", "log", values.map(show).join(" ")));
  define("console", Object.freeze({ log, info: log, warn: log, error: log, debug: log }));
  define("args", give(argsText));
  define("budget", Object.freeze({
    total,
    spent: () => pass("budget", "spent"),
    remaining: () => pass("budget", "remaining"),
  }));
  Math.random = unavailable("Math.random()", CHANCE);
  function ScriptDate(...values) {
    if (new.target === undefined || values.length === 0) unavailable(new.target === undefined ? "Date()" : "new Date() without a time", CLOCK)();
    return Reflect.construct(PlainDate, values, new.target);
  }
  ScriptDate.prototype = PlainDate.prototype;
  ScriptDate.prototype.constructor = ScriptDate;
  ScriptDate.UTC = PlainDate.UTC;
  ScriptDate.parse = PlainDate.parse;
  ScriptDate.now = unavailable("Date.now()", CLOCK);
  define("Date", ScriptDate);
  for (const name of ["WebAssembly", "SharedArrayBuffer", "Atomics", "ShadowRealm"]) delete globalThis[name];
  const execute = (body, done, fail) => {
    const keep = (value) => {
      let text;
      try {
        text = value === undefined ? undefined : stringify(value);
      } catch (error) {
        return fail(new Error("What the script returned cannot be kept as JSON: " + error.message));
      }
      done(text);
    };
    invoke(body, [], keep, fail);
  };
  return { execute, invoke };
})`;

/** What the prelude returns: functions of the script's realm. */
interface Prelude {
  /** Runs the script. The result is JSON. */
  execute(body: unknown, done: (json: string | undefined) => void, fail: (error: unknown) => void): void;
  /** Calls a function of the script. */
  invoke(
    work: unknown,
    values: readonly unknown[],
    done: (value: unknown) => void,
    fail: (error: unknown) => void,
  ): void;
}

/** Keeps a value of the script where nothing awaits it. */
class Box {
  constructor(readonly value: unknown) {}
}

function unbox(value: unknown): unknown {
  return value instanceof Box ? value.value : value;
}

/**
 * A function that runs a script in a context of its own: without files, processes, modules, network and timers. That keeps a
 * script repeatable. Do not rely on it for a hostile one: `node:vm` promises no wall.
 */
export function readScriptText({ path, text }: ScriptText): ScriptFunction {
  // It begins on the same line, so that the lines of errors are those of the file.
  const body = new Script(`(async () => {${text}\n})`, { filename: path });
  const prelude = new Script(PRELUDE, { filename: "atomic:script" });
  return async (api) => {
    const context = createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
    const args = api.args === undefined ? undefined : JSON.stringify(api.args);
    // The cast is true: that is what the text of the prelude is.
    const open = prelude.runInContext(context) as (
      bridge: Bridge,
      args: string | undefined,
      total: number | null,
    ) => Prelude;
    const opened: Prelude = open(
      bridgeTo(api, (...call) => opened.invoke(...call)),
      args,
      api.budget.total,
    );
    try {
      const json = await new Promise<string | undefined>((done, fail) =>
        opened.execute(body.runInContext(context), done, fail),
      );
      return json === undefined ? undefined : JSON.parse(json);
    } catch (thrown) {
      const { message, stack } = describeThrown(thrown, path);
      throw new ScriptFailedError(message, { cause: thrown, ...given({ stack }) });
    }
  };
}

function bridgeTo(api: ScriptApi, invoke: Prelude["invoke"]): Bridge {
  // Values that are no functions are reported as what they are.
  const adapt = (work: unknown): unknown =>
    typeof work !== "function"
      ? work
      : (...values: readonly unknown[]) =>
          new Promise((done, fail) => invoke(work, values.map(unbox), (value) => done(new Box(value)), fail));
  // The functions check their arguments themselves.
  const functions = { agent: api.agent, shell: api.shell, ask: api.ask, workflow: api.workflow };
  const forks = { parallel: api.parallel, pipeline: api.pipeline };
  return Object.freeze({
    call(name, texts, resolve, reject) {
      const args = texts.map((text) => (text === undefined ? undefined : JSON.parse(text)));
      (functions[name] as (...values: unknown[]) => Promise<unknown>)(...args).then(
        (value) => resolve(value === undefined ? undefined : JSON.stringify(value)),
        (error: unknown) => reject(describeThrown(error).message, codeOf(error)),
      );
    },
    fork(name, args, resolve, reject) {
      // Lists of the script are lists of another context.
      const [first, ...others] = args;
      const list = isList(first) ? Array.from(first, name === "parallel" ? adapt : (item) => new Box(item)) : first;
      (forks[name] as (...values: unknown[]) => Promise<readonly unknown[]>)(list, ...others.map(adapt)).then(
        (results) => resolve(...results.map(unbox)),
        (error: unknown) => reject(describeThrown(error).message, codeOf(error)),
      );
    },
    say: (name, text) => api[name](text),
    budget: (name) => api.budget[name](),
  } satisfies Bridge);
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** The text and stack of what was thrown, by the script or by Atomic. */
function describeThrown(thrown: unknown, path?: string): ThrownParts {
  if (typeof thrown !== "object" || thrown === null || !("message" in thrown)) {
    return { message: `It threw ${String(thrown)}`, stack: undefined };
  }
  const { name, message } = thrown as { readonly name?: unknown; readonly message: unknown };
  const stack = "stack" in thrown && typeof thrown.stack === "string" ? thrown.stack : undefined;
  const kind = typeof name === "string" && name !== "Error" && path !== undefined ? `${name}: ` : "";
  const place = path === undefined ? undefined : stack?.split(path)[1]?.match(/^:\d+(?::\d+)?/)?.[0];
  const text = `${kind}${String(message)}`;
  return { message: place === undefined ? text : `${text.replace(/\.$/, "")} (${path}${place})`, stack };
}

import { createContext, Script } from "node:vm";
import { messageOf } from "../../../contracts/index.ts";
import { toError } from "../../decide/records/failure.ts";
import { given } from "../../errors/given.ts";
import { shorten } from "../shared/shorten.ts";
import type { ScriptApi } from "./script-api.ts";
import { ScriptFailedError, ScriptUsageError } from "./script-errors.ts";
import type { ScriptFunction } from "./script-node.ts";
import { withoutExport } from "./without-export.ts";

/** A script as a text: the body of an asynchronous function. Its first statement may be `export const meta`. */
export interface ScriptText {
  /** Its file, for the places in errors. */
  readonly path: string;
  readonly text: string;
}

/** What the script threw, in texts. */
interface ThrownParts {
  /** Whether it is an error, or at least looks like one. */
  readonly isError: boolean;
  readonly message: string;
  readonly name: string | undefined;
  readonly stack: string | undefined;
  readonly code: string | undefined;
}

/*
 * Nothing of Atomic's own realm reaches the script: an object or a function of it leads to all that Atomic can do. A script can
 * change everything in its own realm, so
 *
 * 1. the prelude uses nothing that a script can change: it has saved what it needs, reads lists by index, and spreads none;
 * 2. texts, numbers, and the script's own values are all that is passed to its functions;
 * 3. the prelude alone calls the bridge, and replaces what that throws;
 * 4. Atomic never awaits, lists or prints a value of the script: its `then`, its iterator or its methods would be given functions
 *    of Atomic's. The prelude awaits it, and Atomic keeps it in a box.
 */

/** Passes one call of the script on. */
interface Bridge {
  /** Calls `agent`, `shell`, `ask` or `workflow`. @param args a list as JSON */
  call(
    name: "agent" | "shell" | "ask" | "workflow",
    args: string,
    resolve: (json: string | undefined) => void,
    reject: (message: string, code: string | undefined) => void,
  ): void;
  fork(
    name: "parallel" | "pipeline",
    list: ScriptList | undefined,
    other: unknown,
    stages: ScriptList,
    resolve: (...results: readonly unknown[]) => void,
    reject: (message: string, code: string | undefined) => void,
  ): void;
  /** @param text the name, or something else as a text */
  phase(text: string, isText: boolean): void;
  log(text: string): void;
  spent(): number;
  remaining(): number;
}

/** A list of the script's, which only the prelude reads. */
interface ScriptList {
  readonly count: number;
  at(index: number): unknown;
}

/**
 * What exists in a script besides JavaScript's own objects. It runs inside of the script's context, so that everything that
 * the script can reach belongs to that context.
 */
const PRELUDE = `(function (bridge, argsText, total) {
  "use strict";
  // 1
  const { stringify, parse } = JSON;
  const { apply, construct } = Reflect;
  const { create, defineProperty, freeze } = Object;
  const { isArray } = Array;
  const toText = String;
  const PlainDate = Date;
  const PlainError = Error;
  const PlainPromise = Promise;
  const { then } = Promise.prototype;
  const settable = (value) => {
    const descriptor = create(null);
    descriptor.value = value;
    descriptor.writable = true;
    descriptor.configurable = true;
    return descriptor;
  };
  const fixed = (value) => {
    const descriptor = create(null);
    descriptor.value = value;
    return descriptor;
  };
  const define = (name, value) => defineProperty(globalThis, name, fixed(value));
  // It would be given the frames of a stack, and their functions.
  defineProperty(Error, "prepareStackTrace", fixed(undefined));
  // 3
  const pass = (work) => {
    try {
      return work();
    } catch (error) {
      const failed = new PlainError(toText(error?.message));
      const code = textOf(error?.code);
      if (code !== undefined) defineProperty(failed, "code", settable(code));
      throw failed;
    }
  };
  // 4
  const invoke = (work, values, done, fail) => {
    const working = new PlainPromise((resolve) => resolve(apply(work, undefined, values)));
    defineProperty(working, "constructor", fixed(PlainPromise));
    apply(then, working, [(value) => done(value), (thrown) => fail(partsOf(thrown))]);
  };
  const textOf = (value) => (typeof value === "string" ? value : undefined);
  const partsOf = (thrown) => {
    const parts = create(null);
    parts.isError = false;
    try {
      parts.isError = typeof thrown === "object" && thrown !== null && "message" in thrown;
      parts.message = toText(parts.isError ? thrown.message : thrown);
      parts.name = textOf(parts.isError ? thrown.name : undefined);
      parts.stack = textOf(parts.isError ? thrown.stack : undefined);
      parts.code = textOf(parts.isError ? thrown.code : undefined);
    } catch {
      parts.message = "something without a text";
    }
    return parts;
  };
  const give = (json) => (json === undefined ? undefined : parse(json));
  const show = (value) => {
    if (typeof value === "string") return value;
    const text = typeof value === "object" ? stringify(value) : undefined;
    return text === undefined ? toText(value) : text;
  };
  const showAll = (values) => {
    let text = "";
    for (let index = 0; index < values.length; index++) text += (index === 0 ? "" : " ") + show(values[index]);
    return text;
  };
  const unavailable = (name, why) => () => {
    throw new PlainError(name + " is not available in a script: " + why);
  };
  const CLOCK = "a resumed run has to come to the same steps. Pass the time in with the run's input.";
  const CHANCE = "a resumed run has to come to the same steps. Number what has to differ.";
  // The error is made where the script makes the call, so it has that place.
  const failWith = (error, reject) => (message, code) => {
    defineProperty(error, "message", settable(message));
    if (code !== undefined) defineProperty(error, "code", settable(code));
    reject(error);
  };
  const listOf = (values, from) => {
    const own = create(null);
    const { length } = values;
    for (let index = from; index < length; index++) own[index - from] = values[index];
    const list = create(null);
    list.count = length > from ? length - from : 0;
    list.at = (index) => own[index];
    return list;
  };
  const defineCall = (name) => {
    define(name, function (...values) {
      const fail = new PlainError();
      return new PlainPromise((resolve, reject) => {
        for (let index = 0; index < values.length; index++) {
          if (typeof values[index] === "function" || typeof values[index] === "symbol")
            return failWith(fail, reject)(name + "() was given a function. Pass texts and plain objects.", "SCRIPT_USAGE");
        }
        const text = stringify(values);
        pass(() => bridge.call(name, text, (json) => resolve(give(json)), failWith(fail, reject)));
      });
    });
  };
  defineCall("agent");
  defineCall("shell");
  defineCall("ask");
  defineCall("workflow");
  const defineFork = (name) => {
    define(name, function (...values) {
      const fail = new PlainError();
      return new PlainPromise((resolve, reject) => {
        const list = isArray(values[0]) ? listOf(values[0], 0) : undefined;
        const other = list === undefined ? values[0] : undefined;
        const stages = listOf(values, 1);
        pass(() => bridge.fork(name, list, other, stages, (...results) => resolve(results), failWith(fail, reject)));
      });
    });
  };
  defineFork("parallel");
  defineFork("pipeline");
  const log = (...values) => {
    const text = showAll(values);
    return pass(() => bridge.log(text));
  };
  define("phase", (name) => {
    const isText = typeof name === "string";
    const text = show(name);
    return pass(() => bridge.phase(text, isText));
  });
  define("log", log);
  define("console", freeze({ log, info: log, warn: log, error: log, debug: log }));
  define("args", give(argsText));
  define("budget", freeze({
    total,
    spent: () => pass(() => bridge.spent()),
    remaining: () => pass(() => bridge.remaining()),
  }));
  Math.random = unavailable("Math.random()", CHANCE);
  function ScriptDate(...values) {
    if (new.target === undefined || values.length === 0) unavailable(new.target === undefined ? "Date()" : "new Date() without a time", CLOCK)();
    return construct(PlainDate, values, new.target);
  }
  ScriptDate.prototype = PlainDate.prototype;
  ScriptDate.prototype.constructor = ScriptDate;
  ScriptDate.UTC = PlainDate.UTC;
  ScriptDate.parse = PlainDate.parse;
  ScriptDate.now = unavailable("Date.now()", CLOCK);
  define("Date", ScriptDate);
  // Without a date they take the present time.
  const format = Intl.DateTimeFormat.prototype;
  const formatGetter = Object.getOwnPropertyDescriptor(format, "format").get;
  const needDate = (date) => {
    if (date === undefined) unavailable("Intl.DateTimeFormat without a date", CLOCK)();
    return date;
  };
  const getter = create(null);
  getter.get = function () {
    const formatDate = apply(formatGetter, this, []);
    return (date) => formatDate(needDate(date));
  };
  getter.configurable = false;
  defineProperty(format, "format", getter);
  const { formatToParts } = format;
  defineProperty(format, "formatToParts", fixed(function (date) {
    return apply(formatToParts, this, [needDate(date)]);
  }));
  delete globalThis.Temporal;
  delete globalThis.WebAssembly;
  delete globalThis.SharedArrayBuffer;
  delete globalThis.Atomics;
  delete globalThis.ShadowRealm;
  const execute = (body, done, fail) => {
    const keep = (value) => {
      let text;
      try {
        text = value === undefined ? undefined : stringify(value);
      } catch (error) {
        return fail(partsOf(new PlainError("What the script returned cannot be kept as JSON: " + toText(error?.message))));
      }
      done(text);
    };
    invoke(body, [], keep, fail);
  };
  const copy = (value) => {
    if (value instanceof PlainPromise) return "promise";
    try {
      return textOf(stringify(value)) ?? "{}";
    } catch {
      return "{}";
    }
  };
  return { execute, invoke, copy };
})`;

/** What the prelude returns: functions of the script's realm. */
interface Prelude {
  /** Runs the script. The result is JSON. */
  execute(body: unknown, done: (json: string | undefined) => void, fail: (thrown: ThrownParts) => void): void;
  /** Calls a function of the script. */
  invoke(
    work: unknown,
    values: readonly unknown[],
    done: (value: unknown) => void,
    fail: (thrown: ThrownParts) => void,
  ): void;
  /** An object as JSON, or `promise`. */
  copy(value: unknown): string;
}

/** Keeps a value of the script where nothing awaits it. */
class Box {
  constructor(readonly value: unknown) {}
}

function unbox(value: unknown): unknown {
  return value instanceof Box ? value.value : value;
}

/**
 * What `import()` does in a script. Without it, the runtime throws an error of its own, whose constructor is Atomic's. A text
 * leads to nothing.
 */
function importModuleDynamically(): never {
  // biome-ignore lint/style/useThrowOnlyError: an error would be an object of Atomic's realm
  throw "A script cannot import modules.";
}

/** What looks like `import()` or `import.meta`. */
const IMPORT = /\bimport(?:\s|\/\*[\s\S]*?\*\/|(?:\/\/|<!--).*\n)*[(.]/;

/** Whether the runtime calls {@link importModuleDynamically}. Node throws its own error instead. */
const CAN_STOP_IMPORT = "Bun" in globalThis;

/**
 * A function that runs a script in a context of its own: without files, processes, modules, network and timers. That keeps a
 * script repeatable. Do not rely on it for a hostile one: `node:vm` promises no wall.
 */
export function readScriptText({ path, text }: ScriptText): ScriptFunction {
  if (!CAN_STOP_IMPORT && IMPORT.test(text)) throw new ScriptUsageError(`The script ${path} has "import(". Remove it.`);
  // It begins on the same line, so that the lines of errors are those of the file.
  const body = new Script(`(async () => {${withoutExport(text)}\n})`, { filename: path, importModuleDynamically });
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
      bridgeTo(api, { invoke: (...call) => opened.invoke(...call), copy: (value) => opened.copy(value) }),
      args,
      api.budget.total,
    );
    try {
      const json = await new Promise<string | undefined>((done, fail) =>
        opened.execute(body.runInContext(context), done, (thrown) => fail(errorOf(thrown))),
      );
      return json === undefined ? undefined : JSON.parse(json);
    } catch (error) {
      throw describeFailure(error, path);
    }
  };
}

function bridgeTo(api: ScriptApi, { invoke, copy }: Pick<Prelude, "invoke" | "copy">): Bridge {
  const describable = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const text = copy(value);
    return text === "promise" ? Promise.resolve() : JSON.parse(text);
  };
  // Values that are no functions are reported as what they are.
  const adapt = (work: unknown): unknown =>
    typeof work !== "function"
      ? describable(work)
      : (...values: readonly unknown[]) =>
          new Promise((done, fail) => {
            invoke(
              work,
              values.map(unbox),
              (value) => done(new Box(value)),
              (thrown) => fail(errorOf(thrown)),
            );
          });
  // The functions check their arguments themselves.
  const functions = { agent: api.agent, shell: api.shell, ask: api.ask, workflow: api.workflow };
  const forks = { parallel: api.parallel, pipeline: api.pipeline };
  return {
    call(name, text, resolve, reject) {
      const args = (JSON.parse(text) as readonly unknown[]).map((value) => value ?? undefined);
      (functions[name] as (...values: unknown[]) => Promise<unknown>)(...args).then(
        (value) => resolve(value === undefined ? undefined : JSON.stringify(value)),
        (error: unknown) => reject(messageOf(error), codeOf(error)),
      );
    },
    fork(name, list, other, stages, resolve, reject) {
      const first =
        list === undefined
          ? describable(other)
          : itemsOf(list).map((item) => (name === "parallel" ? adapt(item) : new Box(item)));
      const others = itemsOf(stages).map(adapt);
      (forks[name] as (...values: unknown[]) => Promise<readonly unknown[]>)(first, ...others).then(
        (results) => resolve(...results.map(unbox)),
        (error: unknown) => reject(messageOf(error), codeOf(error)),
      );
    },
    phase(text, isText) {
      if (!isText)
        throw new ScriptUsageError(`The name of phase() is ${shorten(text)}. Pass a text that is not empty.`);
      api.phase(text);
    },
    log: (text) => api.log(text),
    spent: () => api.budget.spent(),
    remaining: () => api.budget.remaining(),
  };
}

function itemsOf({ count, at }: ScriptList): readonly unknown[] {
  return Array.from({ length: count }, (_, index) => at(index));
}

/** What a script threw, as an error of Atomic's own. */
function errorOf({ isError, message, name, stack, code }: ThrownParts): Error {
  const error = new Error(isError ? message : `It threw ${message}`);
  if (isError) Object.assign(error, given({ name, stack, code }));
  return error;
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** The failure of a script, with the place in its file. */
function describeFailure(cause: unknown, path: string): ScriptFailedError {
  const { name, message, stack } = toError(cause);
  const kind = name === "Error" ? "" : `${name}: `;
  const place = stack?.split(path)[1]?.match(/^:\d+(?::\d+)?/)?.[0];
  const text = `${kind}${message}`;
  const placed = place === undefined ? text : `${text.replace(/\.$/, "")} (${path}${place})`;
  return new ScriptFailedError(placed, { cause, stack });
}

/** What the script threw, in texts. */
export interface ThrownParts {
  /** Whether it is an error, or at least looks like one. */
  readonly isError: boolean;
  readonly message: string;
  readonly name: string | undefined;
  readonly stack: string | undefined;
  readonly code: string | undefined;
}

/*
 * Nothing of the process's own realm reaches the script: an object or a function of it leads to all that the process can do. A
 * script can change everything in its own realm, so
 *
 * 1. the prelude uses nothing that a script can change: it has saved what it needs, reads lists by index, and spreads none;
 * 2. texts, numbers, and the script's own values are all that is passed to its functions;
 * 3. the prelude alone calls the bridge, and replaces what that throws;
 * 4. The process's program never awaits, lists or prints a value of the script: its `then`, its iterator or its methods would be given
 *    functions of the program's. The prelude awaits it, and the program keeps it under a number.
 */

/**
 * What exists in a script besides JavaScript's own objects. It runs inside of the script's context, so that everything that
 * the script can reach belongs to that context. The bridge, which passes on what the script calls, is that of `SCRIPT_PROGRAM`.
 * Returns functions of the script's realm: `execute` runs the script, `invoke` calls one of its functions, `copy` makes JSON of an
 * object, `parts` makes `ThrownParts` of what it threw.
 */
export const PRELUDE = `(function (bridge, argsText, total) {
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
  // They tell when memory was cleaned up, which is never the same.
  delete globalThis.FinalizationRegistry;
  delete globalThis.WeakRef;
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
  return { execute, invoke, copy, parts: partsOf };
})`;

import { describe, expect, test } from "bun:test";
import type { CompiledGraph } from "../../compiled-graph.ts";
import { ScriptBench } from "../../fixtures/script-bench.ts";
import { compileScript } from "../../script.ts";

const text = (body: string): CompiledGraph => compileScript({ path: "/p/demo.js", text: body });

describe("a script", () => {
  test("cannot reach what is outside of its context", async () => {
    const { output } = await new ScriptBench().run(
      text(`
        const names = ["process", "require", "fetch", "Bun", "setTimeout", "WebAssembly"].map((name) => typeof globalThis[name]);
        let escaped = "no";
        try { escaped = typeof agent.constructor.constructor("return process")(); } catch (error) { escaped = error.name; }
        return { names, escaped, isArray: (await parallel([])) instanceof Array };`),
    );
    expect(output).toEqual({ names: Array(6).fill("undefined"), escaped: "EvalError", isArray: true });
  });

  test("gets no error of Atomic's from import()", async () => {
    const { output } = await new ScriptBench().run(
      text(`
        let thrown;
        try { await import("x"); } catch (error) { thrown = error; }
        let escaped = "no";
        try { escaped = thrown.constructor.constructor("return typeof process")(); } catch (error) { escaped = error.name; }
        return { type: typeof thrown, escaped };`),
    );
    expect(output).toEqual({ type: "string", escaped: "EvalError" });
  });

  test.each([
    "new Intl.DateTimeFormat().format()",
    "new Intl.DateTimeFormat('en').format(undefined)",
    "new Intl.DateTimeFormat().formatToParts()",
    "Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format').get.call(new Intl.DateTimeFormat())()",
  ])("has no clock: %s", async (code) => {
    const { error } = await new ScriptBench().run(text(`return ${code};`));
    expect(error?.message).toStartWith(
      "Intl.DateTimeFormat without a date is not available in a script: a resumed run has to come to the same steps.",
    );
  });

  test("formats dates, and has no Temporal", async () => {
    const { output } = await new ScriptBench().run(
      text(`
        const format = new Intl.DateTimeFormat("en", { timeZone: "UTC", dateStyle: "short" });
        return [format.format(0), format.formatToParts(new Date(0)).length, new Date(0).toLocaleDateString("en", { timeZone: "UTC" }), typeof globalThis.Temporal];`),
    );
    expect(output).toEqual(["1/1/70", 5, "1/1/1970", "undefined"]);
  });

  test("is given no function of Atomic's, whatever it passes and patches", async () => {
    const { output, status } = await new ScriptBench().run(
      text(`
        const seen = [];
        const look = (value) => {
          try { seen.push(value.constructor.constructor("return typeof process")()); } catch (error) { seen.push(error.name); }
        };
        const thenable = () => ({ then(resolve) { look(resolve); resolve(1); } });
        await parallel([thenable, () => { const late = {}; seen.push(late); return late; }]);
        const [late] = seen.splice(seen.findIndex((value) => typeof value === "object"), 1);
        late.then = (resolve) => { look(resolve); resolve(2); };
        const staged = await pipeline([late], (item) => item, thenable);
        const overflow = () => { try { overflow(); } catch { try { agent("deep"); phase("deep"); } catch (error) { look(error); } } };
        overflow();
        const { then } = Promise.prototype;
        Promise.prototype.then = function (...given) { given.forEach(look); return then.apply(this, given); };
        Array.prototype[Symbol.iterator] = ((own) => function () { look(own); return own.call(this); })(Array.prototype[Symbol.iterator]);
        await parallel([async () => 3]);
        return { seen: Array.from(new Set(seen)), staged };`),
    );
    expect({ status, output }).toEqual({ status: "completed", output: { seen: ["EvalError"], staged: [1] } });
  });

  test.each([
    {
      title: "methods of lists",
      patch: `for (const name of ["map", "some", "join", "slice", "forEach", "entries"]) {
        const own = Array.prototype[name];
        Array.prototype[name] = function (...given) { given.forEach(look); return Reflect.apply(own, this, given); };
      }`,
    },
    {
      title: "iterators of lists",
      patch: `const own = Array.prototype[Symbol.iterator];
      Array.prototype[Symbol.iterator] = function () {
        return this[0] === "spent" ? Reflect.apply(own, ["constructor"], []) : Reflect.apply(own, this, []);
      };`,
    },
    {
      title: "objects' own functions",
      patch: `const make = Object.defineProperty;
      Object.defineProperty = (...given) => { given.forEach(look); return make(...given); };
      Object.defineProperty(Object.prototype, "get", { get() { look(this); return undefined; }, configurable: true });
      Promise = class extends Promise { constructor(work) { look(work); super(work); } };
      JSON.stringify = JSON.parse = String = (...given) => { given.forEach(look); return "null"; };`,
    },
    {
      title: "stacks",
      patch: `Error.prepareStackTrace = (error, frames) => {
        for (const frame of frames) { look(frame); look(frame.getFunction?.()); look(frame.getThis?.()); }
        return "stack";
      };`,
    },
  ])("that replaces $title gets nothing of Atomic's", async ({ patch }) => {
    const { output, status } = await new ScriptBench().run(
      text(`
        const seen = new Set();
        const look = (value) => {
          try { seen.add(value.constructor.constructor("return typeof process")()); } catch (error) { seen.add(error.name); }
        };
        ${patch}
        look(budget.spent());
        look(await agent("hi"));
        for (const value of await parallel([async () => "one", async () => { throw new Error("two"); }])) look(value);
        for (const value of await pipeline(["a"], async (value) => value + "b")) look(value);
        log("said", { a: 1 });
        phase("Judge");
        try { agent(look).catch(look); } catch (error) { look(error); }
        try { await agent("x", { schema: 1 }); } catch (error) { look(error); look(error.stack); }
        delete Object.prototype.get;
        return [...seen].filter((name) => name !== "EvalError" && name !== "TypeError");`),
    );
    expect({ status, output }).toEqual({ status: "completed", output: [] });
  });
});

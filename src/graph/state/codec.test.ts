import { describe, expect, test } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { UnserializableValueError } from "../errors/update-errors.ts";
import { decodeValue, encodeValue, toStorable } from "./codec.ts";

// Comparing maps whose keys are equal objects is ambiguous, so that keys are primitive here.
const mapKey = fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.bigInt(), fc.constantFrom(null, undefined, true));

/** Everything a journal keeps, nested in everything that can hold it. */
const storable = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.bigInt(),
      fc.constantFrom(null, undefined, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
      fc.date({ noInvalidDate: false }),
      fc.uint8Array({ maxLength: 20 }),
    ),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("$", "v", "__proto__", "")), tie("value"), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
    fc.array(fc.tuple(mapKey, tie("value")), { maxLength: 3 }).map((entries) => new Map(entries)),
    fc.array(tie("value"), { maxLength: 3 }).map((values) => new Set(values)),
    fc.record(
      { $: fc.constantFrom("date", "map", "object", "undefined", "nonsense"), v: tie("value") },
      { noNullPrototype: true },
    ),
  ),
})).value;

describe("the codec", () => {
  test("decodes every value that it encoded", () => {
    fc.assert(
      fc.property(storable, (value) => {
        const decoded = decodeValue(encodeValue(value));
        // The runtime's strict equality distinguishes -0 from 0 and compares prototypes.
        if (!isDeepStrictEqual(decoded, value)) expect(decoded).toEqual(value);
        expect(isDeepStrictEqual(decoded, value)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    { title: "plain data as JSON", value: { a: [1, "x", null, true] }, text: '{"a":[1,"x",null,true]}' },
    { title: "a date", value: new Date(5), text: '{"$":"date","v":5}' },
    { title: "an invalid date", value: new Date(Number.NaN), text: '{"$":"date","v":null}' },
    { title: "a map", value: new Map([["a", 1n]]), text: '{"$":"map","v":[["a",{"$":"bigint","v":"1"}]]}' },
    { title: "a set", value: new Set([undefined]), text: '{"$":"set","v":[{"$":"undefined","v":null}]}' },
    { title: "minus zero", value: -0, text: '{"$":"number","v":"-0"}' },
    { title: "no number", value: Number.NaN, text: '{"$":"number","v":"NaN"}' },
    { title: "infinity", value: Number.NEGATIVE_INFINITY, text: '{"$":"number","v":"-Infinity"}' },
    { title: "bytes", value: new Uint8Array([0, 255]), text: '{"$":"bytes","v":"AP8="}' },
    {
      title: "an object with the key of a tag",
      value: { $: "date", v: 5 },
      text: '{"$":"object","v":[["$","date"],["v",5]]}',
    },
  ])("writes $title", ({ value, text }) => {
    expect(encodeValue(value)).toBe(text);
    expect(isDeepStrictEqual(decodeValue(text), value)).toBe(true);
  });

  test("does not copy plain data", () => {
    const value = { list: [1, { text: "x" }], nothing: null };
    expect(toStorable(value, [])).toBe(value);
  });

  test("copies only the way to what JSON would lose, and leaves the value alone", () => {
    const value = { plain: { a: 1 }, when: new Date(7), list: [1, new Date(8)] };
    const stored = toStorable(value, []);
    expect(stored).toEqual({
      plain: { a: 1 },
      when: { $: "date", v: 7 },
      list: [1, { $: "date", v: 8 }],
    });
    expect((stored as typeof value).plain).toBe(value.plain); // the cast is true: the line above has shown it
    expect(value).toEqual({ plain: { a: 1 }, when: new Date(7), list: [1, new Date(8)] });
  });

  test("reads an object without a prototype as a plain one", () => {
    const value: unknown = Object.assign(Object.create(null), { a: 1 });
    expect(decodeValue(encodeValue(value))).toEqual({ a: 1 });
  });

  test("ignores a symbol that is not enumerable, which no copy of an object has either", () => {
    const value: unknown = Object.defineProperty({ a: 1 }, Symbol("s"), { value: 1 });
    expect(decodeValue(encodeValue(value))).toEqual({ a: 1 });
  });

  const cycle: Record<string, unknown> = { name: "x" };
  cycle.self = cycle;
  /** Empty lists, one within the other. */
  const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  const TOO_DEEP = "nested more than 500 levels deep, or part of a cycle";
  test.each([
    { title: "a function", value: { a: { b: () => 1 } }, path: "a.b", kind: "a function" },
    { title: "a symbol", value: [0, Symbol("s")], path: "1", kind: "a symbol" },
    {
      title: "an instance of a class",
      value: { list: [new URL("http://x/")] },
      path: "list.0",
      kind: "an instance of URL",
    },
    {
      title: "a symbol as a key",
      value: { list: [{ [Symbol("s")]: 1, b: 2 }] },
      path: "list.0",
      kind: "an object with a symbol as a key",
    },
    { title: "an error", value: { e: new TypeError("x") }, path: "e", kind: "an instance of TypeError" },
    { title: "a promise", value: { p: Promise.resolve() }, path: "p", kind: "an instance of Promise" },
    {
      title: "an instance of a class without a name",
      value: { o: Object.create(Object.create(null)) as unknown },
      path: "o",
      kind: "an instance of an unknown class",
    },
    { title: "a function in a map", value: { m: new Map([["k", () => 1]]) }, path: "m.0.1", kind: "a function" },
    { title: "a function in a set", value: { s: new Set([() => 1]) }, path: "s.0", kind: "a function" },
    { title: "a cycle", value: cycle, path: "self.self.self.self.self.self.self.self", kind: TOO_DEEP },
    { title: "what is nested too deep", value: nested(502), path: "0.0.0.0.0.0.0.0", kind: TOO_DEEP },
  ])("rejects $title and reports its path", ({ value, path, kind }) => {
    expect(() => encodeValue(value)).toThrow(new UnserializableValueError(path, kind));
  });

  test("says what may be stored instead", () => {
    expect(new UnserializableValueError("a.b", "a function").message).toBe(
      'The value at "a.b" is a function, which a journal cannot keep. Store plain data (JSON, Date, Map, Set, bigint, Uint8Array) instead.',
    );
  });

  test("rejects text it did not write", () => {
    expect(() => decodeValue("{")).toThrow(SyntaxError);
    expect(() => decodeValue('{"$":"nonsense","v":1}')).toThrow(
      new SyntaxError('Unknown tag "nonsense" in a journal value'),
    );
  });
});

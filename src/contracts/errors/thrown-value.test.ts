import { expect, test } from "bun:test";
import { AtomicError } from "./atomic-error.ts";
import {
  causesOf,
  messageOf,
  messageWithCauses,
  namedMessageOf,
  namedMessageWithCauses,
  toError,
} from "./thrown-value.ts";

/** Not a literal, which the linter rejects as a message. */
const EMPTY = String();
const trap = (): never => {
  throw new Error("trap");
};
const cycle: Record<string, unknown> = { code: 1 };
cycle.self = cycle;

function errorWith(field: string, descriptor: PropertyDescriptor): Error {
  return Object.defineProperty(new Error("own"), field, { ...descriptor, configurable: true });
}

test.each<{ readonly thrown: unknown; readonly expected: string }>([
  { thrown: "a text", expected: "a text" },
  { thrown: " ", expected: "threw an empty text" },
  { thrown: undefined, expected: "threw undefined" },
  { thrown: null, expected: "threw null" },
  { thrown: 7n, expected: "threw 7" },
  { thrown: Symbol("s"), expected: "threw Symbol(s)" },
  { thrown: TypeError, expected: "threw the function TypeError" },
  {
    thrown: (
      () => () =>
        undefined
    )(),
    expected: "threw the function without a name",
  },
  { thrown: { code: 7, why: "obj" }, expected: '{"code":7,"why":"obj"}' },
  { thrown: { message: "own", code: 7 }, expected: '{"message":"own","code":7}' },
  { thrown: ["a", 1], expected: '["a",1]' },
  { thrown: new URL("https://example.org/a"), expected: "https://example.org/a" },
  { thrown: { text: "x".repeat(3_000) }, expected: `{"text":"${"x".repeat(1_991)}…` },
  { thrown: cycle, expected: "threw an object with the fields code, self" },
  { thrown: new Map([["a", 1]]), expected: "threw an object of the class Map" },
  { thrown: Object.create(null), expected: "threw an object without fields" },
  { thrown: { toString: trap, toJSON: trap }, expected: "threw an object with the fields toString, toJSON" },
  { thrown: new Proxy({}, { get: trap }), expected: "threw an object without fields" },
  {
    thrown: new Proxy(new Error("x"), { get: trap, getPrototypeOf: trap }),
    expected: "threw an object without fields",
  },
  { thrown: errorWith("message", { get: trap }), expected: "threw an object of the class Error" },
  { thrown: errorWith("message", { value: { a: 1 } }), expected: '{"a":1}' },
  { thrown: errorWith("stack", { get: trap }), expected: "own" },
  { thrown: errorWith("isRetryable", { get: trap }), expected: "own" },
])("a thrown value becomes an error with the message $expected", ({ thrown, expected }) => {
  const error = toError(thrown);
  expect([error === thrown, error.message, error.stack, messageOf(thrown), messageWithCauses(error)]).toEqual([
    false,
    expected,
    `Error: ${expected}`,
    expected,
    expected,
  ]);
  expect(error.cause === (typeof thrown === "object" ? (thrown ?? undefined) : undefined)).toBe(true);
});

test("an error stays itself", () => {
  const error = new TypeError("no luck");
  expect([toError(error) === error, messageOf(error)]).toEqual([true, "no luck"]);
});

test.each([
  { error: new Error(EMPTY), expected: "Error without a message" },
  { error: new RangeError(`${EMPTY} `), expected: "RangeError without a message" },
  { error: errorWith("name", { value: 7 }), expected: "own" },
  { error: new AggregateError([new Error("e1"), "e2"], EMPTY), expected: "AggregateError: e1; e2" },
  {
    error: new AggregateError([new Error("e1"), new Error(EMPTY)], "No luck."),
    expected: "No luck: e1; Error without a message",
  },
  { error: new AggregateError([new Error("e1"), new Error("e2")], "e1; e2"), expected: "e1; e2" },
  {
    error: new AggregateError([new AggregateError([new Error("e1")], "in"), new Error("e2")], EMPTY),
    expected: "AggregateError: in: e1; e2",
  },
  { error: new AggregateError([], EMPTY), expected: "AggregateError without a message" },
])("the message of an error is $expected", ({ error, expected }) => {
  expect(messageOf(error)).toBe(expected);
});

test("an aggregate of itself has one part less", () => {
  const error = new AggregateError([new Error("e1")], EMPTY);
  error.errors.push(error);
  expect(messageOf(error)).toBe("AggregateError: e1");
});

test("the parts of an aggregate have their causes, except those that they mention", () => {
  const parse = new Error("no JSON", { cause: new Error("a brace is missing") });
  const read = new Error("not read: no file", { cause: new Error("no file") });
  expect(messageOf(new AggregateError([parse, read], "two"))).toBe(
    "two: no JSON, caused by: a brace is missing; not read: no file",
  );
});

test.each([
  { title: "an error without a cause", error: new Error("outer"), expected: "outer" },
  {
    title: "causes",
    error: new Error("outer", { cause: new Error("middle", { cause: { code: 7 } }) }),
    expected: 'outer\nCaused by: middle\nCaused by: {"code":7}',
  },
  {
    title: "a cause that the error mentions",
    error: new Error("outer: inner", { cause: new Error("inner", { cause: "root" }) }),
    expected: "outer: inner\nCaused by: root",
  },
  {
    title: "an error of Atomic, which says all itself",
    error: new Error("outer", { cause: new AtomicError("CODE", "inner", { cause: new Error("root") }) }),
    expected: "outer\nCaused by: inner",
  },
  { title: "a cause that is null", error: new Error("outer", { cause: null }), expected: "outer" },
])("the message with its causes: $title", ({ error, expected }) => {
  expect(messageWithCauses(error)).toBe(expected);
});

test("the causes end at a cycle", () => {
  const outer = new Error("outer");
  const inner = new Error("inner", { cause: outer });
  outer.cause = inner;
  expect(causesOf(outer)).toEqual([outer, inner]);
});

test.each<{ readonly thrown: unknown; readonly expected: string }>([
  { thrown: new TypeError("no luck"), expected: "TypeError: no luck" },
  { thrown: new TypeError(EMPTY), expected: "TypeError without a message" },
  { thrown: new AtomicError("CODE", "It broke."), expected: "It broke." },
  { thrown: "no luck", expected: "no luck" },
])("with the class, a message is $expected", ({ thrown, expected }) => {
  expect(namedMessageOf(thrown)).toBe(expected);
});

test.each<{ readonly thrown: unknown; readonly expected: string }>([
  { thrown: new TypeError("no luck."), expected: "TypeError: no luck." },
  {
    thrown: new TypeError("no luck.", { cause: new Error("no tea") }),
    expected: "TypeError: no luck, caused by: no tea",
  },
  { thrown: new Error("no tea left", { cause: new Error("no tea") }), expected: "Error: no tea left" },
  { thrown: "no luck", expected: "no luck" },
])("with the class and the causes, a message is $expected", ({ thrown, expected }) => {
  expect(namedMessageWithCauses(thrown)).toBe(expected);
});

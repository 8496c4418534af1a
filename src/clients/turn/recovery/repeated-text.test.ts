import { expect, test } from "bun:test";
import fc from "fast-check";
import { RepeatedText } from "./repeated-text.ts";

test.each<{ title: string; given: string; pieces: readonly string[]; passed: readonly string[]; rest: string }>([
  { title: "without an earlier text all passes", given: "", pieces: ["a", "b"], passed: ["a", "b"], rest: "" },
  { title: "what repeats is held back", given: "abc", pieces: ["a", "bcd", "e"], passed: ["", "d", "e"], rest: "" },
  { title: "what differs comes whole", given: "abc", pieces: ["ab", "x", "y"], passed: ["", "\n\nabx", "y"], rest: "" },
  { title: "what ends early differs, too", given: "abc", pieces: ["ab"], passed: [""], rest: "\n\nab" },
  { title: "the very same passes nothing", given: "abc", pieces: ["abc"], passed: [""], rest: "" },
])("$title", ({ given, pieces, passed, rest }) => {
  const text = new RepeatedText(given);
  expect<readonly string[]>(pieces.map((piece) => text.push(piece))).toEqual(passed);
  expect(text.flush()).toBe(rest);
  expect(text.flush()).toBe("");
});

test("the next beginning compares with what the reader saw last", () => {
  const first = new RepeatedText("");
  first.push("Hello wor");
  const second = first.restart();
  expect(second.push("Hel")).toBe("");
  const third = second.restart();
  expect(third.push("Hello world")).toBe("ld");
  const fourth = third.restart();
  expect(fourth.push("Good day")).toBe("\n\nGood day");
  expect(fourth.restart().push("Good day!")).toBe("!");
});

test("the reader sees the whole answer once, after the earlier one or in place of it, however it is cut", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 6 });
  fc.assert(
    fc.property(text, fc.array(text, { maxLength: 4 }), (given, pieces) => {
      const repeated = new RepeatedText(given);
      const passed = pieces.map((piece) => repeated.push(piece)).join("") + repeated.flush();
      const answer = pieces.join("");
      expect([answer, answer === "" ? given : `${given}\n\n${answer}`]).toContain(given + passed);
    }),
  );
});

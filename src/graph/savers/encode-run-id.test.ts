import { expect, test } from "bun:test";
import fc from "fast-check";
import { decodeRunId, encodeRunId } from "./encode-run-id.ts";

test.each([
  { runId: "4f2a-9c_1", name: "4f2a-9c_1" },
  { runId: "", name: "~" },
  { runId: "..", name: "%2e%2e" },
  { runId: "a/b", name: "a%2fb" },
  { runId: "Case", name: "%43ase" },
  { runId: "ü", name: "%c3%bc" },
  { runId: "~", name: "%7e" },
])("$runId has the name $name", ({ runId, name }) => {
  expect([encodeRunId(runId), decodeRunId(name)]).toEqual([name, runId]);
});

test("a long id has a short name of its own, from which it cannot be read", () => {
  const names = [200, 201].map((length) => encodeRunId("x".repeat(length)));
  expect(names.map((name) => name.length)).toEqual([120, 120]);
  expect(names[0]).toMatch(/^x{87}~[0-9a-f]{32}$/);
  expect(names[0]).not.toBe(names[1] ?? "");
  expect(decodeRunId(names[0] ?? "")).toBeUndefined();
});

test.each(["%", "%zz", "a/b", "Case", "%61", "%C3%BC"])("%s is the name of no run", (name) => {
  expect(decodeRunId(name)).toBeUndefined();
});

test("any two ids have different names, in lower case, that are safe in a folder", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (left, right) => {
      const names = [encodeRunId(left), encodeRunId(right)];
      for (const name of names) expect(name).toMatch(/^[a-z0-9_%~-]{1,120}$/);
      expect(names[0] === names[1]).toBe(left === right);
    }),
  );
});

import { expect, test } from "bun:test";
import { given } from "./given.ts";

test("fields without a value are left out, all others stay in their order", () => {
  const fields = given({ name: "plan", model: undefined, retry: null, timeoutMs: 0, isQuiet: false, text: "" });
  expect(Object.entries(fields)).toEqual([
    ["name", "plan"],
    ["retry", null],
    ["timeoutMs", 0],
    ["isQuiet", false],
    ["text", ""],
  ]);
});

import { expect, test } from "bun:test";
import { createRunId } from "./run-id.ts";

test("ids are 32 digits, and unlike each other", () => {
  const ids = Array.from({ length: 10_000 }, createRunId);
  expect(ids.filter((id) => !/^[0-9a-f]{32}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});

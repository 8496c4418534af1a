import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { exportableId, exportableProperties, TELEMETRY_PROPERTIES } from "./event-properties.ts";
import { TELEMETRY_EVENT_TYPES } from "./telemetry-event.ts";

describe("a property may be exported", () => {
  test.each([
    { name: "nodeId", value: "implement#3", isExported: true },
    { name: "nodeId", value: "src/index.ts", isExported: false },
    { name: "nodeId", value: "Add the tests", isExported: false },
    { name: "model", value: "anthropic/claude-opus", isExported: true },
    { name: "model", value: "/home/me/model", isExported: false },
    { name: "model", value: "home/me/model", isExported: false },
    { name: "durationMs", value: 12, isExported: true },
    { name: "durationMs", value: Number.NaN, isExported: false },
    { name: "durationMs", value: "12", isExported: false },
    { name: "isError", value: false, isExported: true },
    { name: "isError", value: "false", isExported: false },
    { name: "prompt", value: "name", isExported: false },
    { name: "toString", value: "name", isExported: false },
    { name: "errorCode", value: { code: "x" }, isExported: false },
  ])("$name = $value: $isExported", ({ name, value, isExported }) => {
    expect(Object.keys(exportableProperties({ [name]: value }))).toEqual(isExported ? [name] : []);
  });
});

test.each([
  { id: "scripted-1", expected: "scripted-1" },
  { id: "../x", expected: undefined },
  { id: undefined, expected: undefined },
])("the id $id is exported as $expected", ({ id, expected }) => {
  expect(exportableId(id)).toBe(expected as never);
});

test("docs/telemetry.md lists every event and every property", async () => {
  const text = await readFile(new URL("../../docs/telemetry.md", import.meta.url), "utf8");
  const section = (title: string): string => text.split(`# ${title}\n`)[1]?.split("\n#")[0] ?? "";
  const namesIn = (rows: string, column: number): readonly string[] =>
    rows
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .flatMap((line) => [...(line.split("|")[column] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
  expect([...namesIn(section("Events"), 1)].sort()).toEqual([...TELEMETRY_EVENT_TYPES].sort());
  expect([...namesIn(section("Properties"), 1)].sort()).toEqual([...TELEMETRY_PROPERTIES].sort());
});

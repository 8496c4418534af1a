import { expect, test } from "bun:test";
import type { ToolEntry } from "../../contracts/index.ts";
import { ToolRegistry } from "./tool-registry.ts";

function entry(name: string): ToolEntry {
  const definition = { name, description: name, inputSchema: { type: "object" }, handler: () => name };
  return { name, description: name, definition, source: "local", filePath: `/t/${name}.ts` };
}

test("a tool is found in any case, replaced by one of its name, and gone after clear()", () => {
  const registry = new ToolRegistry();
  const [first, second] = [entry("Lint"), entry("lint")];
  registry.register(first);
  expect([registry.get(" LINT "), registry.find("lint"), registry.has("LINT")]).toEqual([
    first,
    first.definition,
    true,
  ]);
  registry.register(second);
  expect([registry.getAll(), registry.names()]).toEqual([[second], ["lint"]]);
  registry.clear();
  expect([registry.get("lint"), registry.find("lint"), registry.has("lint"), registry.getAll()]).toEqual([
    undefined,
    undefined,
    false,
    [],
  ]);
});

test.each([
  { known: ["lint", "deploy"], message: 'There is no tool "lnt". Did you mean "lint"? Known tools: lint, deploy.' },
  { known: [], message: 'There is no tool "lnt". Write one in .atomic/tools/NAME.ts.' },
])("a name that no tool has is an error with the nearest: $known", ({ known, message }) => {
  const registry = new ToolRegistry();
  for (const name of known) registry.register(entry(name));
  expect(() => registry.require("lnt")).toThrow(message);
});

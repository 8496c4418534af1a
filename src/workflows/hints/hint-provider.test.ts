import { expect, test } from "bun:test";
import { createEntityRegistry, type UnifiedEntity } from "../../discovery/index.ts";
import { getCommandHint, HintProvider } from "./hint-provider.ts";

function entity(name: string, more: Partial<UnifiedEntity> = {}): UnifiedEntity {
  const source = { provider: "claude", location: "project" } as const;
  return { type: "command", name, description: name, prompt: name, fields: {}, source, ...more };
}

test("a built-in command has a hint, in any case and with a slash; others have none", () => {
  expect(
    ["ralph", "/Loop", "DOCTOR", "trust", "commit", "", "__proto__", "constructor"].map((name) => getCommandHint(name)),
  ).toEqual([
    '"<prompt-or-spec-path>" [--verify COMMAND]',
    '"<prompt-or-spec-path>" [--verify COMMAND]',
    "",
    "list | add [folder] | revoke [folder]",
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("the command's hint precedes the skill's, the workflow's and the built-in one", () => {
  const entities = createEntityRegistry();
  const workflows = [{ name: "ship", aliases: ["deploy"], argumentHint: "<version>" }];
  const hints = new HintProvider({ entities, workflows });
  expect(hints.getCommandHint("Deploy")).toBe("<version>");
  entities.register(entity("ship", { type: "skill", argumentHint: "[skill]" }));
  expect(hints.getCommandHint("ship")).toBe("[skill]");
  entities.register(entity("ship", { argumentHint: "[command]" }));
  expect(hints.getCommandHint("ship")).toBe("[command]");
  // What has taken the name of a built-in command takes other arguments.
  entities.register(entity("doctor"));
  entities.register(entity("runs", { argumentHint: "[own]" }));
  expect([hints.getCommandHint("doctor"), hints.getCommandHint("runs")]).toEqual([undefined, "[own]"]);
});

test.each([
  { input: "/trust", hint: "list | add [folder] | revoke [folder]" },
  { input: "/trust ", hint: "list | add [folder] | revoke [folder]" },
  { input: "/trust a", hint: undefined },
  { input: "/trus", hint: undefined },
  { input: "/", hint: undefined },
  { input: "trust", hint: undefined },
  { input: " /trust", hint: undefined },
])("after $input the hint is $hint", ({ input, hint }) => {
  expect(new HintProvider().hintFor(input)).toBe(hint);
});

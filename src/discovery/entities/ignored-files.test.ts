import { expect, test } from "bun:test";
import { createEntityHome } from "./fixtures/entity-home.ts";

test("of two definitions with one name in a folder, the second is a problem that names the first", async () => {
  await using home = await createEntityHome({
    "project/.claude/agents/a.md": "---\nname: Same\n---\nFirst.",
    "project/.claude/agents/team/b.md": "---\nname: same\n---\nSecond.",
    "home/.claude/agents/c.md": "---\nname: same\n---\nThird.",
  });
  const { registry, problems } = await home.discover();
  expect(registry.getAgent("same")?.prompt).toBe("First.");
  expect(problems).toEqual([
    {
      path: `${home.project}/.claude/agents/team/b.md`,
      message: `The agent "same" is also defined in ${home.project}/.claude/agents/a.md, which is used`,
      remedy: "Rename or remove one of them.",
      severity: "warning",
      types: ["agent"],
    },
  ]);
});

import { expect, test } from "bun:test";
import type { RunEvent } from "../contracts/index.ts";
import { graph } from "./builder.ts";
import { node, TestState } from "./fixtures/test-nodes.ts";

test.each([
  { title: "its title, made of the state", extra: { name: "Named", title: () => "Titled" }, expected: "Titled" },
  { title: "its name without one", extra: { name: "Named" }, expected: "Named" },
  { title: "its id without either", extra: {}, expected: "work" },
  {
    title: "its name when the title fails",
    extra: {
      name: "Named",
      title: () => {
        throw new Error("no");
      },
    },
    expected: "Named",
  },
])("a visit is called by $title", async ({ extra, expected }) => {
  const events: RunEvent[] = [];
  const compiled = graph(TestState)
    .start(node("work", undefined, extra))
    .end()
    .compile();
  const { status } = await compiled.run({}, { onEvent: (event) => events.push(event) });
  expect(status).toBe("completed");
  expect(events.find(({ type }) => type === "node-start")).toMatchObject({ name: expected });
});

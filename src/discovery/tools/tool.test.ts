import { expect, test } from "bun:test";
import { z } from "zod";
import { tool } from "../plugin.ts";

test("tool() returns its argument and types what execute receives", async () => {
  const context = { sessionID: "", messageID: "", agent: "", directory: "", abort: new AbortController().signal };
  const shape = tool({
    description: "d",
    args: { path: tool.schema.string(), depth: tool.schema.number().default(1) },
    execute: ({ path, depth }): string => path.repeat(depth),
  });
  const schema = tool({
    description: "d",
    inputSchema: z.object({ n: z.number() }),
    execute: ({ n }): number => n + 1,
  });
  const json = tool({
    description: "d",
    args: { type: "object", properties: { n: { type: "number" } } },
    execute: ({ n }) => n,
  });
  const none = tool({ description: "d", execute: () => "none" });
  // @ts-expect-error: the arguments have no such field
  tool({ description: "d", args: { path: tool.schema.string() }, execute: ({ pth }) => pth });
  expect([
    shape.execute({ path: "a", depth: 2 }, context),
    schema.execute({ n: 1 }, context),
    json.execute({ n: 3 }, context),
    none.execute({}, context),
    tool.schema,
  ]).toEqual(["aa", 2, 3, "none", z]);
});

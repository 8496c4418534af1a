import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { createClaudeClient } from "./claude-client.ts";

test("the creation of a session with an id is aborted when the client is stopped", async () => {
  const nowhere = path.join(import.meta.dir, "nowhere");
  const client = createClaudeClient({ workingDirectory: nowhere, env: { PATH: nowhere, HOME: nowhere } });
  const creating = rejectionOf(client.createSession({ sessionId: randomUUID() }));
  await client.stop();
  expect(String(await creating)).toBe("AbortError: The client was stopped.");
});

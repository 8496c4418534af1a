import { expect, test } from "bun:test";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { createOpenCodeClient } from "./opencode-client.ts";

test("joining a running server (baseUrl) is rejected, with the reason and what to do", async () => {
  const client = createOpenCodeClient({ workingDirectory: "/work", env: {}, baseUrl: "http://127.0.0.1:4096" });
  expect(await rejectionOf(client.createSession())).toMatchObject({
    code: "SERVER_NOT_JOINED",
    message:
      'The agent "opencode" at http://127.0.0.1:4096 was not joined: Atomic decides about tool calls in a plugin, which OpenCode loads when it starts and not later, so a running server would not enforce the policy. Leave baseUrl out: Atomic then starts its own server, with the same login, settings and conversations.',
  });
});

import { expect, test } from "bun:test";
import { ClientNotInstalledError, UnknownSessionError } from "../../../contracts/index.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { createOpenCodeClient } from "./opencode-client.ts";

const client = createOpenCodeClient({ workingDirectory: "/work", env: {}, binaryPath: "/nowhere/opencode" });

test("an id that no OpenCode conversation can have is unknown, without a server", async () => {
  for (const call of [
    () => client.resumeSession("mine"),
    () => client.forkSession("mine"),
    () => client.deleteSession("mine"),
  ]) {
    expect(await rejectionOf(call())).toEqual(new UnknownSessionError("opencode", "mine"));
  }
  expect(await rejectionOf(client.resumeSession("ses_1"))).toBeInstanceOf(ClientNotInstalledError);
});

import { expect, test } from "bun:test";
import { once } from "node:events";
import { connect } from "node:net";
import { AgentCrashedError } from "../../../../contracts/index.ts";
import { startCopilotRuntime } from "./copilot-runtime.ts";

test("a runtime that sends something other than messages is stopped", async () => {
  const script = "head -c 1 >/dev/null; printf 'Content-Length: 99999999999\\r\\n\\r\\nx'; exec sleep 300";
  const runtime = await startCopilotRuntime({
    command: ["sh", "-c", script],
    env: { PATH: process.env.PATH ?? "" },
  });
  const socket = connect(runtime.port, "127.0.0.1");
  await once(socket, "connect");
  const body = JSON.stringify({ params: { token: runtime.token } });
  socket.write(`Content-Length: ${body.length}\r\n\r\n${body}`);
  expect(await runtime.ended).toBeInstanceOf(AgentCrashedError);
  expect(runtime.isAlive()).toBe(false);
  await runtime.stop();
});

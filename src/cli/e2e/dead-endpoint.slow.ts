import { afterAll, beforeAll, expect, test } from "bun:test";
import { startModelServer } from "../../testkit/index.ts";
import { Sandbox } from "./fixtures/sandbox.ts";

let sandbox: Sandbox;
let address: string;

beforeAll(async () => {
  sandbox = await Sandbox.create();
  const server = await startModelServer({ script: () => ({ type: "garbage" }) });
  address = new URL(server.url).host;
  await server.stop();
  const endpoint = { protocol: "openai-chat", baseUrl: `http://${address}/v1`, models: [{ id: "m" }] };
  await sandbox.writeConfig({
    agents: { opencode: { endpoint }, claude: { endpoint: { ...endpoint, protocol: "anthropic-messages" } } },
  });
});

afterAll(async () => {
  await sandbox.remove();
});

// Both agents would retry the call for more than three minutes.
test.each(["opencode", "claude"])(
  "an endpoint where nothing listens is reported before %s starts",
  async (agent) => {
    const { exitCode, stdout, stderr } = await sandbox.atomic("-p", "hello", "--agent", agent);
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `error: Nothing answers at ${address} (ECONNREFUSED).
       Start the model's server, or correct "agents.${agent}.endpoint.baseUrl" in ${sandbox.atomicHome}/config.json.
       (ENDPOINT_UNREACHABLE)
`,
    });
  },
  15_000,
);

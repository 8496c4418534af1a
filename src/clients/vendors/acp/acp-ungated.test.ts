import { afterAll, expect, test } from "bun:test";
import { ClientNotInstalledError, UngatedAgentError } from "../../../contracts/index.ts";
import { rejectionOf } from "../../../testkit/conformance/rejection-of.ts";
import { createAcpClient } from "./acp-client.ts";
import { openOddAgentBench } from "./fixtures/odd-agent-bench.ts";
import { mayStart } from "./program/acp-options.ts";
import { ACP_PRESETS, type AcpPresetName } from "./program/acp-presets.ts";

const bench = await openOddAgentBench(process.env.PATH ?? "");
afterAll(() => bench.stop());

test("an agent that does not let Atomic decide about each call starts only with the user's consent", async () => {
  const client = createAcpClient(bench.optionsFor([], { ungated: false }));
  expect(await rejectionOf(client.createSession())).toEqual(new UngatedAgentError("odd"));
  expect(await rejectionOf(client.start())).toEqual(new UngatedAgentError("odd"));
  await client.stop();
  const consented = createAcpClient(bench.optionsFor());
  await consented.createSession();
  await consented.stop();
});

test("a missing agent is reported as missing before its consent is checked", async () => {
  const client = createAcpClient({ workingDirectory: "/work", env: { PATH: "/nowhere" }, preset: "goose" });
  const remedy = `Run: ${ACP_PRESETS.goose.installCommand}`;
  expect(await rejectionOf(client.createSession())).toEqual(
    new ClientNotInstalledError("goose", 'its program "goose"', { remedy }),
  );
});

test("the presets say which agents let Atomic decide about each call", () => {
  const names = Object.keys(ACP_PRESETS) as AcpPresetName[];
  const options = { workingDirectory: "/work", env: {} };
  expect(names.filter((preset) => mayStart({ ...options, preset }))).toEqual(["opencode", "claude"]);
});

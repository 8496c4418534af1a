import { afterEach, expect, test } from "bun:test";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AcpOptions } from "../../clients/index.ts";
import type { AcpAgentSettings } from "../config/agent-settings.ts";
import { assertKnownAgent } from "./agent-types.ts";
import { type Agents, acpOptions, createAgents } from "./agents.ts";
import { EndpointUnreachableError } from "./probe-endpoint.ts";

const opened: Agents[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const agents of opened.splice(0)) await agents.stop();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function open(): Promise<{ readonly agents: Agents; readonly folder: string }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "atomic-agents-")));
  folders.push(folder);
  const agents = createAgents({
    config: {},
    defaultAgent: "scripted",
    workingDirectory: folder,
    atomicHome: folder,
    env: {},
  });
  opened.push(agents);
  return { agents, folder };
}

test.each(["claude", "opencode", "copilot", "gemini", "codex", "goose", "scripted", "mine"])(
  "%s is an agent",
  (name) => {
    expect(() => assertKnownAgent(name, { agents: { mine: { command: "mine" } } })).not.toThrow();
  },
);

test.each([
  {
    name: "opencod",
    message:
      'There is no agent "opencod". Known agents: claude, opencode, copilot, gemini, codex, goose, scripted, mine. Did you mean "opencode"? Any other that speaks ACP can be described in config.json below "agents".',
  },
  {
    name: "",
    message:
      'There is no agent "". Known agents: claude, opencode, copilot, gemini, codex, goose, scripted, mine. Any other that speaks ACP can be described in config.json below "agents".',
  },
  {
    name: "toString",
    message:
      'There is no agent "toString". Known agents: claude, opencode, copilot, gemini, codex, goose, scripted, mine. Any other that speaks ACP can be described in config.json below "agents".',
  },
])('"$name" is none', ({ name, message }) => {
  expect(() => assertKnownAgent(name, { agents: { mine: { command: "mine" } } })).toThrow(message);
});

const ENV = { PATH: "/bin", OPENAI_API_KEY: "key", OPENCODE_X: "x", DATABASE_URL: "postgres://" };

const GIT = {
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "safe.bareRepository",
  GIT_CONFIG_VALUE_0: "explicit",
};

test.each<{ name: string; settings: AcpAgentSettings; expected: Partial<AcpOptions> }>([
  {
    name: "oc",
    settings: { preset: "opencode" },
    expected: { preset: "opencode", programDirectory: "/home/me/.atomic/vendor/opencode", env: { ...ENV, ...GIT } },
  },
  {
    name: "work",
    settings: { preset: "codex", environment: [] },
    expected: {
      preset: "codex",
      programDirectory: "/home/me/.atomic/vendor/codex",
      env: { PATH: "/bin", OPENAI_API_KEY: "key", ...GIT },
    },
  },
  {
    name: "codex",
    settings: { command: "my-codex", environment: ["DATABASE_*"] },
    expected: {
      preset: "codex",
      command: "my-codex",
      programDirectory: "/home/me/.atomic/vendor/codex",
      env: { PATH: "/bin", OPENAI_API_KEY: "key", DATABASE_URL: "postgres://", ...GIT },
    },
  },
  {
    name: "constructor",
    settings: { command: "x", environment: [] },
    expected: { command: "x", env: { PATH: "/bin", ...GIT } },
  },
])(
  "an agent over ACP has folders and keys by what it is, whatever it is called: $name",
  ({ name, settings, expected }) => {
    const options = {
      config: { agents: { [name]: settings } },
      env: ENV,
      atomicHome: "/home/me/.atomic",
      isProjectTrusted: true,
    };
    expect<Partial<AcpOptions>>(acpOptions(name, { ...options, defaultAgent: "x", workingDirectory: "/work" })).toEqual(
      {
        ...expected,
        agentType: name,
        workingDirectory: "/work",
        projectSettings: true,
        vendorDirectory: "/home/me/.atomic/vendor/acp",
      },
    );
  },
);

test("in a project that is not trusted, neither the agent's settings there hold, nor git's, nor are programs found there", () => {
  const options = {
    config: {},
    env: { PATH: "/work/app/bin:/work:/worker:/bin", GIT_CONFIG_COUNT: "1" },
    atomicHome: "/home/me/.atomic",
  };
  expect<Partial<AcpOptions>>(
    acpOptions("goose", { ...options, defaultAgent: "x", workingDirectory: "/work" }),
  ).toEqual({
    preset: "goose",
    agentType: "goose",
    programDirectory: "/home/me/.atomic/vendor/goose",
    vendorDirectory: "/home/me/.atomic/vendor/acp",
    workingDirectory: "/work",
    projectSettings: false,
    env: {
      PATH: "/worker:/bin",
      GIT_CONFIG_COUNT: "6",
      GIT_CONFIG_KEY_1: "core.fsmonitor",
      GIT_CONFIG_VALUE_1: "false",
      GIT_CONFIG_KEY_2: "core.hooksPath",
      GIT_CONFIG_VALUE_2: "/dev/null",
      GIT_CONFIG_KEY_3: "log.showSignature",
      GIT_CONFIG_KEY_4: "protocol.ext.allow",
      GIT_CONFIG_KEY_5: "safe.bareRepository",
      GIT_CONFIG_VALUE_3: "false",
      GIT_CONFIG_VALUE_4: "never",
      GIT_CONFIG_VALUE_5: "explicit",
      GIT_PROXY_COMMAND: "",
    },
  });
});

test("an endpoint is tried when its agent is opened, and again only while nothing answered there", async () => {
  const { folder } = await open();
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = () => new Promise((resolve) => server.close(resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo; // a server that listens on a TCP port has one
  await close();
  const endpoint = { protocol: "openai-chat" as const, baseUrl: `http://127.0.0.1:${port}/v1`, models: [{ id: "m" }] };
  const agents = createAgents({
    config: { agents: { opencode: { endpoint } } },
    ...{ defaultAgent: "opencode", workingDirectory: folder, atomicHome: folder, env: {} },
  });
  opened.push(agents);
  await expect(Promise.resolve(agents.provider("opencode"))).rejects.toThrow(EndpointUnreachableError);
  await listen(port);
  const clients = [
    await agents.provider("opencode"),
    await agents.provider("opencode"),
    await agents.provider("opencode"),
  ];
  await close();
  expect({ count, kinds: new Set(clients).size }).toEqual({ count: 1, kinds: 1 });
});

test.each([
  { baseUrl: "http://127.0.0.1:1", expected: "ENDPOINT_UNREACHABLE" },
  { baseUrl: "http://gateway.invalid", expected: undefined },
  { baseUrl: "nonsense", expected: undefined },
])("the variable ANTHROPIC_BASE_URL is tried where it names this machine: $baseUrl", async ({ baseUrl, expected }) => {
  const { folder } = await open();
  const agents = createAgents({
    config: {},
    ...{ defaultAgent: "claude", workingDirectory: folder, atomicHome: folder, env: { ANTHROPIC_BASE_URL: baseUrl } },
  });
  opened.push(agents);
  const problem = await Promise.resolve(agents.provider("claude")).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(problem).toEqual(
    expected &&
      expect.objectContaining({
        code: expected,
        message:
          "Nothing answers at 127.0.0.1:1 (ECONNREFUSED). Start the model's server, or correct the variable ANTHROPIC_BASE_URL.",
      }),
  );
});

test("beforeStart can keep an agent from starting", async () => {
  const { folder } = await open();
  const started: string[] = [];
  const agents = createAgents({
    config: {},
    defaultAgent: "scripted",
    workingDirectory: folder,
    atomicHome: folder,
    env: {},
    async beforeStart(agentType) {
      started.push(agentType);
      throw new Error("Not here.");
    },
  });
  opened.push(agents);
  await expect(Promise.resolve(agents.provider(undefined))).rejects.toThrow("Not here.");
  expect(started).toEqual(["scripted"]);
});

test("an agent is made once for all nodes, also when two ask at the same moment", async () => {
  const { agents } = await open();
  const [first, second, byDefault] = await Promise.all([
    agents.provider("scripted"),
    agents.provider("scripted"),
    agents.provider(undefined),
  ]);
  expect(first.agentType).toBe("scripted");
  expect(second).toBe(first);
  expect(byDefault).toBe(first);
});

test("a node that names an unknown agent gets an error", async () => {
  const { agents } = await open();
  expect(() => agents.provider("nobody")).toThrow('There is no agent "nobody".');
});

test("the scripted agent obeys the policy of its session as any other agent does", async () => {
  const { agents, folder } = await open();
  const scripted = createAgents({
    config: {},
    defaultAgent: "scripted",
    workingDirectory: folder,
    atomicHome: folder,
    env: {},
    scriptedAgent: () => ({ actions: [{ type: "edit-file", path: "a.txt", content: "x" }], text: "done" }),
  });
  opened.push(scripted);
  const client = await scripted.provider(undefined);
  const careful = await client.createSession({ permissions: { rules: [], otherwise: "ask" } });
  expect((await careful.send("go")).deniedPermissions).toEqual([
    {
      toolName: "edit_file",
      kind: "edit",
      title: "Write a.txt",
      reason: 'Denied: no rule allows changing "a.txt", and nobody can approve it here.',
      allowedBy: "edit:a.txt",
      isUnasked: true,
    },
  ]);
  const free = await client.createSession({ permissions: { rules: [{ effect: "allow", tools: ["edit"] }] } });
  expect(await free.send("go")).toMatchObject({ deniedPermissions: [], toolUses: 1 });
  expect(await Bun.file(join(folder, "a.txt")).text()).toBe("x");
  // Made before, and never started: stopping it is no error.
  await agents.stop();
});

test("agents in different sandboxes have processes of their own, and a node's may only be stricter", async () => {
  const { folder } = await open();
  const options = { config: {}, defaultAgent: "claude", workingDirectory: folder, atomicHome: folder, env: {} };
  const agents = createAgents({ ...options, sandbox: { network: ["a.test"] } });
  const [plain, same, strict, again] = await Promise.all([
    agents.provider(undefined),
    agents.provider("claude"),
    agents.provider("claude", { sandbox: { writeRoots: [] } }),
    agents.provider("claude", { sandbox: { writeRoots: [] } }),
  ]);
  expect([same === plain, strict === plain, again === strict]).toEqual([true, false, true]);
  expect([plain.isSandboxed, strict.isSandboxed]).toEqual([true, true]);
  expect(() => agents.provider("claude", { sandbox: { network: ["b.test"] } })).toThrow(
    'The setting sandbox.network[0] cannot be used: "b.test" is not in the sandbox of the whole call. Allow it there, or leave it out.',
  );
  const free = createAgents(options);
  const [without, wanted] = [await free.provider(undefined), await free.provider(undefined, { sandbox: {} })];
  expect([without.isSandboxed, wanted.isSandboxed]).toEqual([false, true]);
});

test("in a rehearsal every agent is the scripted one, and one that does not exist is still an error", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "atomic-agents-")));
  folders.push(folder);
  const about = { config: {}, defaultAgent: "scripted", workingDirectory: folder, atomicHome: folder, env: {} };
  const agents = createAgents({ ...about, isRehearsal: true });
  opened.push(agents);
  const types = ["claude", "copilot", undefined].map(async (name) => (await agents.provider(name)).agentType);
  expect(await Promise.all(types)).toEqual(["scripted", "scripted", "scripted"]);
  await expect(Promise.resolve(agents.provider("clade"))).rejects.toThrow('There is no agent "clade".');
});

test("an unknown agent is reported with the settings file that names it, if there is one", () => {
  const config = { agent: "opencod", agentPath: "/home/me/.atomic/config.json" };
  expect(() => assertKnownAgent("opencod", config)).toThrow(
    'There is no agent "opencod", which /home/me/.atomic/config.json names. Known agents: ',
  );
  expect(() => assertKnownAgent("clade", config)).toThrow('There is no agent "clade". Known agents: ');
});

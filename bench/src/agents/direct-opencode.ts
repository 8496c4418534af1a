import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createOpencodeClient, type Event } from "@opencode-ai/sdk/v2/client";
import { findOpenCode } from "../../../src/clients/index.ts";
import { superviseCommand } from "../../../src/system/index.ts";
import { type AgentDriver, type AgentSetup, MODEL } from "./agent-driver.ts";

const PASSWORD = "of-the-benchmark";

/** Drives OpenCode through its SDK: a server, and one stream with the events of the project. */
export async function startDirectOpenCode(setup: AgentSetup): Promise<AgentDriver> {
  const { workFolder } = setup;
  const server = await startServer(setup);
  const authorization = `Basic ${Buffer.from(`opencode:${PASSWORD}`).toString("base64")}`;
  const client = createOpencodeClient({
    baseUrl: await readAddress(server),
    directory: workFolder,
    headers: { Authorization: authorization },
  });
  const events = (await client.event.subscribe({}, { sseMaxRetryAttempts: 1 })).stream;
  // What happens before the server says so is lost.
  await readUntil(events, ({ type }) => type === "server.connected");
  const created = await client.session.create({}, { throwOnError: true });
  const sessionID = created.data.id;
  return {
    send: async (message, onText) => {
      let hasAnswer = false;
      const take = (event: Event): boolean => {
        if (event.type === "message.part.delta" && event.properties.field === "text") {
          hasAnswer = true;
          onText(event.properties.delta);
        }
        // The one of the turn before may come twice.
        return hasAnswer && event.type === "session.idle" && event.properties.sessionID === sessionID;
      };
      await client.session.promptAsync({ sessionID, parts: [{ type: "text", text: message }] }, { throwOnError: true });
      await readUntil(events, take);
    },
    stop: async () => {
      const ended = once(server, "exit");
      // The supervisor ends the server when its life line closes.
      server.stdio[3]?.destroy();
      await ended;
    },
  };
}

async function readUntil(events: AsyncGenerator<unknown>, isLast: (event: Event) => boolean): Promise<void> {
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) throw new Error("Error: OpenCode's events ended in the middle of a turn.");
    // The cast is true: the stream's own type for what it yields is this one.
    if (isLast(value as Event)) return;
  }
}

/** The server ends together with this process, as the agents of the other drivers do by themselves. */
async function startServer(setup: AgentSetup): Promise<ChildProcess> {
  const { homeFolder, workFolder, searchPath } = setup;
  await pretendPluginInstalled(join(homeFolder, ".config", "opencode"));
  const program = await findOpenCode({ env: { PATH: searchPath } });
  const [file, ...args] = superviseCommand([program, "serve", "--hostname=127.0.0.1", "--port=0"]);
  return spawn(file, args, {
    cwd: workFolder,
    env: openCodeEnvironment(setup),
    detached: true,
    stdio: ["ignore", "pipe", "ignore", "pipe"],
  });
}

/** Reads on to the end, so that the server never blocks on a full pipe. */
async function readAddress(server: ChildProcess): Promise<string> {
  const { stdout } = server;
  if (stdout === null) throw new Error("Error: OpenCode was started without an output.");
  const lines = createInterface({ input: stdout });
  return new Promise((resolve, reject) => {
    lines.on("line", (line) => {
      const url = /listening on (http\S+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    lines.once("close", () => reject(new Error("Error: OpenCode ended before it named its address.")));
  });
}

/** Keeps OpenCode from installing its plugin package in the background. */
export async function pretendPluginInstalled(folder: string): Promise<void> {
  const manifest = { dependencies: { "@opencode-ai/plugin": "*" } };
  const lock = { lockfileVersion: 3, packages: { "": manifest } };
  await mkdir(join(folder, "node_modules"), { recursive: true });
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
}

/** The environment of OpenCode, with the model server as its endpoint. */
export function openCodeEnvironment(setup: AgentSetup): Record<string, string> {
  const { homeFolder, searchPath } = setup;
  return {
    PATH: searchPath,
    HOME: homeFolder,
    XDG_CONFIG_HOME: join(homeFolder, ".config"),
    XDG_DATA_HOME: join(homeFolder, ".local", "share"),
    XDG_CACHE_HOME: join(homeFolder, ".cache"),
    XDG_STATE_HOME: join(homeFolder, ".local", "state"),
    OPENCODE_CONFIG_CONTENT: JSON.stringify(settings(setup)),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_SERVER_PASSWORD: PASSWORD,
  };
}

function settings({ modelUrl }: AgentSetup): object {
  const model = {
    name: MODEL.id,
    tool_call: true,
    reasoning: true,
    limit: { context: MODEL.contextWindowTokens, output: MODEL.outputTokens },
  };
  return {
    autoupdate: false,
    share: "disabled",
    snapshot: false,
    lsp: false,
    formatter: false,
    permission: { edit: "allow", bash: "allow" },
    enabled_providers: ["bench"],
    model: `bench/${MODEL.id}`,
    small_model: `bench/${MODEL.id}`,
    provider: {
      bench: {
        name: "Benchmark",
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${modelUrl}/v1`, apiKey: "none" },
        models: { [MODEL.id]: model },
      },
    },
  };
}

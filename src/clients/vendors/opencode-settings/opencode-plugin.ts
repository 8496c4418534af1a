import { ALLOWED_PERMISSIONS } from "./asked-permissions.ts";
import { HIDDEN_NAMES } from "./opencode-secrets.ts";
import { OPENCODE_TOOLS } from "./opencode-tools.ts";
import { PROJECT_FUNCTIONS } from "./project-functions.ts";

/** How the plugin reaches Atomic. */
export interface PluginHooks {
  readonly url: string;
  readonly token: string;
}

/** Marks a system prompt that replaces everything OpenCode put before it. */
export const REPLACING_PROMPT_MARK = "<!-- the system prompt -->\n";

/**
 * A plugin that runs inside OpenCode and does what settings cannot. Its options are {@link PluginHooks};
 * `childEnv`, environment variables that override OpenCode's own for the agent's commands and the user's MCP servers;
 * `readsInstructions`, whether it adds the project's instructions, which OpenCode leaves out together with the project's
 * settings; and `blocksProject`, whether these are left out.
 *
 * 1. It changes `allow` in the permissions of the user's settings and agents to `ask`, because an agent's permissions
 *    override all of Atomic's settings. What they deny stays denied.
 * 2. It removes the server's password, and the keys in its settings, from the environment of everything that OpenCode
 *    starts: with the password, a command could answer the agent's own permission requests.
 * 3. It sends each tool call to Atomic before it runs. A call that Atomic does not answer does not run.
 * 4. It puts `@names` in the model's messages to a sub-agent between backticks, because OpenCode would read files of these
 *    names without asking.
 * 5. It replaces OpenCode's system prompt if the session has its own, and restores it in the messages that OpenCode sends
 *    after a compaction in the middle of a turn, which lose it.
 * 6. It reports a session's first message to Atomic, so that a sub-agent's session gets its tools before it begins.
 * 7. If the project is not trusted, it keeps OpenCode from loading any of the project's files as a program, and any package
 *    that the project's settings name: a part of OpenCode reads these settings although it is configured not to.
 * 8. Last, it reports to Atomic that it is loaded and that the server lets nobody in without the password. No turn begins
 *    before that.
 */
export const OPENCODE_PLUGIN = `const quiet = new Set(${JSON.stringify(ALLOWED_PERMISSIONS)});
const own = new Set(${JSON.stringify([...OPENCODE_TOOLS.keys()])});
const mark = ${JSON.stringify(REPLACING_PROMPT_MARK)};
const hideSecrets = () => {
  for (const name of ${JSON.stringify(HIDDEN_NAMES)}) {
    const value = process.env[name];
    if (value !== undefined) Object.defineProperty(process.env, name, { value, enumerable: false, configurable: true, writable: true });
  }
};
const restrict = (value) => {
  if (value === "allow") return "ask";
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, quiet.has(name) ? item : restrict(item)]));
};
${PROJECT_FUNCTIONS}const partOf = (name) => name.replace(/[^a-zA-Z0-9_-]/g, "_");
export const Atomic = async ({ directory, worktree, client, serverUrl }, { url, token, childEnv, readsInstructions, blocksProject }) => {
  const prompts = new Map();
  const announced = new Set();
  const offered = new Set();
  const tell = async (hook, body) => {
    const response = await fetch(url + "/" + hook, {
      method: "POST",
      headers: { authorization: "Bearer " + token, "content-type": "application/json" },
      body: JSON.stringify(body),
      timeout: false,
    });
    if (!response.ok) throw new Error("Atomic did not answer, so this call was blocked.");
    return response.json();
  };
  const isMcp = async (tool) => {
    if (own.has(tool)) return false;
    if (offered.has(tool)) return true;
    const [ids, servers] = await Promise.all([client.tool.ids(), client.mcp.status()]);
    const isOffered = !(ids.data ?? [tool]).includes(tool) &&
      Object.keys(servers.data ?? {}).some((name) => tool.startsWith(partOf(name) + "_"));
    if (isOffered) offered.add(tool);
    return isOffered;
  };
  return {
    config: async (config) => {
      if (config.permission !== undefined) config.permission = restrict(config.permission);
      for (const agent of [...Object.values(config.agent ?? {}), ...Object.values(config.mode ?? {})]) {
        if (agent?.permission !== undefined) agent.permission = restrict(agent.permission);
      }
      for (const server of Object.values(config.mcp ?? {})) {
        if (server?.type === "local") server.environment = { ...childEnv, ...server.environment };
      }
      if (readsInstructions) config.instructions = [...(config.instructions ?? []), ...instructionsOf(directory, worktree)];
      // Nobody works in the folder where OpenCode was started, and the server may not have read its password yet.
      if (directory === process.cwd()) return;
      hideSecrets();
      if (blocksProject) blockProject({ directory, worktree, config });
      const { status } = await fetch(new URL("/path", serverUrl));
      if (status === 401) await tell("hello", { directory });
    },
    "shell.env": async (_input, output) => {
      Object.assign(output.env, childEnv);
    },
    "chat.message": async ({ sessionID }, { message }) => {
      prompts.set(sessionID, message.system);
      if (announced.has(sessionID)) return;
      await tell("message", { sessionID, directory });
      announced.add(sessionID);
    },
    "experimental.chat.messages.transform": async (_input, { messages }) => {
      const last = messages.findLast(({ info }) => info.role === "user")?.info;
      if (last !== undefined && last.system === undefined) last.system = prompts.get(last.sessionID);
    },
    "experimental.chat.system.transform": async (_input, { system }) => {
      const replacing = system.find((text) => text.includes(mark));
      if (replacing === undefined) return;
      system.splice(0, system.length, replacing.slice(replacing.indexOf(mark) + mark.length));
    },
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const call = { tool, sessionID, directory, callID, args, isMcp: await isMcp(tool) };
      const verdict = await tell("tool", call);
      if (verdict.type !== "continue") throw new Error(verdict.reason ?? "Atomic did not allow this call.");
      if (verdict.input !== undefined) {
        for (const name of Object.keys(args)) delete args[name];
        Object.assign(args, verdict.input);
      }
      if (tool !== "task" || typeof args.prompt !== "string") return;
      args.prompt = args.prompt.replace(/(?<![\\w\`])@[^\\s\`,]*/g, "\`$&\`");
    },
  };
};
`;

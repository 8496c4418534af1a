import { ALLOWED_PERMISSIONS } from "./asked-permissions.ts";
import { HIDDEN_NAMES } from "./opencode-secrets.ts";
import { OPENCODE_TOOLS } from "./opencode-tools.ts";
import { PROJECT_FUNCTIONS } from "./project-functions.ts";

/** How the plugin reaches Atomic. */
export interface PluginHooks {
  readonly url: string;
  readonly token: string;
}

/** Marks a system prompt that stands for all that OpenCode has put before it. */
export const REPLACING_PROMPT_MARK = "<!-- the system prompt -->\n";

/**
 * A plugin that runs inside OpenCode and does what settings cannot. Its options are {@link PluginHooks};
 * `childEnv`, what the commands of the agent and the user's MCP servers find in their environment in the place of
 * OpenCode's own; and `readsInstructions`, whether it names the project's instructions, which OpenCode leaves out together
 * with the project's settings; and `blocksProject`, whether these are left out.
 *
 * 1. It turns what the user's own settings and agents allow themselves into questions, for an agent's permissions win
 *    over all settings of Atomic's. What they forbid stays forbidden.
 * 2. It takes the server's password, and the keys in its settings, out of the environment of everything that OpenCode
 *    starts: with the password a command could answer the agent's own questions.
 * 3. It has Atomic decide about each tool call before it happens. A call that Atomic does not answer does not happen.
 * 4. It puts `@names` that the model writes to a sub-agent between backticks, because OpenCode would read files named
 *    like that without asking.
 * 5. It puts a replacing system prompt in the place of OpenCode's, and gives it back to what a compaction in the middle
 *    of a turn sends on, which forgets it.
 * 6. It tells Atomic of a session's first message, so that the session of a sub-agent gets its tools before it begins.
 * 7. Where the project is not trusted, it lets nothing of the project be loaded as a program, nor a package that the
 *    project's settings name: a part of OpenCode reads these settings although it was told not to.
 * 8. It tells Atomic that it is in place, and that the server lets nobody in without the password, last of all: without
 *    this no turn begins.
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
  const told = new Set();
  const offered = new Set();
  const tell = async (hook, body) => {
    const response = await fetch(url + "/" + hook, {
      method: "POST",
      headers: { authorization: "Bearer " + token, "content-type": "application/json" },
      body: JSON.stringify(body),
      timeout: false,
    });
    if (!response.ok) throw new Error("Atomic could not be asked about this call, so it was blocked.");
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
      // In the folder in which OpenCode was started nobody works, and the server may not have read its password yet.
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
      if (told.has(sessionID)) return;
      await tell("message", { sessionID, directory });
      told.add(sessionID);
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

import { ALLOWED_PERMISSIONS } from "./asked-permissions.ts";
import { WITHOUT_SECRETS } from "./opencode-secrets.ts";

/** How the plugin reaches Atomic. */
export interface PluginHooks {
  readonly url: string;
  readonly token: string;
}

/** Marks a system prompt that stands for all that OpenCode has put before it. */
export const REPLACING_PROMPT_MARK = "<!-- the system prompt -->\n";

/**
 * A plugin that runs inside OpenCode and does what settings cannot. Its options are {@link PluginHooks}, without which it
 * does no more than 1 and 2, and `configHome`, where the commands that the agent runs look for settings when OpenCode itself
 * was told to look elsewhere.
 *
 * 1. It turns what the user's own settings and agents allow themselves into questions, for an agent's permissions win
 *    over all settings of Atomic's. What they forbid stays forbidden.
 * 2. It takes the server's password, and the keys in its settings, out of the environment of the commands that the agent
 *    runs and of the user's MCP servers: with the password a command could answer the agent's own questions.
 * 3. It lets Atomic look at each tool call before it happens. A call that Atomic does not answer does not happen.
 * 4. It puts `@names` that the model writes to a sub-agent between backticks, because OpenCode would read files named
 *    like that without asking.
 * 5. It puts a replacing system prompt in the place of OpenCode's, and gives it back to what a compaction in the middle
 *    of a turn sends on, which forgets it.
 * 6. It tells Atomic of a session's first message, so that the session of a sub-agent gets its tools before it begins.
 */
export const OPENCODE_PLUGIN = `const quiet = new Set(${JSON.stringify(ALLOWED_PERMISSIONS)});
const mark = ${JSON.stringify(REPLACING_PROMPT_MARK)};
const secrets = ${JSON.stringify(WITHOUT_SECRETS)};
const restrict = (value) => {
  if (value === "allow") return "ask";
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, quiet.has(name) ? item : restrict(item)]));
};
export const Atomic = async ({ directory }, { url, token, configHome }) => {
  const prompts = new Map();
  const told = new Set();
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
  const alone = {
    config: async (config) => {
      if (config.permission !== undefined) config.permission = restrict(config.permission);
      for (const agent of [...Object.values(config.agent ?? {}), ...Object.values(config.mode ?? {})]) {
        if (agent?.permission !== undefined) agent.permission = restrict(agent.permission);
      }
      for (const server of Object.values(config.mcp ?? {})) {
        if (server?.type === "local") server.environment = { ...secrets, ...server.environment };
      }
    },
    "shell.env": async (_input, output) => {
      Object.assign(output.env, secrets, configHome === undefined ? {} : { XDG_CONFIG_HOME: configHome });
    },
  };
  if (url === undefined) return alone;
  return {
    ...alone,
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
      const verdict = await tell("tool", { tool, sessionID, directory, callID, args });
      if (verdict.type === "block") throw new Error(verdict.reason);
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

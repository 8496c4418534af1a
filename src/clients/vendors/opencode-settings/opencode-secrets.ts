import { randomBytes } from "node:crypto";

/** What only OpenCode itself may know: with the password a command could answer the agent's own questions, and the settings hold keys. */
export const HIDDEN_NAMES = ["OPENCODE_SERVER_PASSWORD", "OPENCODE_CONFIG_CONTENT"] as const;

/** What OpenCode is started with besides its environment. */
export type OpenCodeSecrets = Readonly<Record<(typeof HIDDEN_NAMES)[number], string>>;

/** What everything that OpenCode starts finds in the place of its secrets. */
export const WITHOUT_SECRETS = { OPENCODE_SERVER_PASSWORD: "", OPENCODE_CONFIG_CONTENT: "" } as const;

/**
 * A program that OpenCode's runtime runs before OpenCode: it puts the secrets of a file into the environment that
 * OpenCode reads and takes the file away. So no process ever begins with them in its environment, which all processes of the user
 * can read. The file lies beside it; where it is gone, nothing happens, as in a process that a command of the agent's starts.
 */
export const SECRETS_PRELOAD = `import { readFileSync, rmSync } from "node:fs";
const file = new URL("secrets.json", import.meta.url);
delete process.env.BUN_INSPECT_PRELOAD;
let text;
try {
  text = readFileSync(file, "utf8");
} catch {}
if (text !== undefined) {
  rmSync(file);
  Object.assign(process.env, JSON.parse(text));
}
`;

/** A password that only this client and its server know. */
export function createServerPassword(): string {
  return randomBytes(24).toString("base64url");
}

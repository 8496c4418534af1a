import { randomBytes } from "node:crypto";
import { OWN_SECRET_PREFIX } from "../../../contracts/index.ts";

/** What only OpenCode may know: with the password a command could answer the agent's permission requests; the settings contain keys. */
export const HIDDEN_NAMES = ["OPENCODE_SERVER_PASSWORD", "OPENCODE_CONFIG_CONTENT"] as const;

/** What OpenCode is started with besides its environment. */
export type OpenCodeSecrets = Readonly<Record<(typeof HIDDEN_NAMES)[number], string>>;

/** What the child processes of OpenCode get in place of its secrets. */
export const WITHOUT_SECRETS = { OPENCODE_SERVER_PASSWORD: "", OPENCODE_CONFIG_CONTENT: "" } as const;

/**
 * A program that OpenCode's runtime runs before OpenCode: it reads the secrets from a file into the environment that
 * OpenCode sees, and removes the file. So no process starts with them in its environment, which all processes of the user
 * can read. The file is in the program's own folder. If it is gone, as for a process that the agent's commands start,
 * nothing happens.
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

/** A password known only to this client and its server. */
export function createServerPassword(): string {
  return OWN_SECRET_PREFIX + randomBytes(24).toString("base64url");
}

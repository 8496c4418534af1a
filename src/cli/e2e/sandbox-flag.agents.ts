import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type ModelServer, scriptConversation, startModelServer } from "../../testkit/index.ts";
import { Sandbox as UserFolder } from "./fixtures/sandbox.ts";

let model: ModelServer;
let user: UserFolder;

beforeEach(async () => {
  model = await startModelServer({ script: () => ({ type: "message", text: "Hello." }) });
  user = await UserFolder.create();
});
afterEach(async () => {
  await user.remove();
  await model.stop();
});

/** Has the settings name Claude Code with the scripted model, which runs a command and says "Done.". */
async function describeClaude(command: string, settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const endpoint = { protocol: "anthropic-messages", baseUrl: `${model.url}/v1`, models: [{ id: "scripted-model" }] };
  await user.writeConfig({ ...settings, agents: { claude: { endpoint } } });
  model.setScript(
    scriptConversation([
      { type: "message", toolCalls: [{ name: "Bash", input: { command, description: "Run it" } }] },
      { type: "message", text: "Done." },
    ]),
  );
}

/** The output of the command, as the model received it. */
function printed(): string {
  return (model.requests.at(-1)?.messages ?? [])
    .flatMap(({ role, text }) => (role === "tool" ? [text] : []))
    .join("\n");
}

const PROMPT = ["-p", "Go on.", "--agent", "claude", "--allow", "shell"];

test("--sandbox keeps an allowed command to the project", async () => {
  await writeFile(join(user.root, "home", "secret.txt"), "SECRET\n");
  await describeClaude("cat ~/secret.txt; echo changed > ~/secret.txt; echo made > made.txt");
  const { exitCode, stdout } = await user.atomic(...PROMPT, "--sandbox");
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "Done.\n" });
  expect(printed()).toContain("secret.txt: No such file or directory");
  expect(await readFile(join(user.root, "home", "secret.txt"), "utf8")).toBe("SECRET\n");
  expect(await readFile(join(user.project, "made.txt"), "utf8")).toBe("made\n");
});

test("the setting does so without the flag, and says what may be read besides", async () => {
  await writeFile(join(user.root, "home", "notes.txt"), "NOTES\n");
  await writeFile(join(user.root, "home", "secret.txt"), "SECRET\n");
  await describeClaude("cat ~/notes.txt ~/secret.txt", { sandbox: { readRoots: ["~/notes.txt"] } });
  const { exitCode } = await user.atomic(...PROMPT);
  expect(exitCode).toBe(0);
  expect(printed()).toContain("NOTES");
  expect(printed()).not.toContain("SECRET");
});

test("without bubblewrap nothing is started, and the whole text says what to do", async () => {
  await describeClaude("true");
  for (const name of ["socat", "rg", "bash", "sh", "awk", "cat", "env", "uname", "readlink", "wc", "sleep"]) {
    const found = (user.env.PATH ?? "")
      .split(delimiter)
      .map((folder) => join(folder, name))
      .find(existsSync);
    if (found !== undefined) await symlink(found, join(user.root, "tmp", name));
  }
  const call = user.start([...PROMPT, "--sandbox"], { PATH: join(user.root, "tmp") });
  const { exitCode, stdout, stderr } = await call.ended;
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 1,
    stdout: "",
    stderr:
      'error: The agent "claude" was not started, because its sandbox needs the program "bwrap".\n       On Debian and Ubuntu run: sudo apt-get install bubblewrap\n       (SANDBOX_UNAVAILABLE)\n',
  });
  expect(model.requests).toEqual([]);
});

test("a setting that cannot be right is a wrong call", async () => {
  await describeClaude("true", { sandbox: { network: ["localhost"] } });
  const { exitCode, stderr } = await user.atomic(...PROMPT);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: `error: The settings in ${join(user.atomicHome, "config.json")} cannot be used:
         - line 1: sandbox.network[0]: "localhost" needs a port: of this machine only single services can be reached.
       Correct the file.
       (CONFIG_INVALID)
`,
  });
});

test("the scripted agent has no process and needs none", async () => {
  const { exitCode, stderr } = await user.atomic("-p", "Hello.", "--agent", "scripted", "--sandbox");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
});

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Keys } from "../fixtures/keys.ts";
import { TestEnvironment } from "../fixtures/test-environment.ts";

let environment: TestEnvironment;

beforeEach(async () => {
  environment = await TestEnvironment.create();
});
afterEach(() => environment.remove());

const USER = "home/.atomic/config.json";
const PROJECT = "project/.atomic/config.json";

interface Called {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function atomic(args: readonly string[], workingDirectory = "project"): Promise<Called> {
  const { exitCode, stdout, stderr } = await environment.start(args, { workingDirectory }).ended;
  // Without the places where an error is wrapped.
  return {
    exitCode,
    stdout: environment.normalise(stdout),
    stderr: environment.normalise(stderr).replace(/\n {7}/g, "\n"),
  };
}

const config = (...args: readonly string[]): Promise<Called> => atomic(["config", ...args]);

const done = (stdout: string, stderr = ""): Called => ({ exitCode: 0, stdout: `${stdout}\n`, stderr });

/** The error of a call that changed nothing. */
async function failure(...args: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await config(...args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  return stderr;
}

describe("secrets", () => {
  const API_KEY = "agents.claude.endpoint.apiKey";
  const endpoint = { protocol: "openai-chat", baseUrl: "http://127.0.0.1:9/", models: [{ id: "x" }] };

  test.each(["hunter2", "the gateway's key", "aaaaaaaaaaaaaaaa"])("are printed by no command: %s", async (secret) => {
    const webhooks = [{ url: "https://example.com/hook", secret: secret.padEnd(16, "2") }];
    const opencode = { config: { mcp: { x: { headers: { Authorization: secret }, env: { GITHUB_TOKEN: secret } } } } };
    await environment.write({
      [USER]: JSON.stringify({ agents: { claude: { endpoint }, opencode }, notifications: { webhooks } }),
    });
    const calls = [
      ["set", API_KEY, secret],
      ["set", API_KEY, secret, "--json"],
      ["set", "agents.claude.endpoint", JSON.stringify({ ...endpoint, apiKey: secret })],
      ["get", API_KEY],
      ["get", API_KEY, "--json"],
      ["get", "agents", "--json"],
      ["get", "agents.opencode.config"],
      ["get", "notifications.webhooks"],
      ["get", "notifications.webhooks[0].secret"],
      ["list"],
      ["list", "--json"],
      ["list", "--all"],
    ];
    for (const call of calls) {
      const { exitCode, stdout, stderr } = await config(...call);
      expect({ call, exitCode, stderr }).toEqual({ call, exitCode: 0, stderr: "" });
      expect(stdout).toContain("[redacted");
      expect(stdout).not.toContain(secret);
    }
    expect(await environment.read(USER)).toContain(JSON.stringify(secret));
  });

  test("are in no error that quotes a value", async () => {
    const calls = [
      ["set", "agents.claude.endpoint", '{"apiKey":"hunter2"}'],
      ["set", "agents.claude.endpoint", '{"apiKey":"hunter2"'],
      ["set", "agents.claude.endpoint", "{apiKey:hunter2}"],
      ["set", "agents.claude.endpoint", '{"apiKey":hunter2}'],
      ["set", "notifications.webhooks", '[{"url":"https://example.com/","secret":"hunter2"}]'],
      ["set", "notifications.webhooks[0].secret", "hunter2"],
      ["set", "agents", '{"x":{"endpoint":{"apiKey":"hunter2"}}}'],
      ["set", "agents", '{"x":{"env":{"GITHUB_TOKEN":"hunter2"}}}'],
    ];
    for (const call of calls) expect(await failure(...call)).not.toContain("hunter2");
  });
});

describe("a file with mistakes", () => {
  test.each([
    { args: ["set", "ui.vi", "true"], after: '{"ui":{"vi":true}}\n', stdout: "ui.vi = true in" },
    { args: ["unset", "ui.vi"], after: '{"ui":{}}\n', stdout: "Removed ui.vi from" },
    { args: ["unset", "ui"], after: "{}\n", stdout: "Removed ui from" },
  ])("is repaired by a change of the wrong value: $args", async ({ args, after, stdout }) => {
    await environment.write({ [USER]: '{"ui":{"vi":"yes"}}\n' });
    expect(await config(...args)).toEqual(done(`${stdout} <root>/${USER}`));
    expect(await environment.read(USER)).toBe(after);
  });

  test("with several is repaired step by step, and each step says what is left", async () => {
    await environment.write({ [USER]: '{\n  "ui": { "vi": "yes" },\n  "agent": 5\n}\n' });
    expect(await config("set", "ui.vi", "true")).toEqual(
      done(`ui.vi = true in <root>/${USER}`, `warning: <root>/${USER}:3: agent: 5 is not a string. Write a string.\n`),
    );
    expect(await config("set", "agent", "claude")).toEqual(done(`agent = claude in <root>/${USER}`));
    expect(await environment.read(USER)).toBe('{\n  "ui": { "vi": true },\n  "agent": "claude"\n}\n');
  });

  test("is left alone by a change that repairs nothing, or adds a mistake", async () => {
    const before = '{"ui":{"vi":"yes"}}\n';
    await environment.write({ [USER]: before });
    expect(await failure("set", "model", "m")).toContain('ui.vi: "yes" is not true or false. Write true or false.');
    expect(await failure("set", "ui.vi", "no")).toContain('ui.vi: "no" is not true or false. Write true or false.');
    expect(await environment.read(USER)).toBe(before);
  });

  test("loses an unknown key", async () => {
    await environment.write({ [USER]: '{\n  "modle": "m",\n  "ui": { "thme": "dark" }\n}\n' });
    expect((await config("unset", "modle")).stdout).toBe(`Removed modle from <root>/${USER}\n`);
    expect(await config("unset", "ui.thme")).toEqual(done(`Removed ui.thme from <root>/${USER}`));
    expect(await environment.read(USER)).toBe('{\n  "ui": {  }\n}\n');
    expect(await failure("unset", "modle")).toStartWith('error: There is no setting "modle".\nDid you mean "model"?');
  });

  test("with a key that is there twice is reported, and the key that counts is changed", async () => {
    await environment.write({ [USER]: '{"agent":"scripted",\n"agent":"claude"}\n' });
    const warning = `warning: <root>/${USER}:1: agent: the key is there twice. Only the last one counts, in line 2. Remove the other.\n`;
    expect(await config("get", "agent", "--origin")).toEqual(done(`claude\t<root>/${USER}:2`, warning));
    expect(await config("set", "agent", "opencode")).toEqual(done(`agent = opencode in <root>/${USER}`, warning));
    expect(await environment.read(USER)).toBe('{"agent":"scripted",\n"agent":"opencode"}\n');
    expect(await config("unset", "agent")).toEqual(done(`Removed agent from <root>/${USER}`));
    expect(await config("get", "agent", "--user")).toMatchObject({ exitCode: 1 });
  });

  test("is found after config edit, also in a project that is not trusted", async () => {
    await environment.write({ "bin/editor": "#!/bin/sh\nprintf '{{{ broken' > \"$1\"\n" });
    const editor = join(environment.root, "bin/editor");
    await chmod(editor, 0o755);
    const call = environment.start(["config", "edit", "--project"], {
      env: { EDITOR: editor },
      isTTY: true,
      isInteractive: true,
    });
    await call.stderr.waitFor("Open the editor again?");
    call.stdin.write(`${Keys.down}${Keys.enter}`);
    const { exitCode, stdout } = await call.ended;
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(await environment.read(PROJECT)).toBe("{{{ broken");
  });
});

describe("a value that cannot be right", () => {
  test.each([
    {
      args: ["ui.theme", "drak"],
      problem: 'ui.theme: there is no theme "drak" here. Did you mean "dark"? Possible: auto, dark, light.',
    },
    { args: ["agent", "cluade"], problem: 'agent: there is no agent "cluade". Did you mean "claude"?' },
    { args: ["agent", "5"], problem: 'agent: there is no agent "5". Known agents: claude, opencode, copilot,' },
    { args: ["agent", "scripted "], problem: 'agent: there is no agent "scripted ". Did you mean "scripted"?' },
    {
      args: ["permissions.rules", '[{"effect":"allow"'],
      problem:
        'permissions.rules: the value is not valid JSON: line 1, column 19: Expected "}", found the end of the value.',
    },
    {
      args: ["permissions.rules", "[{effect:allow}]"],
      problem:
        'Unexpected "effect". Keys and strings need double quotes. Put the JSON in single quotes, so that the shell leaves them in it.',
    },
    { args: ["limits.maxAgentsOnMachine", "0"], problem: "limits.maxAgentsOnMachine: 0 is not possible." },
    { args: ["limits.maxAgentsOnMachine", "2.5"], problem: "limits.maxAgentsOnMachine: 2.5 is not a whole number." },
  ])("is rejected: $args", async ({ args, problem }) => {
    await environment.write({ [USER]: "{}\n" });
    expect((await failure("set", ...args)).replaceAll("\n", " ")).toContain(problem);
    expect(await environment.read(USER)).toBe("{}\n");
  });

  test("is one that neither Atomic nor any settings know: own agents and themes exist", async () => {
    await environment.write({
      [USER]: '{"agents":{"mine":{"command":"mine"}},"ui":{"themes":[{"name":"paper","appearance":"light"}]}}\n',
      [PROJECT]: '{"agents":{"theirs":{"command":"theirs"}}}\n',
    });
    expect((await config("set", "ui.theme", "paper")).exitCode).toBe(0);
    expect((await config("set", "agent", "mine")).exitCode).toBe(0);
    expect((await config("set", "agent", "mine", "--project")).exitCode).toBe(0);
    expect(await failure("set", "agent", "theirs")).toContain('there is no agent "theirs"');
    await environment.trustProject();
    expect((await config("set", "agent", "theirs")).exitCode).toBe(0);
    // A project of another folder may have it.
    expect(await config("set", "ui.theme", "solarized")).toEqual(
      done(
        `ui.theme = solarized in <root>/${USER}`,
        'warning: ui.theme: there is no theme "solarized" here. Define it in ui.themes. Possible: auto, dark, light, paper.\n',
      ),
    );
  });

  test("is no index beyond the end of a list", async () => {
    expect(await failure("set", "permissions.rules[3]", '{"effect":"deny"}')).toBe(
      "error: The list permissions.rules is empty, so nothing can be stored at [3].\nTo append an element, write permissions.rules[0].\n(USAGE)\n",
    );
    await config("set", "permissions.rules[0]", '{"effect":"deny"}');
    expect(await failure("set", "permissions.rules[3].effect", "deny")).toContain(
      "The list permissions.rules has 1 element, so nothing can be stored at [3].\nTo append an element, write permissions.rules[1].\n",
    );
    expect(JSON.parse(await environment.read(USER))).toEqual({ permissions: { rules: [{ effect: "deny" }] } });
  });

  test("is none that would take the place of another one", async () => {
    await config("set", "sandbox", "true");
    expect(await failure("set", "sandbox.network", "[]")).toContain(
      "sandbox: the file has another value there than an object. Remove it first: atomic config unset sandbox\n",
    );
  });
});

describe("the home folder is no project", () => {
  const HOME =
    "error: The folder <root>/home cannot be a project: it is your home folder, and its folder .atomic has your own settings, for all projects.\n";

  test("for atomic init, which writes nothing there", async () => {
    expect(await atomic(["init", "--yes"], "home")).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `${HOME}Change to the folder of a project, or create one, and call atomic init there.\n(PROJECT_TOO_WIDE)\n`,
    });
    expect(await readdir(join(environment.root, "home"))).toEqual([".atomic"]);
    expect(await readdir(environment.atomicHome)).not.toContain("config.jsonc");
    await rm(environment.atomicHome, { recursive: true });
    expect((await atomic(["init", "--yes"], "home")).exitCode).toBe(2);
    await mkdir(environment.atomicHome);
  });

  test.each([{ args: ["set", "model", "m"] }, { args: ["unset", "model"] }, { args: ["edit"] }, { args: ["path"] }])(
    "for atomic config $args --project",
    async ({ args }) => {
      await environment.write({ [USER]: '{"model":"n"}\n' });
      expect(await atomic(["config", ...args, "--project"], "home")).toEqual({
        exitCode: 2,
        stdout: "",
        stderr: `${HOME}Change to the folder of a project, or omit --project: then it is about your own settings.\n(PROJECT_TOO_WIDE)\n`,
      });
      expect(await environment.read(USER)).toBe('{"model":"n"}\n');
      expect((await atomic(["config", "get", "model"], "home")).stdout).toBe("n\n");
    },
  );

  test("nor is the root of the file system", async () => {
    expect((await atomic(["init", "--yes"], "../".repeat(40))).stderr).toStartWith(
      "error: The folder / cannot be a project: it holds the whole file system.\n",
    );
  });
});

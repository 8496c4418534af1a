import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { PermissionPolicy } from "../../contracts/index.ts";
import { programsOnPath } from "../../system/index.ts";
import { callTools, say, toolResultsOf } from "../../testkit/conformance/client/client-script.ts";
import { waitUntil } from "../../testkit/conformance/wait-until.ts";
import type { ClientTestBench } from "../fixtures/client-test-bench.ts";
import { waitForNoProcessWith } from "../fixtures/running-processes.ts";
import { startAndWait } from "../fixtures/vendor-programs.ts";
import { SANDBOXED_AGENTS, type StrangerService, startSandboxBench, startStranger } from "./fixtures/sandbox-bench.ts";

const PATH = process.env.PATH ?? "";

/** Everything is allowed, as with `--yolo`: only the sandbox protects. */
const PERMISSIONS: PermissionPolicy = { rules: [], otherwise: "allow" };

/** A daemon that leaves its session, its group and its parents. */
const DAEMON = "(setsid nohup sh -c 'echo up > daemon.txt; exec sleep 300' >/dev/null 2>&1 &)";

describe.each([...SANDBOXED_AGENTS])("$name in a sandbox", (agent) => {
  let bench: ClientTestBench;
  let stranger: StrangerService;

  beforeEach(async () => {
    stranger = await startStranger();
    bench = await startSandboxBench(agent, PATH);
  });
  afterEach(async () => {
    await bench.stop();
    stranger.stop();
  });

  /** What the tools returned to the model in the latest conversation. */
  const toolResults = (): string => toolResultsOf(bench.models.requests.at(-1) ?? expect.unreachable()).join("\n");

  test("works on the project and reaches nothing else, whatever it is allowed", async () => {
    const outside = path.dirname(bench.workFolder);
    const commands = [
      `cat ~/.ssh/id ${bench.homeFolder}/.ssh/id ${outside}/outside.txt`,
      `echo changed > ${outside}/outside.txt`,
      `echo new > ${outside}/new.txt`,
      "echo evil > ~/.bashrc",
      "mkdir -p .claude .atomic/workflows; echo evil > .claude/settings.json; echo evil > .atomic/workflows/evil.ts",
      `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${stranger.port} && echo REACHED'`,
      "bash -c 'exec 3<>/dev/tcp/192.0.2.1/80 && echo REACHED'",
      "getent hosts foreign.test && echo REACHED",
      "cat README.md; echo written > made.txt; echo to > $TMPDIR/temporary && cat $TMPDIR/temporary; echo over",
    ];
    bench.script(callTools(agent.bash(commands.join("\n"))), say("Done."));
    const session = await bench.client.createSession({ permissions: PERMISSIONS });
    const { content, deniedPermissions } = await session.send("Go on.");
    expect({ content, deniedPermissions }).toEqual({ content: "Done.", deniedPermissions: [] });
    const results = toolResults();
    expect(results).toContain("A project.");
    expect(results).toContain("over");
    expect(results).not.toMatch(/SECRET|REACHED/);
    expect(stranger.connections()).toBe(0);
    expect(await readFile(path.join(bench.workFolder, "made.txt"), "utf8")).toBe("written\n");
    expect(await readFile(path.join(outside, "outside.txt"), "utf8")).toBe("SECRET-OUTSIDE\n");
    expect([path.join(outside, "new.txt"), path.join(bench.homeFolder, ".bashrc")].filter(existsSync)).toEqual([]);

    await bench.client.stop();
    const left = (await readdir(bench.workFolder)).filter((name) => name !== ".opencode");
    expect(left.sort()).toEqual(["README.md", "made.txt"]);
  });

  test("resumes a conversation, and calls Atomic's tools", async () => {
    const first = await bench.client.createSession({ permissions: PERMISSIONS });
    await first.send("My name is Ada.");
    await bench.client.stop();

    const client = bench.createClient();
    const heard: unknown[] = [];
    client.registerTool({
      name: "note",
      description: "Notes a text.",
      inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      handler: async (input: unknown) => {
        heard.push(input);
        return "noted";
      },
    });
    bench.models.setScript((request) => {
      const hasResult = request.messages.at(-1)?.role === "tool";
      if (request.toolNames.length === 0) return say("A title");
      if (hasResult) return say("Ada.");
      return callTools({ name: agent.customTool("note", request.toolNames), input: { text: "Ada" } });
    });
    const session = await client.resumeSession(first.id, { permissions: PERMISSIONS });
    expect((await session.send("What is my name?")).content).toBe("Ada.");
    expect(heard).toEqual([{ text: "Ada" }]);
    expect(JSON.stringify(bench.models.requests.at(-1)?.messages)).toContain("My name is Ada.");
  });

  test("works with the whole home folder to read, in which its own files and secrets lie", async () => {
    const commands = `cat ~/notes.txt; cat ~/.ssh/id; echo x > ~/new.txt; ls -A ~; echo over`;
    await mkdir(bench.homeFolder, { recursive: true });
    await writeFile(path.join(bench.homeFolder, "notes.txt"), "notes\n");
    const env = { ...bench.optionsFor().env, HOME: bench.homeFolder };
    const client = bench.createClient({ env, sandbox: { readRoots: ["~"] } });
    bench.script(callTools(agent.bash(commands)), say("Done."));
    const session = await client.createSession({ permissions: PERMISSIONS });
    expect((await session.send("Go on.")).content).toBe("Done.");
    expect(toolResults()).toContain("notes");
    expect(toolResults()).toContain("over");
    expect(toolResults()).not.toContain("SECRET");
    expect(existsSync(path.join(bench.homeFolder, "new.txt"))).toBe(false);
  });

  test("leaves nothing when Atomic is killed, daemons included", async () => {
    bench.script(
      callTools(agent.bash(`${DAEMON}; while [ ! -e daemon.txt ]; do sleep 0.1; done; sleep 120`)),
      say("Done."),
    );
    const host = startAndWait({ vendor: agent.vendor, options: bench.optionsFor(), prompt: "Go on." });
    const daemonFile = path.join(bench.workFolder, "daemon.txt");
    await waitUntil(
      () => existsSync(daemonFile),
      () => "no daemon runs",
      { timeoutMs: 90_000 },
    );
    const left = async () => (await readdir(tmpdir())).filter((name) => name.includes(`-${host.pid}-`));
    expect((await left()).length).toBeGreaterThan(0);
    host.kill("SIGKILL");
    await waitForNoProcessWith(`HOME=${bench.homeFolder}`);
    bench.script(say("Hello."));
    await (await bench.client.createSession()).send("The next start clears away.");
    expect(await left()).toEqual([]);
  });

  test("leaves nothing when its client is stopped, daemons included", async () => {
    bench.script(callTools(agent.bash(`${DAEMON}; while [ ! -e daemon.txt ]; do sleep 0.1; done`)), say("Done."));
    const session = await bench.client.createSession({ permissions: PERMISSIONS });
    await session.send("Go on.");
    await bench.client.stop();
    await waitForNoProcessWith(`HOME=${bench.homeFolder}`);
  });

  test("does not start without bubblewrap", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "atomic-no-bwrap-"));
    for (const name of ["socat", "rg", "bash", "sh"]) {
      const [file] = programsOnPath(name, { PATH }).filter(existsSync);
      if (file !== undefined) await symlink(file, path.join(folder, name));
    }
    const client = bench.createClient({ env: { PATH: folder } });
    const opening = client.createSession().then((session) => session.send("Hello."));
    const { agentType } = client;
    await expect(opening).rejects.toMatchObject({
      code: "SANDBOX_UNAVAILABLE",
      message: `The agent "${agentType}" was not started, because its sandbox needs the program "bwrap". On Debian and Ubuntu run: sudo apt-get install bubblewrap`,
    });
    expect(bench.models.requests).toEqual([]);
    await rm(folder, { recursive: true });
  });
});

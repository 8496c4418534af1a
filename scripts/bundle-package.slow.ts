import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { bundlePackage } from "./bundle-package.ts";

const ROOT = join(import.meta.dirname, "..");
const ENTRIES = ["index", "graph/index", "workflows/index", "discovery/plugin", "testkit/index"];
let folder = "";

/** What a program prints in Node, as JSON. */
async function runNode(program: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)("node", ["--input-type=module", "-e", program], { cwd: folder });
  return JSON.parse(stdout);
}

describe("the bundles for Node", () => {
  beforeAll(async () => {
    // Below node_modules, so that what stays outside of the bundles is found.
    folder = await mkdtemp(join(ROOT, "node_modules/.bundle-test-"));
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    await bundlePackage(folder);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each(ENTRIES)("%s exports what its source exports", async (entry) => {
    const source: object = await import(join(ROOT, "src", `${entry}.ts`));
    const program = `console.log(JSON.stringify(Object.keys(await import("./${entry}.js"))))`;
    expect(await runNode(program)).toEqual(Object.keys(source).toSorted());
  });

  test.each(ENTRIES)("%s names the Node that it needs, in an older one", async (entry) => {
    const program = `
      Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.14.1" } });
      console.log(JSON.stringify(await import("./${entry}.js").then(() => "loaded", (error) => error.message)));
    `;
    expect(await runNode(program)).toBe("@bastani/atomic needs Node 20.15 or newer, and this is Node 20.14.1.");
  });

  test("the source maps name the sources, and do not repeat them", async () => {
    const map = JSON.parse(await readFile(join(folder, "discovery/plugin.js.map"), "utf8"));
    expect([
      map.sources.some((source: string) => source.endsWith("src/discovery/tools/tool.ts")),
      map.sourcesContent,
    ]).toEqual([true, undefined]);
  });

  test("definitions of all vendors are found in Node, where the YAML parser is another one", async () => {
    const files: Readonly<Record<string, string>> = {
      "project/.claude/agents/check.md": "---\nname: check\ndescription: Checks: all\ntools: Read, Grep\n---\nCheck.",
      "project/.github/prompts/ask.prompt.md": "Ask ${input:what}.",
      "home/.config/opencode/opencode.jsonc": '{ "command": { "ship": { "template": "Ship $1." }, } } // mine',
    };
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const program = `
      import { initializeWorkflowsSDK } from "./workflows/index.js";
      const registry = await initializeWorkflowsSDK({ projectPath: "project", userPath: "home" });
      const { description, tools } = registry.getAgent("CHECK");
      const commands = registry.allCommands().map(({ name, source }) => [name, source.provider, source.location]);
      const { problems } = registry;
      console.log(JSON.stringify({ description, tools, commands, problems, builtIn: registry.getSkill("commit").source }));
    `;
    expect(await runNode(program)).toEqual({
      description: "Checks: all",
      tools: ["read", "grep"],
      commands: [
        ["ask", "copilot", "project"],
        ["ship", "opencode", "user"],
      ],
      problems: [],
      builtIn: { provider: "atomic", location: "builtin" },
    });
  });

  test("definitions are watched in Node, too", async () => {
    const program = `
      import { mkdir, writeFile } from "node:fs/promises";
      import { watchEntities } from "./workflows/index.js";
      const running = setInterval(() => {}, 1_000);
      const places = { projectDirectory: process.cwd() + "/watched", homeDirectory: process.cwd() + "/nobody" };
      await mkdir("watched");
      const watcher = await watchEntities(places, ({ registry }) => {
        if (registry.getCommand("sub:new") === undefined) return;
        console.log(JSON.stringify(registry.getCommand("sub:new").prompt));
        watcher.close();
        clearInterval(running);
      });
      await mkdir("watched/.claude/commands/sub", { recursive: true });
      await writeFile("watched/.claude/commands/sub/new.md", "New.");
    `;
    expect(await runNode(program)).toBe("New.");
  });
});

import { afterEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ALL, HookedProject, running } from "./fixtures/hooked-project.ts";

const projects: HookedProject[] = [];
afterEach(async () => {
  for (const project of projects.splice(0)) await project.remove();
});

async function createProject(files: Readonly<Record<string, string | object>>): Promise<HookedProject> {
  const project = await HookedProject.create(files);
  projects.push(project);
  return project;
}

const PLUGIN = `
import { appendFileSync } from "node:fs";
const note = (value) => appendFileSync("notes.jsonl", JSON.stringify(value) + "\\n");
export const Guard = async ({ client, directory, $ }) => {
  await client.app.log({ body: { service: "guard", level: "info", message: "hello" } });
  const name = (await $\`basename \${directory}\`.text()).trim();
  let calls = 0;
  return {
    event: async ({ event }) => note({ event: event.type, name }),
    "chat.message": async (input, output) => { output.parts[0].text += " Please."; },
    "tool.execute.before": async (input, output) => {
      calls += 1;
      if (input.tool === "bash" && output.args.command.includes("rm -rf")) throw new Error("Dangerous command blocked");
      output.args.command = output.args.command.replace("COUNT", String(calls));
    },
    "tool.execute.after": async (input, output) => note({ after: input.tool, output: output.output }),
  };
};
`;

describe("the plugins of OpenCode", () => {
  test("run with another agent: they see events, change messages and calls, and reject calls", async () => {
    const project = await createProject({ ".opencode/plugin/guard.ts": PLUGIN });
    const { client, agent } = await project.open(async (_turn, { perform }) => {
      const safe = await perform({ type: "run-command", command: "echo COUNT" });
      const unsafe = await perform({ type: "run-command", command: "rm -rf folder" });
      return `${safe.output}${unsafe.isError} ${unsafe.output}`;
    });
    const session = await client.createSession({ permissions: ALL });
    const { content } = await session.send("Work.");
    await session.destroy();
    const path = join(project.folder, ".opencode/plugin/guard.ts");
    expect([agent.turns.map(({ prompt }) => prompt), content]).toEqual([
      ["Work. Please."],
      expect.stringMatching(new RegExp(`^1\\ntrue .*Dangerous command blocked \\(${path}\\)`)),
    ]);
    const name = "project";
    expect(await project.notes()).toEqual([
      { event: "session.created", name },
      { event: "session.status", name },
      { after: "bash", output: "1\n" },
      { event: "session.status", name },
      { event: "session.idle", name },
    ]);
    expect(project.told).toEqual([]);
  });

  test("that cannot be loaded are reported, and others run", async () => {
    const project = await createProject({
      ".opencode/plugin/broken.ts": `import "no-such-package-here"; export const A = async () => ({});`,
      ".opencode/plugin/needs.ts": `export const B = async ({ client }) => { await client.session.list(); return {}; };`,
      ".opencode/plugin/works.js": `export default { id: "w", server: async () => ({ "tool.execute.before": async () => { throw new Error("no"); } }) };`,
    });
    const { client } = await project.open(running("touch made.txt"));
    await (await client.createSession({ permissions: ALL })).send("Go.");
    const folder = join(project.folder, ".opencode/plugin");
    expect(project.told).toEqual([
      expect.stringContaining(`The plugin ${folder}/broken.ts of OpenCode cannot be loaded here: `),
      `The plugin ${folder}/needs.ts of OpenCode cannot be loaded here: client.session.list() is only there when OpenCode itself runs the plugin ${folder}/needs.ts.`,
    ]);
    expect(existsSync(join(project.folder, "made.txt"))).toBe(false);
  });
});

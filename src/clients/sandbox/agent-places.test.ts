import { expect, test } from "bun:test";
import { agentPlaces } from "./agent-places.ts";

const HOME = "/home/ada";

test.each([
  { agent: "claude", env: {}, folder: "/home/ada/.claude/projects" },
  { agent: "claude", env: { CLAUDE_CONFIG_DIR: "/elsewhere" }, folder: "/elsewhere/projects" },
  { agent: "opencode", env: {}, folder: "/home/ada/.local/share/opencode" },
  { agent: "opencode", env: { XDG_DATA_HOME: "/data" }, folder: "/data/opencode" },
  { agent: "copilot", env: {}, folder: "/home/ada/.copilot/session-state" },
  { agent: "copilot", env: { COPILOT_HOME: "/elsewhere" }, folder: "/elsewhere/session-state" },
  { agent: "gemini", env: {}, folder: "/home/ada/.gemini/tmp" },
  { agent: "codex", env: { CODEX_HOME: "/elsewhere" }, folder: "/elsewhere/sessions" },
  { agent: "goose", env: {}, folder: "/home/ada/.local/share/goose/sessions" },
])("$agent keeps its conversations in $folder", ({ agent, env, folder }) => {
  expect(agentPlaces(agent, { HOME, ...env }).folders[0]).toBe(folder);
});

test("no agent writes to a folder with settings, and none to programs among its data", () => {
  for (const agent of ["claude", "opencode", "copilot", "gemini", "codex", "goose"]) {
    const { folders, homes, guarded, hidden } = agentPlaces(agent, { HOME });
    expect(homes.filter((home) => folders.includes(home))).toEqual([]);
    const inPlaces = [...guarded, ...hidden].filter((file) => !/\/\.cache\/claude/.test(file));
    expect(inPlaces.filter((file) => ![...folders, ...homes].some((folder) => file.startsWith(`${folder}/`)))).toEqual(
      [],
    );
  }
});

test.each(["mine", "toString"])("nothing is known of %s", (agent) => {
  const lists = { folders: [], files: [], readable: [], homes: [], hidden: [], copied: [], guarded: [] };
  expect(agentPlaces(agent, { HOME })).toEqual({ ...lists, hosts: [] });
});

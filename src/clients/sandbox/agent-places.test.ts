import { expect, test } from "bun:test";
import { agentPlaces } from "./agent-places.ts";

test.each([
  { agent: "claude", env: {}, folder: "/home/ada/.claude" },
  { agent: "claude", env: { CLAUDE_CONFIG_DIR: "/elsewhere" }, folder: "/elsewhere" },
  { agent: "opencode", env: {}, folder: "/home/ada/.local/share/opencode" },
  { agent: "opencode", env: { XDG_DATA_HOME: "/data" }, folder: "/data/opencode" },
  { agent: "copilot", env: {}, folder: "/home/ada/.copilot" },
  { agent: "copilot", env: { COPILOT_HOME: "/elsewhere" }, folder: "/elsewhere" },
  { agent: "gemini", env: {}, folder: "/home/ada/.gemini" },
  { agent: "codex", env: { CODEX_HOME: "/elsewhere" }, folder: "/elsewhere" },
  { agent: "goose", env: {}, folder: "/home/ada/.local/share/goose" },
])("$agent keeps its conversations in $folder", ({ agent, env, folder }) => {
  expect(agentPlaces(agent, { HOME: "/home/ada", ...env }).folders[0]).toBe(folder);
});

test("what decides about an agent's next call lies in its folders and is guarded", () => {
  for (const agent of ["claude", "copilot", "gemini", "codex"]) {
    const { folders, guarded } = agentPlaces(agent, { HOME: "/home/ada" });
    expect(guarded.length).toBeGreaterThan(0);
    expect(guarded.filter((file) => !folders.some((folder) => file.startsWith(`${folder}/`)))).toEqual([]);
  }
});

test.each(["mine", "toString"])("nothing is known of %s", (agent) => {
  const nothing = { folders: [], files: [], readable: [], guarded: [], hosts: [] };
  expect(agentPlaces(agent, { HOME: "/home/ada" })).toEqual(nothing);
});

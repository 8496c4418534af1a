import { afterAll, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { programVersion } from "../../process/find-program.ts";
import { OPENCODE_TOOLS, OPENCODE_TOOLS_VERSION } from "../opencode-settings/opencode-tools.ts";
import { startOpenCodeBench } from "./fixtures/opencode-bench.ts";
import { findOpenCode } from "./server/find-opencode.ts";
import { openOpenCodeConnection } from "./server/opencode-connection.ts";

const PATH = process.env.PATH ?? "";
const bench = await startOpenCodeBench(PATH);
afterAll(() => bench.stop());

/** Every switch that enables tools. */
const SWITCHES = {
  OPENCODE_EXPERIMENTAL: "1",
  OPENCODE_EXPERIMENTAL_LSP_TOOL: "1",
  OPENCODE_EXPERIMENTAL_PLAN_MODE: "1",
  OPENCODE_ENABLE_EXA: "1",
  OPENCODE_ENABLE_PARALLEL: "1",
};

/** The text of a program before the first occurrence of a mark. */
function textBefore(bytes: Buffer, mark: string, length: number): string {
  const end = bytes.indexOf(mark);
  expect(end).toBeGreaterThan(length);
  return bytes.subarray(end - length, end + length).toString("latin1");
}

test("every tool that OpenCode lists, with every switch on, has an entry", async () => {
  const connection = await openOpenCodeConnection(bench.optionsFor({ env: { PATH, ...SWITCHES } }));
  try {
    const { data = [] } = await connection.sdk.tool.ids({ directory: bench.workFolder }, { throwOnError: true });
    expect(data.length).toBeGreaterThan(10);
    expect(data.filter((name) => !OPENCODE_TOOLS.has(name))).toEqual([]);
  } finally {
    await connection.stop();
  }
});

test("every tool that OpenCode's program defines has an entry", async () => {
  const program = await findOpenCode({ env: { PATH } });
  expect(await programVersion(program, { PATH })).toBe(OPENCODE_TOOLS_VERSION);
  const bytes = await readFile(program);
  // The registry creates each tool with its name: `=j("read",`.
  const registry = textBefore(bytes, '"@opencode/ToolRegistry"', 110_000);
  const names = [...registry.matchAll(/=\w+\("([a-z_]+)",\w+\.gen\(function\*/g)].map(([, name]) => name ?? "");
  const resources = [
    ...textBefore(bytes, "tool.execute.before", 110_000).matchAll(/"((?:list|read)_mcp_[a-z_]+)"/g),
  ].map(([, name]) => name ?? "");
  expect(names).toContain("write");
  expect(resources).toContain("read_mcp_resource");
  expect([...new Set([...names, ...resources])].filter((name) => !OPENCODE_TOOLS.has(name))).toEqual([]);
});

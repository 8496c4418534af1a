import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acpOptions } from "./agents.ts";
import { createTurnSlots, INSIDE_VARIABLE } from "./machine-limit.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-limit-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const CONFIG = { limits: { maxAgentsOnMachine: 1 }, agents: { mine: { command: "mine" } } };

test("without the setting there are no slots", () => {
  expect(createTurnSlots({ config: {}, atomicHome: folder, env: {} })).toBeUndefined();
});

test("an agent passes the name of its program's slots to its commands, where an Atomic finds it", () => {
  const slots = createTurnSlots({ config: CONFIG, atomicHome: folder, env: {} });
  const options = { config: CONFIG, defaultAgent: "mine", workingDirectory: folder, atomicHome: folder, env: {} };
  const { env = {} } = acpOptions("mine", { ...options, slots });
  expect(env[INSIDE_VARIABLE]).toBe(slots?.id ?? "");
  expect(createTurnSlots({ config: CONFIG, atomicHome: folder, env })?.inside).toBe(slots?.id);
  expect(acpOptions("mine", options).env).not.toHaveProperty(INSIDE_VARIABLE);
});

test("the number is read again for each turn; while the file is broken, the last one applies", async () => {
  const slots = createTurnSlots({ config: CONFIG, atomicHome: folder, env: {} });
  const { signal } = new AbortController();
  const write = (text: string) => writeFile(join(folder, "config.json"), text);
  const heldBy = (): Promise<readonly string[] | undefined> | undefined =>
    slots?.hold(() => readdir(join(folder, "slots")), { signal });
  await write("{ broken");
  expect((await heldBy())?.toSorted()).toEqual([".guard", "next", "slot-1"]);
  await rm(join(folder, "slots"), { recursive: true });
  await write("{}");
  expect(await heldBy()).toEqual([]);
});

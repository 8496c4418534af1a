import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pid as ownPid } from "node:process";
import type { AgentEvent, CodingAgentClient, Session } from "../../contracts/index.ts";
import { createOpenCodeClient } from "./opencode-client.ts";
import type { OpenCodeOptions } from "./opencode-options.ts";

/** Settings of {@link startOpenCodeTestBench}. */
export interface OpenCodeTestBenchOptions {
  /** Where the scripted model listens. */
  readonly modelUrl: string;
  /** The `PATH` of the agent's commands. */
  readonly searchPath: string;
}

/** A warmed-up client with a real server, in folders of its own. */
export interface OpenCodeTestBench {
  readonly client: CodingAgentClient;
  /** The sessions' working directory, which holds a `README.md`. */
  readonly workFolder: string;
  readonly homeFolder: string;
  /** The options of `client`, for another one in the same folders. */
  optionsFor(overrides?: Partial<OpenCodeOptions>): OpenCodeOptions;
  stop(): Promise<void>;
}

/** Starts a server and lets it load its plugins, so that the tests after it measure only themselves. */
export async function startOpenCodeTestBench(options: OpenCodeTestBenchOptions): Promise<OpenCodeTestBench> {
  const { modelUrl, searchPath } = options;
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "atomic-opencode-")));
  const workFolder = path.join(folder, "work");
  const homeFolder = path.join(folder, "home");
  await mkdir(workFolder);
  await writeFile(path.join(workFolder, "README.md"), "A project.\n");
  const optionsFor = (overrides: Partial<OpenCodeOptions> = {}): OpenCodeOptions => ({
    workingDirectory: workFolder,
    homeDirectory: homeFolder,
    env: { PATH: searchPath },
    endpoint: {
      protocol: "openai-chat",
      baseUrl: `${modelUrl}/v1`,
      models: [
        {
          id: "scripted",
          contextWindowTokens: 100_000,
          outputTokens: 8_000,
          costPerMillionInputUsd: 1,
          costPerMillionOutputUsd: 2,
        },
      ],
    },
    ...overrides,
  });
  const client = createOpenCodeClient(optionsFor());
  await (await client.createSession()).send("Warm up.");
  const stop = async () => {
    await client.stop();
    await rm(folder, { recursive: true, force: true });
  };
  return { client, workFolder, homeFolder, optionsFor, stop };
}

/** All events of a turn. */
export async function collectEvents(session: Session, message: string, signal?: AbortSignal): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of session.stream(message, signal === undefined ? {} : { signal })) events.push(event);
  return events;
}

/** The events of the wanted types (all but the vendor's own when none are named) without their session. */
export function plainEvents(
  events: readonly AgentEvent[],
  ...types: readonly AgentEvent["type"][]
): readonly Record<string, unknown>[] {
  return events
    .filter((event) => (types.length === 0 ? event.type !== "vendor" : types.includes(event.type)))
    .map(({ sessionId: _, ...event }) => event);
}

/** The text or the thinking of a turn. */
export function joinDeltas(events: readonly AgentEvent[], type: "text-delta" | "thinking-delta"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("");
}

/** What a promise rejects with; rejects itself when the promise does not. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`Expected a rejection, got ${JSON.stringify(value)}.`);
    },
    (error: unknown) => error,
  );
}

/** A running process. */
export interface RunningProcess {
  readonly pid: number;
  readonly commandLine: readonly string[];
}

/** The processes that inherited a text in their environment, on Linux. */
export function processesWith(text: string): readonly RunningProcess[] {
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === ownPid) return [];
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "utf8").includes(text)) return [];
      return [{ pid, commandLine: readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0") }];
    } catch {
      return []; // It ended meanwhile.
    }
  });
}

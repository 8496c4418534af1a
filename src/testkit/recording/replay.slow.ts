import { afterEach, beforeEach, expect, test } from "bun:test";
import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, readlink, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { LASTING_ERROR_CODES, type PermissionPolicy } from "../../contracts/index.ts";
import { annotation, defineState, graph, nodes } from "../../graph/index.ts";
import { createScriptedAgent } from "../scripted-agent/create-scripted-agent.ts";
import type { ScriptedTurn } from "../scripted-agent/scripted-turn.ts";
import { runWorkflow } from "../workflow-test/run-workflow.ts";
import { createTestRepository, type TestRepository } from "../workflow-test/test-repository.ts";
import { RecordingDeniedError, RecordingUnsafeError } from "./apply-changes.ts";
import { type FileChange, readFolderState } from "./file-change.ts";
import { recordAgent } from "./record-agent.ts";
import { loadRecording } from "./recording-file.ts";
import { replayAgent } from "./replay.ts";
import { ReplayFailedError, ReplayTurnInterruptedError } from "./replay-errors.ts";

const FILES = { "kept.txt": "kept\n", "gone.txt": "gone\n", ".gitignore": "*.log\n" };
const State = defineState({ prompt: annotation("the sea"), first: annotation(""), second: annotation("") });
const { agentNode, parallelNode } = nodes(State);

/** Two agents work at the same time and write the same file; a third one sees the work of both. */
function flow(question = "Look at what both did.") {
  const write = (id: "first" | "second") =>
    agentNode({
      id,
      retry: { maxAttempts: 2, backoffMs: 1 },
      buildMessage: ({ prompt }) => `Write ${id} about ${prompt}.`,
      outputMapper: ({ content }) => (id === "first" ? { first: content } : { second: content }),
    });
  const both = parallelNode({ id: "both", branches: [write("first"), write("second")] });
  const look = agentNode({ id: "look", buildMessage: ({ first, second }) => `${question} ${first} ${second}` });
  return graph(State).start(both).then(look).end();
}

let original: TestRepository;
let copy: TestRepository;

beforeEach(async () => {
  [original, copy] = await Promise.all([
    createTestRepository({ files: FILES }),
    createTestRepository({ files: FILES }),
  ]);
});

afterEach(async () => {
  await Promise.all([original.remove(), copy.remove()]);
});

/** What the agents do. The second one fails at first, and ends after the first. */
/** Resolved when the first worker has written its files, by folder. */
const firsts = new Map<string, PromiseWithResolvers<void>>();

function firstIn(folder: string): PromiseWithResolvers<void> {
  const first = firsts.get(folder) ?? Promise.withResolvers<void>();
  firsts.set(folder, first);
  return first;
}

async function work({ prompt, config }: ScriptedTurn): Promise<string | { readonly error: Error }> {
  const folder = config.workingDirectory ?? "";
  if (prompt.includes("Write first")) {
    await writeFile(join(folder, "both.txt"), "of the first\n");
    await writeFile(join(folder, "binary"), Buffer.from([0, 255, 1]));
    firstIn(folder).resolve();
    return "one";
  }
  if (prompt.includes("Write second")) {
    if (!failed.has(folder)) {
      failed.add(folder);
      return { error: new Error("overloaded") };
    }
    await firstIn(folder).promise;
    await writeFile(join(folder, "both.txt"), "of the second\n");
    await Bun.file(join(folder, "gone.txt")).delete();
    return `two in ${folder}`;
  }
  await writeFile(join(folder, "run.sh"), "#!/bin/sh\n");
  await chmod(join(folder, "run.sh"), 0o755);
  await symlink("kept.txt", join(folder, "link"));
  await writeFile(join(folder, "noise.log"), "ignored\n");
  return "seen";
}

const failed = new Set<string>();

async function recordFlow() {
  const agent = recordAgent(createScriptedAgent({ script: work }), { workingDirectory: original.path });
  const result = await runWorkflow(flow(), { repository: original, agent });
  result.expectCompleted();
  return { recording: agent.recording, agent, result };
}

test("a replay has the same answers and the same files, in another folder", async () => {
  const { recording, result } = await recordFlow();
  const replay = replayAgent(recording, { workingDirectory: copy.path });
  const replayed = await runWorkflow(flow(), { repository: copy, agent: replay });
  replayed.expectCompleted();
  expect(replayed.state.second).toBe(`two in ${copy.path}`);
  expect([replayed.state.first, result.state.first]).toEqual(["one", "one"]);
  const { "noise.log": _ignored, ...tree } = await original.tree();
  expect(await copy.tree()).toEqual(tree);
  expect(tree).toMatchObject({ "both.txt": "of the second\n", link: "kept\n" });
  expect((await stat(join(copy.path, "run.sh"))).mode & 0o777).toBe(0o755);
  expect(await readFile(join(copy.path, "binary"))).toEqual(Buffer.from([0, 255, 1]));
  expect(replayed.usage).toEqual(result.usage);
  expect(replay.unusedTurns).toEqual([]);
  expect(replayed.visits.find(({ nodeId }) => nodeId === "second")?.attempts).toBe(2);
});

test("a recording is a file of lines that can be read again", async () => {
  const { agent, recording } = await recordFlow();
  const path = join(original.path, "recording.jsonl");
  await agent.save(path);
  expect(await loadRecording(path)).toEqual(JSON.parse(JSON.stringify(recording)));
  expect(
    recording.turns.map(({ taskId, turn, prompt, reply, error }) => ({ taskId, turn, prompt, reply, error })),
  ).toContainEqual({
    taskId: "look",
    turn: 1,
    prompt: "Look at what both did. one two in <folder>",
    reply: "seen",
    error: undefined,
  });
  expect(recording.visits.map(({ nodeId, status }) => `${nodeId} ${status}`)).toContain("look completed");
  expect(recording.end?.status).toBe("completed");
});

test("the first prompt that differs is named, with the difference, and no later turn is answered", async () => {
  const { recording } = await recordFlow();
  const replay = replayAgent(recording, { workingDirectory: copy.path });
  const result = await runWorkflow(flow("Look at it."), { repository: copy, agent: replay });
  result.expectFailed(/is not the one in the recording/);
  const { runId } = recording.start;
  expect(replay.mismatch?.message).toBe(
    [
      `The prompt of "look" is not the one in the recording of the run ${runId}:`,
      "  -Look at what both did. one two in <folder>",
      "  +Look at it. one two in <folder>",
      "Undo the change, or record the run again.",
    ].join("\n"),
  );
  expect(replay.unusedTurns.map(({ taskId }) => taskId)).toEqual(["look"]);
});

test("a turn that the recording does not have is named", async () => {
  const { recording } = await recordFlow();
  const replay = replayAgent(recording, { workingDirectory: copy.path });
  const more = agentNode({ id: "more", buildMessage: () => "Once more." });
  const result = await runWorkflow(graph(State).start(more).end(), { repository: copy, agent: replay });
  expect(result.error?.message).toBe(
    `The recording of the run ${recording.start.runId} has no "more", which asks: "Once more.". It has turns of: first, second, look. Record the run again.`.replace(
      "first, second, look",
      [...new Set(recording.turns.map(({ taskId }) => taskId))].join(", "),
    ),
  );
});

test.each([
  { text: "", problem: "it is empty" },
  { text: "{}\n", problem: "it is no recording of Atomic" },
  { text: "no\n", problem: "it is no recording of Atomic" },
  { text: "no line", problem: "it is no recording of Atomic" },
  {
    text: '{"type":"context","taskId":"t","usedTokens":0,"maxTokens":0,"fraction":0}\n',
    problem: "it is no recording of Atomic",
  },
  {
    text: '{"type":"recording","version":9,"runId":"r"}\n',
    problem: "a newer Atomic wrote it (version 9 of the format)",
  },
])("a file that is no recording is rejected: $problem", async ({ text, problem }) => {
  const path = join(original.path, "bad.jsonl");
  await writeFile(path, text);
  await expect(loadRecording(path)).rejects.toThrow(
    `The recording "${path}" cannot be read: ${problem}. Name another one, or record the run again, into a new file: atomic run … --record FILE`,
  );
});

test.each([
  { change: { settings: null }, field: "settings" },
  { change: { calls: [null] }, field: "calls[0]" },
  { change: { calls: [{ toolName: "bash", kind: "any", output: "" }] }, field: "calls[0].kind" },
  { change: { usage: { inputTokens: 1, outputTokens: "x" } }, field: "usage.outputTokens" },
  { change: { usage: null }, field: "usage" },
  { change: { turn: 1e300 }, field: "turn" },
  { change: { order: -1 }, field: "order" },
  { change: { isAborted: "yes" }, field: "isAborted" },
  { change: { deniedPermissions: [{ toolName: "x", title: 5 }] }, field: "deniedPermissions[0].kind" },
  { change: { changes: [null] }, field: "changes[0]" },
  { change: { changes: [{ type: "file", path: 5, text: "" }] }, field: "changes[0].path" },
  { change: { changes: [{ type: "file", path: "a", base64: "!!!" }] }, field: "changes[0].base64" },
  { change: { changes: [{ type: "constructor", path: "a" }] }, field: "changes[0].type" },
])("a turn with a damaged $field is no part of a recording", async ({ change, field }) => {
  const path = join(original.path, "bad.jsonl");
  const start = { type: "recording", version: 1, runId: "r", workflow: "w", at: 0 };
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const about = { taskId: "say", turn: 1, order: 1, agentType: "scripted", folder: "<folder>", settings: {} };
  const turn = {
    type: "turn",
    ...about,
    prompt: "Say it.",
    calls: [],
    usage,
    startedAt: 0,
    durationMs: 0,
    changes: [],
  };
  const save = (...entries: readonly object[]) =>
    writeFile(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  await save(start, turn);
  expect((await loadRecording(path)).turns).toHaveLength(1);
  await save(start, { ...turn, ...change });
  await expect(loadRecording(path)).rejects.toThrow(
    `The recording "${path}" cannot be read: in line 2, "${field}" is missing or wrong. Name another one`,
  );
});

test("a recording is read from a file only, so that a pipe without a writer does not hang", async () => {
  const path = join(original.path, "pipe");
  await promisify(execFile)("mkfifo", [path]);
  await expect(loadRecording(path)).rejects.toThrow(`The recording "${path}" cannot be read: it is not a file.`);
  await expect(loadRecording(original.path)).rejects.toThrow("it is not a file");
});

test("a turn that was interrupted while it was recorded ends the replay", async () => {
  const say = graph(State)
    .start(agentNode({ id: "say", buildMessage: () => "Say it." }))
    .end();
  const agent = recordAgent(createScriptedAgent(), { workingDirectory: original.path });
  await runWorkflow(say, { repository: original, agent });
  const { runId } = agent.recording.start;
  const turns = agent.recording.turns.map((turn) => ({ ...turn, isAborted: true as const }));
  const { end: _end, ...rest } = agent.recording;
  const replay = replayAgent({ ...rest, turns, visits: [] }, { workingDirectory: copy.path });
  const result = await runWorkflow(say, { repository: copy, agent: replay });
  const message = `The recording of the run ${runId} has no answer of "say", which was interrupted: "Say it.". Record the run again.`;
  expect([result.status, result.error?.message, replay.mismatch?.message]).toEqual(["failed", message, message]);
});

test("a failure of the replay itself is no failure of the agent: no node retries it", async () => {
  const say = graph(State)
    .start(agentNode({ id: "say", buildMessage: () => "Say it." }))
    .end();
  const agent = recordAgent(createScriptedAgent(), { workingDirectory: original.path });
  await runWorkflow(say, { repository: original, agent });
  const name = "n".repeat(300);
  const turns = agent.recording.turns.map((turn) => ({
    ...turn,
    changes: [{ path: name, type: "file", text: "" } as const],
  }));
  const replay = replayAgent({ ...agent.recording, turns }, { workingDirectory: copy.path });
  const result = await runWorkflow(say, { repository: copy, agent: replay });
  expect(result.error?.message).toStartWith('The replay of "say" failed: ENAMETOOLONG');
  expect(replay.mismatch?.message).toBe(result.error?.message);
  expect(result.visits.map(({ attempts }) => attempts)).toEqual([1]);
});

test("a recording cannot write outside of its folder, nor into git's own", async () => {
  const { recording } = await recordFlow();
  for (const path of ["../out.txt", ".git/config", "/etc/x", "a/../../b"]) {
    const [first, ...others] = recording.turns;
    if (first === undefined) throw new Error("The recording has no turn.");
    const changes = [{ path, type: "file", text: "bad" } as const];
    const turns = [{ ...first, changes }, ...others];
    const replay = replayAgent({ ...recording, turns }, { workingDirectory: copy.path });
    const result = await runWorkflow(flow(), { repository: copy, agent: replay });
    result.expectFailed(`The recording changes "${path}", which is not a file of the folder.`);
  }
});

/** Replays a run of one agent whose turn has these changes. */
async function replayChanges(changes: readonly FileChange[], permissions?: PermissionPolicy) {
  const say = graph(State)
    .start(agentNode({ id: "say", buildMessage: () => "Say it." }))
    .end();
  const agent = recordAgent(createScriptedAgent(), { workingDirectory: original.path });
  (await runWorkflow(say, { repository: original, agent })).expectCompleted();
  const turns = agent.recording.turns.map((turn) => ({ ...turn, changes }));
  const options = { workingDirectory: copy.path, ...(permissions === undefined ? {} : { permissions }) };
  return await runWorkflow(say, { repository: copy, agent: replayAgent({ ...agent.recording, turns }, options) });
}

test("a replay makes no change that the permissions deny, and none of the turn's other changes", async () => {
  const changes = [
    { path: "free.txt", type: "file", text: "x" },
    { path: "SECRET/denied.txt", type: "file", text: "x" },
  ] as const;
  const rules = [{ effect: "deny", tools: ["edit"], paths: ["secret/**"] }] as const;
  const result = await replayChanges(changes, { rules, otherwise: "allow" });
  expect(result.error?.message).toBe(
    'The replay would change "SECRET/denied.txt". Denied by the rule "edit:secret/**", which matches "SECRET/denied.txt". Replay it without that rule, or record the run again with it.',
  );
  expect(await copy.tree()).toEqual(FILES);
});

test("a replay deletes no folder, and writes through no link", async () => {
  await mkdir(join(copy.path, "src"));
  await writeFile(join(copy.path, "src/work.txt"), "work\n");
  await symlink(original.path, join(copy.path, "link"));
  const before = await readFolderState(copy.path);
  const cases: readonly (readonly [change: FileChange, problem: string])[] = [
    [
      { path: "src", type: "deleted" },
      '"src", which is a folder here, and a replay deletes only files. Move it away first.',
    ],
    [{ path: "src", type: "file", text: "" }, '"src", which is a folder here, and a replay deletes only files.'],
    [{ path: "src", type: "link", target: "/" }, '"src", which is a folder here, and a replay deletes only files.'],
    [{ path: "link/kept.txt", type: "deleted" }, '"link/kept.txt", but "link" is a link, and a replay follows none.'],
    [{ path: "link/kept.txt", type: "file", text: "" }, '"link/kept.txt", but "link" is a link, and a replay follows'],
    [{ path: "kept.txt/a", type: "file", text: "" }, '"kept.txt/a", but "kept.txt" is no folder. Remove "kept.txt",'],
  ];
  for (const [change, problem] of cases)
    (await replayChanges([change])).expectFailed(`The recording changes ${problem}`);
  expect(await readFolderState(copy.path)).toEqual(before);
  const { "noise.log": _ignored, ...rest } = await original.tree();
  expect(rest).toEqual(FILES);
});

test("a replay replaces a link where a file goes, and what the link names stays as it is", async () => {
  await writeFile(join(original.path, "outside.log"), "outside\n");
  await symlink(join(original.path, "outside.log"), join(copy.path, "target"));
  (await replayChanges([{ path: "target", type: "file", text: "inside\n" }])).expectCompleted();
  expect(await readFile(join(copy.path, "target"), "utf8")).toBe("inside\n");
  expect(await readFile(join(original.path, "outside.log"), "utf8")).toBe("outside\n");
});

test("a file that took the place of a folder, and a folder that of a link, are recorded and replayed", async () => {
  for (const { path } of [original, copy]) {
    await mkdir(join(path, "folder"));
    await writeFile(join(path, "folder/old.txt"), "old\n");
    await symlink("kept.txt", join(path, "link"));
  }
  const swap = graph(State)
    .start(agentNode({ id: "swap", buildMessage: () => "Swap them." }))
    .end();
  const script = async ({ config: { workingDirectory = "" } }: ScriptedTurn): Promise<string> => {
    await rm(join(workingDirectory, "folder"), { recursive: true });
    await rm(join(workingDirectory, "link"));
    await mkdir(join(workingDirectory, "link"));
    await symlink("link/new.txt", join(workingDirectory, "folder"));
    await writeFile(join(workingDirectory, "link/new.txt"), "new\n");
    return "Swapped.";
  };
  const agent = recordAgent(createScriptedAgent({ script }), { workingDirectory: original.path });
  (await runWorkflow(swap, { repository: original, agent })).expectCompleted();
  const replay = replayAgent(agent.recording, { workingDirectory: copy.path });
  (await runWorkflow(swap, { repository: copy, agent: replay })).expectCompleted();
  expect(await readFile(join(copy.path, "link/new.txt"), "utf8")).toBe("new\n");
  expect(await readlink(join(copy.path, "folder"))).toBe("link/new.txt");
});

test("a replay only reports the calls of a recording, also where a call is described as an action", async () => {
  const { recording } = await recordFlow();
  const calls = [
    { type: "run-command", command: "touch ran.txt", toolName: "bash", kind: "shell", input: {}, output: "done" },
    { type: "edit-file", path: "written.txt", content: "x", toolName: "edit", kind: "edit", input: {}, output: "ok" },
  ] as const;
  const turns = recording.turns.map((turn) => ({ ...turn, calls }));
  const replay = replayAgent({ ...recording, turns }, { workingDirectory: copy.path });
  const result = await runWorkflow(flow(), { repository: copy, agent: replay });
  result.expectCompleted();
  const outputs = result.events.flatMap((event) =>
    event.type === "agent" && event.event.type === "tool-end" && event.taskId === "look" ? [event.event.output] : [],
  );
  expect(outputs).toEqual(["done", "ok"]);
  expect(Object.keys(await copy.tree()).filter((path) => /ran|written/.test(path))).toEqual([]);
});

test("whatever ends a replay is an error that lasts: a script does not get null for it and continue", () => {
  const about = { taskId: "say", turn: 1, runId: "r" };
  const errors = [
    new RecordingDeniedError("a", "Denied."),
    new RecordingUnsafeError("a"),
    new ReplayFailedError(about, { cause: new Error("broken") }),
    new ReplayTurnInterruptedError(about, "Say it."),
  ];
  expect(errors.filter(({ code }) => !LASTING_ERROR_CODES.has(code))).toEqual([]);
});

test.each([
  ["a path", "file.jsonl", '"file.jsonl"', '"file.jsonl"'],
  ["a recording that is not awaited", Promise.resolve({}), "a Promise", "FILE"],
  ["nothing", undefined, "undefined", "FILE"],
  ["the agent that records", { clients: () => undefined }, "{}", "FILE"],
])("instead of a recording, %s is rejected with what to write", (_, given, shown, file) => {
  expect(() => replayAgent(given as never)).toThrow(
    `replayAgent() was called with options that cannot be right:\n  - replayAgent() was given ${shown} instead of a recording; write replayAgent(await loadRecording(${file}))\nCorrect the call.`,
  );
});

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noRedaction } from "../../../contracts/index.ts";
import type { WorkflowSession } from "../../../workflows/index.ts";
import { InboxReader, type InboxSources } from "./load-inbox.ts";

let folder: string;
let isLive: boolean;
let questions: readonly string[];
let reads: number;
let autoApproveAt: number | undefined;
let problem: Error | undefined;
const session = { sessionId: "r", workflowName: "ship", status: "running", lastUpdated: "1" };
let inbox: InboxReader;

/** Writes a file of the run's journal, so many milliseconds ago. */
async function change(name: string, text: string, ageMs: number): Promise<void> {
  const path = join(folder, name);
  await writeFile(path, text);
  const at = (Date.now() - ageMs) / 1_000;
  await utimes(path, at, at);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "atomic-inbox-"));
  [isLive, questions, reads, autoApproveAt, problem] = [true, ["Ship?"], 0, undefined, undefined];
  const sources = {
    redactor: noRedaction,
    store: { list: async () => ({ sessions: [{ ...session, sessionDir: folder }] }) },
    runs: {
      isLive: async () => isLive,
      report: async () => {
        reads++;
        if (problem !== undefined) throw problem;
        const requests = questions.map((question) => ({
          ...{ id: question, nodeId: "a", question, askedAt: 1 },
          ...(autoApproveAt === undefined ? {} : { autoApproveAt }),
        }));
        return { status: isLive ? "running" : "interrupted", summary: { requests } };
      },
    },
  };
  // The cast is true for what the inbox reads of a session and a report.
  inbox = new InboxReader(sources as unknown as InboxSources);
  await change("journal.db", "a", 60_000);
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

async function read(): Promise<readonly unknown[]> {
  return (await inbox.read()).map((item) => (item.type === "question" ? item.request.id : item.permissionId));
}

test("the journal of a run in progress is read again only when one of its files has changed", async () => {
  expect([await read(), await read(), reads]).toEqual([["Ship?"], ["Ship?"], 1]);
  questions = ["Ship?", "Sure?"];
  await change("journal.db-wal", "b", 50_000);
  expect([await read(), await read(), reads]).toEqual([["Ship?", "Sure?"], ["Ship?", "Sure?"], 2]);
  questions = [];
  await change("journal.db-wal", "c", 40_000);
  expect([await read(), await read(), reads]).toEqual([[], [], 3]);
});

test("a journal that has just changed is read again, because its next change may look the same", async () => {
  await change("journal.db-wal", "b", 0);
  expect([await read(), await read(), reads]).toEqual([["Ship?"], ["Ship?"], 2]);
});

test("a run whose process has died is read once more", async () => {
  await read();
  isLive = false;
  questions = ["Other?"];
  expect([await read(), await read(), reads]).toEqual([["Other?"], ["Other?"], 2]);
});

test("a question that answers itself has a deadline only while a process executes the run", async () => {
  autoApproveAt = 9;
  expect(await inbox.read()).toMatchObject([{ deadline: 9 }]);
  isLive = false;
  const [item] = await inbox.read();
  expect(item).toMatchObject({ dueAt: 9 });
  expect(item).not.toHaveProperty("deadline");
});

test("a run whose journal cannot be read is counted, until it can be read again or has ended", async () => {
  isLive = false;
  problem = new Error("The journal is damaged.");
  // The cast is true for what the inbox reads of a session.
  const damaged = { ...session, sessionDir: folder } as unknown as WorkflowSession;
  expect([await read(), inbox.unreadableCount, await inbox.isReadable(damaged)]).toEqual([[], 1, false]);
  problem = undefined;
  expect([await read(), inbox.unreadableCount, await inbox.isReadable(damaged)]).toEqual([["Ship?"], 0, true]);
});

test("a file of another shape hides nothing else of its run, and is reported once", async () => {
  await mkdir(join(folder, "agent-questions"));
  await writeFile(join(folder, "agent-questions", "agent-question-1.json"), "null");
  const question = { id: "q", sessionId: "s", question: "Which?", options: [], isMultiple: false };
  const whole = { id: "agent-question-2", question, askedAt: 1, deadline: 2 };
  await writeFile(join(folder, "agent-questions", "agent-question-2.json"), JSON.stringify(whole));
  expect([await read(), await read()]).toEqual(Array(2).fill(["agent-question-2", "Ship?"]));
  const path = join(folder, "agent-questions", "agent-question-1.json");
  expect([inbox.takeProblems(), inbox.takeProblems()]).toEqual([
    [`Left out: ${path} is no request that Atomic wrote. If another program wrote it, remove it.`],
    [],
  ]);
});

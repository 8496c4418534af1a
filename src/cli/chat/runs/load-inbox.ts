import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { InboxItem } from "../../../tui/index.ts";
import type { WorkflowSession } from "../../../workflows/index.ts";
import { readPublished } from "../../prompts/published-permissions.ts";
import { readPublishedQuestions } from "../../prompts/published-questions.ts";
import type { OnUnusableFile } from "../../prompts/read-published-files.ts";
import type { Workspace } from "../../workspace.ts";

/**
 * The questions of a run. Where no process executes it, until its session changes: a process that takes it changes the session.
 * Where one does, until its journal changes.
 */
interface KnownQuestions {
  readonly lastUpdated: string;
  readonly items: readonly InboxItem[];
  /** The state of the files of the journal. Absent where no process executes the run. */
  readonly journal?: string;
}

/** What the inbox needs of the program. */
export interface InboxSources extends Pick<Workspace, "redactor"> {
  readonly store: Pick<Workspace["store"], "list">;
  readonly runs: Pick<Workspace["runs"], "report" | "isLive">;
}

/** The files of a journal in SQLite. One in other files is read each time. */
const JOURNAL_FILES = ["journal.db", "journal.db-wal"];

/** After two changes within this time, a file may look the same, in milliseconds: its clock is coarse. */
const COARSE_MS = 1_000;

/** Finds what waits for a person, over all runs. Remembers what a run asks until its session or its journal changes. */
export class InboxReader {
  readonly #workspace: InboxSources;
  readonly #known = new Map<string, KnownQuestions>();
  /** The runs whose journals could not be read the last time. */
  readonly #unreadable = new Set<string>();
  /** What was said about files that are left out, and what will be said next. */
  readonly #said = new Set<string>();
  #problems: readonly string[] = [];

  constructor(workspace: InboxSources) {
    this.#workspace = workspace;
  }

  /** The oldest deadline first, then what has none. @throws errors of the session store */
  async read(): Promise<readonly InboxItem[]> {
    const { store, redactor } = this.#workspace;
    const { sessions } = await store.list();
    // All others have ended.
    const open = sessions.filter(({ status }) => status === "running" || status === "paused");
    const isOpen = (id: string): boolean => open.some(({ sessionId }) => sessionId === id);
    for (const id of this.#known.keys()) if (!isOpen(id)) this.#known.delete(id);
    for (const id of this.#unreadable) if (!isOpen(id)) this.#unreadable.delete(id);
    const items = (await Promise.all(open.map((session) => this.#itemsOf(session)))).flat();
    return redactor.value(items.toSorted(byDeadline));
  }

  /** How many runs the last {@link read} had to leave out. */
  get unreadableCount(): number {
    return this.#unreadable.size;
  }

  /** Whether the journal of a run that has not ended can be read. Reads it where it may have changed. */
  async isReadable(session: WorkflowSession): Promise<boolean> {
    await this.#itemsOf(session);
    return !this.#unreadable.has(session.sessionId);
  }

  /** What {@link read} left out and has not reported yet: each file once. */
  takeProblems(): readonly string[] {
    const problems = this.#problems;
    this.#problems = [];
    return problems;
  }

  /** What agents of a live run ask: files of the run, and not in its journal. */
  #publishedIn(session: WorkflowSession): readonly InboxItem[] {
    const onUnusable = (text: string): void => {
      if (this.#said.has(text)) return;
      this.#said.add(text);
      this.#problems = [...this.#problems, text];
    };
    return [...permissionsOf(session, onUnusable), ...agentQuestionsOf(session, onUnusable)];
  }

  async #itemsOf(session: WorkflowSession): Promise<readonly InboxItem[]> {
    const { sessionId, lastUpdated } = session;
    const known = this.#known.get(sessionId);
    const isSame = known?.lastUpdated === lastUpdated;
    if (isSame && known.journal === undefined) return known.items;
    try {
      // Before the journal is read: what changes meanwhile is read the next time.
      const journal = await stateOfJournal(session.sessionDir);
      if (isSame && known.journal === journal && (await this.#workspace.runs.isLive(sessionId))) {
        return [...known.items, ...this.#publishedIn(session)];
      }
      const { status: reported, summary, missing } = await this.#workspace.runs.report(sessionId);
      if (missing !== undefined) throw missing;
      this.#unreadable.delete(sessionId);
      const requests = summary?.requests ?? [];
      const isExecuted = reported === "running";
      const questions = requests.map((request) => questionOf(session, request, { isExecuted }));
      if (!isExecuted) {
        this.#known.set(sessionId, { lastUpdated, items: questions });
        return questions;
      }
      if (journal === undefined) this.#known.delete(sessionId);
      else this.#known.set(sessionId, { lastUpdated, items: questions, journal });
      return [...questions, ...this.#publishedIn(session)];
    } catch {
      // A run that cannot be read has no question that anybody could answer.
      this.#unreadable.add(sessionId);
      return [];
    }
  }
}

/** Undefined where that cannot be relied on: there is no journal, or it has just changed. */
async function stateOfJournal(folder: string): Promise<string | undefined> {
  const states = await Promise.all(
    JOURNAL_FILES.map(async (name) => await stat(join(folder, name)).catch(() => undefined)),
  );
  const files = states.filter((state) => state !== undefined);
  const latest = Math.max(...files.map(({ mtimeMs }) => mtimeMs));
  if (files.length === 0 || latest > Date.now() - COARSE_MS) return undefined;
  return states.map((state) => (state === undefined ? "" : `${state.ino} ${state.size} ${state.mtimeMs}`)).join("\n");
}

function questionOf(
  { sessionId: runId, workflowName: workflow }: WorkflowSession,
  request: Extract<InboxItem, { type: "question" }>["request"],
  { isExecuted }: { readonly isExecuted: boolean },
): InboxItem {
  const { askedAt, autoApproveAt: at } = request;
  // Nothing continues by itself where no process executes the run.
  const end = at === undefined ? {} : isExecuted ? { deadline: at } : { dueAt: at };
  return { type: "question", runId, workflow, askedAt, request, ...end };
}

function permissionsOf(
  { sessionId: runId, workflowName: workflow, sessionDir }: WorkflowSession,
  onUnusable: OnUnusableFile,
): readonly InboxItem[] {
  return readPublished(sessionDir, onUnusable).map(({ id: permissionId, request, askedAt, deadline }) => ({
    type: "permission",
    ...{ runId, workflow, permissionId, request, askedAt, deadline },
  }));
}

/** What agents ask in the middle of a turn. A text of the person's own is always an answer. */
function agentQuestionsOf(
  { sessionId: runId, workflowName: workflow, sessionDir }: WorkflowSession,
  onUnusable: OnUnusableFile,
): readonly InboxItem[] {
  return readPublishedQuestions(sessionDir, onUnusable).map(({ id, question: asked, askedAt, deadline }) => {
    const { question, header, options, isMultiple, step = "an agent" } = asked;
    const request = {
      ...{ id, nodeId: step, question, askedAt, acceptsText: true },
      ...(header === undefined ? {} : { header }),
      ...(options.length === 0 ? {} : { options }),
      ...(isMultiple && options.length > 0 ? { schema: { type: "array", items: { type: "string" } } } : {}),
    };
    return { type: "question", runId, workflow, askedAt, deadline, request };
  });
}

function byDeadline(one: InboxItem, other: InboxItem): number {
  const [first, second] = [one, other].map(endOf);
  if (first !== second) return (first ?? 0) - (second ?? 0);
  return one.askedAt - other.askedAt;
}

function endOf(item: InboxItem): number {
  const dueAt = item.type === "question" ? item.dueAt : undefined;
  return item.deadline ?? dueAt ?? Number.POSITIVE_INFINITY;
}

import type { InboxItem } from "../../../tui/index.ts";
import type { WorkflowSession } from "../../../workflows/index.ts";
import { readPublished } from "../../prompts/published-permissions.ts";
import { readPublishedQuestions } from "../../prompts/published-questions.ts";
import type { Workspace } from "../../workspace.ts";

/** The questions of a run that no process executes, until its session changes: a process that takes it changes the session. */
interface KnownQuestions {
  readonly lastUpdated: string;
  readonly items: readonly InboxItem[];
}

/** Finds what waits for a person, over all runs. Remembers what a run asks until its session changes. */
export class InboxReader {
  readonly #workspace: Workspace;
  readonly #known = new Map<string, KnownQuestions>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** The oldest deadline first, then what has none. @throws errors of the session store */
  async read(): Promise<readonly InboxItem[]> {
    const { store, redactor } = this.#workspace;
    const { sessions } = await store.list();
    // All others have ended.
    const open = sessions.filter(({ status }) => status === "running" || status === "paused");
    for (const id of this.#known.keys()) if (!open.some(({ sessionId }) => sessionId === id)) this.#known.delete(id);
    const items = (await Promise.all(open.map((session) => this.#itemsOf(session)))).flat();
    return redactor.value(items.toSorted(byDeadline));
  }

  async #itemsOf(session: WorkflowSession): Promise<readonly InboxItem[]> {
    const { sessionId, lastUpdated } = session;
    const known = this.#known.get(sessionId);
    if (known?.lastUpdated === lastUpdated) return known.items;
    try {
      const { status: reported, summary } = await this.#workspace.runs.report(sessionId);
      const requests = summary?.requests ?? [];
      const questions = requests.map((request) => questionOf(session, request));
      if (reported !== "running") {
        this.#known.set(sessionId, { lastUpdated, items: questions });
        return questions;
      }
      return [...questions, ...permissionsOf(session), ...agentQuestionsOf(session)];
    } catch {
      // A run that cannot be read has no question that anybody could answer.
      return [];
    }
  }
}

function questionOf(
  { sessionId: runId, workflowName: workflow }: WorkflowSession,
  request: Extract<InboxItem, { type: "question" }>["request"],
): InboxItem {
  const { askedAt, autoApproveAt } = request;
  const deadline = autoApproveAt === undefined ? {} : { deadline: autoApproveAt };
  return { type: "question", runId, workflow, askedAt, request, ...deadline };
}

function permissionsOf({
  sessionId: runId,
  workflowName: workflow,
  sessionDir,
}: WorkflowSession): readonly InboxItem[] {
  return readPublished(sessionDir).map(({ id: permissionId, request, askedAt, deadline }) => ({
    type: "permission",
    ...{ runId, workflow, permissionId, request, askedAt, deadline },
  }));
}

/** What agents ask in the middle of a turn. A text of the person's own is always an answer. */
function agentQuestionsOf({
  sessionId: runId,
  workflowName: workflow,
  sessionDir,
}: WorkflowSession): readonly InboxItem[] {
  return readPublishedQuestions(sessionDir).map(({ id, question: asked, askedAt, deadline }) => {
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
  const [first, second] = [one, other].map(({ deadline = Number.POSITIVE_INFINITY }) => deadline);
  if (first !== second) return (first ?? 0) - (second ?? 0);
  return one.askedAt - other.askedAt;
}

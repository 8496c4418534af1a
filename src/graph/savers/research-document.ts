import type { RunSummary } from "../journal/run-summary.ts";
import type { BaseState } from "../state/annotation.ts";

/**
 * A run as a Markdown page for people: facts as YAML, then the state as JSON. Only the state is ever read back, to be
 * shown again.
 *
 * @param stateText the result of {@link formatState}; absent when the state is unknown
 */
export function formatResearchDocument(summary: RunSummary, stateText: string | undefined): string {
  const { runId, workflow, status, updatedAt, nodes, error, requests } = summary;
  const facts = [
    `runId: ${quote(runId)}`,
    `workflow: ${quote(workflow.name)}`,
    `status: ${status}`,
    `updated: ${new Date(updatedAt).toISOString()}`,
    `nodes: ${nodes.length}`,
    ...(error === undefined ? [] : [`error: ${quote(error.message)}`]),
    ...(requests.length === 0 ? [] : ["waitingFor:", ...requests.map(({ question }) => `  - ${quote(question)}`)]),
  ];
  const state = stateText === undefined ? "The journal beside this page holds the state." : fence(stateText);
  return `---\n${facts.join("\n")}\n---\n\n${state}\n`;
}

/** A state as indented JSON for people. Dates become texts, maps and sets lists, so it cannot be restored. */
export function formatState(state: BaseState): string {
  const text = JSON.stringify(state, (_key, value: unknown) => readable(value), 2);
  return escapeInvisible(text);
}

function readable(value: unknown): unknown {
  if (value instanceof Map || value instanceof Set) return [...value];
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return typeof value === "bigint" ? value.toString() : value;
}

const FENCE = "```";

/** No line of indented JSON starts with a fence, because line feeds inside texts are escaped. */
function fence(stateText: string): string {
  return `${FENCE}json\n${stateText}\n${FENCE}`;
}

/** The state's text in a page of {@link formatResearchDocument}. */
export function findStateText(document: string): string | undefined {
  return new RegExp(`^${FENCE}json\\n([\\s\\S]*?)\\n${FENCE}$`, "m").exec(document)?.[1];
}

/** A text in double quotes, which YAML and JSON read alike. */
function quote(text: string): string {
  return escapeInvisible(JSON.stringify(text));
}

/** Escapes characters that JSON may contain, but YAML and terminals may not. */
function escapeInvisible(json: string): string {
  return json.replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

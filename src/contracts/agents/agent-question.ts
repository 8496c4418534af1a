/** An answer that an agent offers to its question. */
export interface AgentQuestionOption {
  readonly label: string;
  readonly description?: string;
}

/** A question that an agent asks a person in the middle of a turn. */
export interface AgentQuestion {
  /** Unique within the session. */
  readonly id: string;
  readonly sessionId: string;
  readonly question: string;
  /** A short title. */
  readonly header?: string;
  /** Empty when any text is accepted. */
  readonly options: readonly AgentQuestionOption[];
  /** Whether several options may be chosen. */
  readonly isMultiple: boolean;
  /** In a run, the step whose agent asks. */
  readonly step?: string;
}

/** What a person says to a question. */
export type AgentQuestionAnswer =
  /** The labels of the chosen options, or a text of the person's own. */
  | { readonly type: "answer"; readonly values: readonly string[] }
  | { readonly type: "decline" /** Sent to the agent. */; readonly reason: string };

/** Asks a person. A rejection counts as declining; without a handler every question is declined. */
export type AgentQuestionHandler = (
  question: AgentQuestion,
  options: { readonly signal: AbortSignal },
) => Promise<AgentQuestionAnswer>;

import {
  type AgentReply,
  type CodingAgentClient,
  type ContextUsage,
  nearestName,
  type RunEvent,
} from "../../contracts/index.ts";
import type { AgentVisit, ClientProvider, VirtualClock } from "../../graph/index.ts";
import { describeQuestion } from "../recording/record-turn.ts";
import { nodeOfTask } from "../recording/recording.ts";
import { type TurnWatcher, VisitClient, type VisitTurn } from "../recording/visit-client.ts";
import { assertReply, ScriptedReplyError } from "../scripted-agent/check-reply.ts";
import { createScriptedAgent } from "../scripted-agent/create-scripted-agent.ts";
import type { AgentScript, ScriptedTurn } from "../scripted-agent/scripted-turn.ts";
import { type AgentPatterns, isPatterns, PatternBook } from "./pattern-script.ts";

/** Clients as they are, for example those of `recordAgent` and `replayAgent`. */
export interface GivenAgents {
  readonly clients: ClientProvider;
  readonly onEvent?: (event: RunEvent) => void;
}

/** An agent for a test: answers by prompt, a function, a client, or what `recordAgent` and `replayAgent` return. */
export type TestAgent = AgentPatterns | AgentScript | CodingAgentClient | GivenAgents;

/** A turn that a node had with an agent. */
export interface TestTurn {
  readonly nodeId: string;
  readonly taskId: string;
  readonly agentType: string;
  readonly prompt: string;
  readonly model?: string;
  readonly systemPrompt?: string;
  /** The text of the answer; absent for a turn that failed. */
  readonly reply?: string;
}

/** Settings of {@link TestAgents}. */
export interface TestAgentsOptions {
  readonly agent?: TestAgent | undefined;
  /** Agents by type, before `agent`. */
  readonly agents?: Readonly<Record<string, TestAgent>> | undefined;
  readonly clock: VirtualClock | undefined;
  readonly workingDirectory: string | undefined;
  readonly hasPolicy: boolean;
  /** Whether the test can cancel the run, and so end an agent that never answers. */
  readonly canCancel: boolean;
}

/** The agents of a test. They note who asked them what. */
export class TestAgents implements TurnWatcher {
  readonly turns: TestTurn[] = [];
  readonly #options: TestAgentsOptions;
  readonly #providers = new Map<string, ClientProvider>();
  /** Of the agents that answer by pattern, by their key in {@link TestAgents.#providers}. */
  readonly #books = new Map<string, PatternBook>();
  /** What each session works for at the moment. */
  readonly #visits = new Map<string, AgentVisit>();
  /** The nodes whose agents are at work. */
  readonly #working = new Map<TestTurn, string>();
  /** Ends the agents that never answer. */
  readonly #endless = new Set<AbortController>();

  constructor(options: TestAgentsOptions) {
    this.#options = options;
    const { clock, canCancel } = options;
    if (clock !== undefined && !canCancel) clock.onStuck = () => this.#endEndless();
  }

  readonly clients: ClientProvider = async (agentType, wish = {}) => {
    const client = await this.#providerOf(agentType)(agentType, wish);
    return wish.visit === undefined ? client : new VisitClient(client, wish.visit, this);
  };

  onEvent(event: RunEvent): void {
    const { agent, agents = {} } = this.#options;
    for (const given of [agent, ...Object.values(agents)]) if (isGiven(given)) given.onEvent?.(event);
  }

  async around(
    { client, visit, sessionId, ...asked }: VisitTurn,
    send: () => Promise<AgentReply>,
  ): Promise<AgentReply> {
    const { prompt, settings } = describeQuestion(asked);
    const { model, systemPrompt } = settings;
    const index = this.turns.length;
    const turn: TestTurn = {
      nodeId: nodeOfTask(visit.taskId),
      taskId: visit.taskId,
      agentType: client.agentType,
      prompt,
      ...(model === undefined ? {} : { model }),
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
    };
    this.turns.push(turn);
    this.#visits.set(sessionId, visit);
    this.#working.set(turn, turn.nodeId);
    try {
      const reply = await send();
      this.turns[index] = { ...turn, reply: reply.content };
      return reply;
    } finally {
      this.#working.delete(turn);
    }
  }

  /** Fails the agents that never answer in a run in which nothing else can happen. */
  #endEndless(): void {
    const nodes = [...new Set(this.#working.values())].map((nodeId) => `"${nodeId}"`);
    const subject = `The reply for the ${nodes.length === 1 ? "node" : "nodes"} ${nodes.join(", ")}`;
    const problem =
      "with delayMs Infinity never comes, and nothing else can happen in the run; set a timeout for the node, or a shorter delayMs";
    const error = new ScriptedReplyError(subject, [problem]);
    for (const endless of this.#endless) endless.abort(error);
  }

  async #sleep(clock: VirtualClock, durationMs: number, signal: AbortSignal): Promise<void> {
    if (durationMs !== Number.POSITIVE_INFINITY) return await clock.sleep(durationMs, signal);
    const endless = new AbortController();
    this.#endless.add(endless);
    try {
      await clock.sleep(durationMs, AbortSignal.any([signal, endless.signal]));
    } finally {
      this.#endless.delete(endless);
    }
  }

  lookAtContext(_visit: AgentVisit, read: () => Promise<ContextUsage>): Promise<ContextUsage> {
    return read();
  }

  /** What the run has not used of the agents, in sentences. */
  get unused(): readonly string[] {
    const { agent, agents = {} } = this.#options;
    const asked = [...new Set(this.turns.map(({ agentType }) => agentType))];
    const never = Object.keys(agents).flatMap((type) => {
      if (this.#providers.has(type)) return [];
      const nearest = nearestName(type, asked);
      const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
      return [`No node asked the agent "${type}" of agents.${hint}`];
    });
    const isAsked = agent === undefined || this.#providers.has("");
    const books = [...this.#books].flatMap(([type, { unused }]) =>
      unused.map((sentence) => (type === "" ? sentence : `agents.${type}: ${sentence}`)),
    );
    return [...(isAsked ? [] : ["No node asked the agent of the test."]), ...never, ...books];
  }

  #providerOf(agentType: string | undefined): ClientProvider {
    const { agent, agents = {} } = this.#options;
    const isNamed = agentType !== undefined && Object.hasOwn(agents, agentType);
    const key = isNamed ? agentType : "";
    const known = this.#providers.get(key);
    if (known !== undefined) return known;
    const given = isNamed ? agents[agentType] : agent;
    const provider = isGiven(given) ? given.clients : this.#createProvider(given, key);
    this.#providers.set(key, provider);
    return provider;
  }

  #createProvider(given: Exclude<TestAgent, GivenAgents> | undefined, key: string): ClientProvider {
    if (given !== undefined && typeof given !== "function" && !isPatterns(given)) return () => given;
    const book = isPatterns(given) ? new PatternBook(given) : undefined;
    if (book !== undefined) this.#books.set(key, book);
    // The cast is true: what is no list of patterns here is a function, or missing.
    const script = book?.script ?? (given as AgentScript | undefined);
    const clients = new Map<string, CodingAgentClient>();
    return (agentType = "scripted") => {
      const known = clients.get(agentType) ?? this.#createClient(agentType, script);
      clients.set(agentType, known);
      return known;
    };
  }

  #createClient(agentType: string, script: AgentScript | undefined): CodingAgentClient {
    const { clock, workingDirectory, hasPolicy } = this.#options;
    return createScriptedAgent({
      agentType,
      ...(workingDirectory === undefined ? {} : { workingDirectory }),
      ...(hasPolicy ? { evaluatePermission: "policy" } : {}),
      ...(clock === undefined
        ? {}
        : { now: clock.now, sleep: (durationMs, signal) => this.#sleep(clock, durationMs, signal) }),
      ...(script === undefined
        ? {}
        : {
            script: async (turn, tools) => {
              const visit = this.#visits.get(turn.sessionId);
              const place: Pick<ScriptedTurn, "nodeId" | "taskId"> =
                visit === undefined ? {} : { nodeId: nodeOfTask(visit.taskId), taskId: visit.taskId };
              const reply: unknown = await script({ ...turn, ...place }, tools);
              assertReply(reply, place.nodeId);
              return reply;
            },
          }),
    });
  }
}

/** Whether an agent is clients as they are. */
export function isGiven(agent: unknown): agent is GivenAgents {
  return (
    typeof agent === "object" &&
    agent !== null &&
    !Array.isArray(agent) &&
    "clients" in agent &&
    typeof agent.clients === "function"
  );
}

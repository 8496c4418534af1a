import type { AgentReply, CodingAgentClient, ContextUsage, RunEvent } from "../../contracts/index.ts";
import type { AgentVisit, ClientProvider, VirtualClock } from "../../graph/index.ts";
import { describeQuestion } from "../recording/record-turn.ts";
import { nodeOfTask } from "../recording/recording.ts";
import { type TurnWatcher, VisitClient, type VisitTurn } from "../recording/visit-client.ts";
import { createScriptedAgent } from "../scripted-agent/create-scripted-agent.ts";
import type { AgentScript } from "../scripted-agent/scripted-turn.ts";
import { type AgentPatterns, isPatterns, patternScript } from "./pattern-script.ts";

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
}

/** The agents of a test. They note who asked them what. */
export class TestAgents implements TurnWatcher {
  readonly turns: TestTurn[] = [];
  readonly #options: TestAgentsOptions;
  readonly #providers = new Map<string, ClientProvider>();
  /** What each session works for at the moment. */
  readonly #visits = new Map<string, AgentVisit>();

  constructor(options: TestAgentsOptions) {
    this.#options = options;
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
    const reply = await send();
    this.turns[index] = { ...turn, reply: reply.content };
    return reply;
  }

  lookAtContext(_visit: AgentVisit, read: () => Promise<ContextUsage>): Promise<ContextUsage> {
    return read();
  }

  #providerOf(agentType: string | undefined): ClientProvider {
    const { agent, agents = {} } = this.#options;
    const isNamed = agentType !== undefined && Object.hasOwn(agents, agentType);
    const key = isNamed ? agentType : "";
    const known = this.#providers.get(key);
    if (known !== undefined) return known;
    const given = isNamed ? agents[agentType] : agent;
    const provider = isGiven(given) ? given.clients : this.#createProvider(given);
    this.#providers.set(key, provider);
    return provider;
  }

  #createProvider(given: Exclude<TestAgent, GivenAgents> | undefined): ClientProvider {
    if (given !== undefined && typeof given !== "function" && !isPatterns(given)) return () => given;
    const script = isPatterns(given) ? patternScript(given) : given;
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
      ...(clock === undefined ? {} : { now: clock.now, sleep: clock.sleep }),
      ...(script === undefined
        ? {}
        : {
            script: (turn, tools) => {
              const visit = this.#visits.get(turn.sessionId);
              const place = visit === undefined ? {} : { nodeId: nodeOfTask(visit.taskId), taskId: visit.taskId };
              return script({ ...turn, ...place }, tools);
            },
          }),
    });
  }
}

function isGiven(agent: TestAgent | undefined): agent is GivenAgents {
  return (
    typeof agent === "object" && !Array.isArray(agent) && "clients" in agent && typeof agent.clients === "function"
  );
}

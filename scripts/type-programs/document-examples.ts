// The examples of the design documents, without a type argument: they must compile under `strict`, and are never run.
import {
  agentNode,
  annotation,
  askUserNode,
  type BaseState,
  clearContextNode,
  commandNode,
  contextMonitorNode,
  customToolNode,
  decisionNode,
  defineState,
  graph,
  MemorySaver,
  nodes,
  parallelNode,
  parallelSubagentNode,
  Reducers,
  skillNode,
  subagentNode,
  subgraphNode,
  taskLoopFields,
  taskLoopNode,
  toolNode,
  waitNode,
} from "@bastani/atomic/graph";
import { z } from "zod";

const LintState = defineState({ targetFile: annotation(""), lintResult: annotation(""), code: annotation("") });
const LintInputSchema = z.object({ filePath: z.string().min(1, "filePath is required") });

export function createLintWorkflow() {
  return graph(LintState)
    .start(
      agentNode({
        id: "identify-file",
        agentType: "claude",
        buildMessage: () => "Which file should be linted?",
        outputMapper: (reply) => ({ targetFile: reply.content }),
      }),
    )
    .then(
      customToolNode({
        id: "lint-code",
        toolName: "lint",
        inputSchema: LintInputSchema,
        args: (state) => ({ filePath: state.targetFile }),
        // A tool of a name returns what only the author knows.
        outputMapper: (result: string) => ({ lintResult: result }),
        retry: { maxAttempts: 3 },
      }),
    )
    .then(
      agentNode({
        id: "fix-issues",
        agentType: "claude",
        buildMessage: (state) => `Fix these lint issues: ${state.lintResult}`,
      }),
    )
    .then([
      subagentNode({
        id: "analyze",
        agentName: "codebase-analyzer",
        task: (state) => `Analyze ${state.targetFile}`,
      }),
      subagentNode({
        id: "security-review",
        agentName: "security-reviewer",
        task: (state) => `Review for vulnerabilities: ${state.code}`,
      }),
    ])
    .end()
    .compile();
}

interface ResearchState extends BaseState {
  readonly topic: string;
  readonly researchFindings: readonly string[];
}

export function createResearchWorkflow() {
  return graph<ResearchState>()
    .start(
      parallelSubagentNode({
        id: "research-phase",
        agents: [
          { agentName: "explore", task: (s) => `Find files related to: ${s.topic}` },
          { agentName: "explore", task: (s) => `Find tests related to: ${s.topic}` },
          { agentName: "explore", task: (s) => `Find docs related to: ${s.topic}` },
        ],
        merge: (results) => ({ researchFindings: Array.from(results.values()).map((r) => r.output) }),
      }),
    )
    .then(
      agentNode({
        id: "synthesize",
        agentType: "claude",
        buildMessage: (s) => `Synthesize: ${s.researchFindings.join("\n")}`,
      }),
    )
    .end()
    .compile();
}

const MyState = defineState({
  topic: annotation(""),
  result: annotation(""),
  targetUrl: annotation(""),
  fetchedData: annotation<string | undefined>(undefined),
  score: annotation(0),
  document: annotation(""),
  results: annotation<readonly string[]>([]),
  allData: annotation<readonly number[]>([]),
  done: annotation(false),
});

const AnalysisState = defineState({ doc: annotation(""), results: annotation<readonly string[]>([]) });
const analysis = graph(AnalysisState)
  .start(agentNode({ agent: "analyst", prompt: (state) => state.doc }))
  .end()
  .compile();

export function createEveryNode() {
  return graph(MyState)
    .start(
      agentNode({
        id: "research",
        agentType: "claude",
        systemPrompt: "...",
        tools: ["tool1", "tool2"],
        buildMessage: (state) => `Research: ${state.topic}`,
        outputMapper: ({ content }) => ({ result: content }),
        sessionConfig: { model: "sonnet" },
        retry: { maxAttempts: 3 },
      }),
    )
    .then(
      toolNode({
        id: "fetch-data",
        toolName: "http_fetch",
        // Before `execute`, which is given what it makes.
        args: (state) => ({ url: state.targetUrl }),
        execute: async (args) => (await fetch(args.url)).text(),
        outputMapper: (result) => ({ fetchedData: result }),
        timeout: 30_000,
      }),
    )
    .then(
      decisionNode({
        id: "router",
        routes: [
          { condition: (s) => s.score >= 90, target: "confirm" },
          { condition: (s) => s.score >= 70, target: "gather" },
        ],
        fallback: "analysis",
      }),
    )
    .end()
    .compile();
}

export function createForks() {
  return graph(MyState)
    .start(
      askUserNode({
        id: "confirm",
        options: {
          question: "Continue?",
          header: "Confirmation",
          options: [
            { label: "Yes", description: "Proceed" },
            { label: "No", description: "Cancel" },
          ],
        },
      }),
    )
    .then(
      parallelNode({
        id: "gather",
        branches: ["fetch-1", toolNode({ id: "fetch-2", execute: (_args, { state }) => state.score })],
        strategy: "all",
        merge: (results) => ({ allData: Array.from(results.values()).map(({ score }) => score) }),
      }),
    )
    .then(toolNode({ id: "fetch-1", execute: () => 1 }))
    .then(
      subgraphNode({
        id: "analysis",
        subgraph: analysis,
        inputMapper: (state) => ({ doc: state.document }),
        outputMapper: (subState) => ({ results: subState.results }),
      }),
    )
    .then(
      subgraphNode({
        id: "by-name",
        subgraph: "research-codebase",
        inputMapper: (state) => ({ currentTopic: state.topic }),
      }),
    )
    .then(
      subgraphNode({
        id: "by-name-and-type",
        subgraph: "research-codebase",
        inputMapper: (state) => ({ topic: state.topic }),
        outputMapper: (research: ResearchState) => ({ results: research.researchFindings }),
      }),
    )
    .end()
    .compile();
}

export function createEveryStep() {
  return graph(MyState)
    .start(toolNode({ id: "begin", execute: () => true, outputMapper: (done) => ({ done }) }))
    .if((state) => state.score > 1)
    .then(skillNode({ skill: "commit", args: (state) => state.result }))
    .else()
    .then(commandNode({ command: "review", args: (state) => state.topic }))
    .endif()
    .loop([clearContextNode({ session: "work" }), contextMonitorNode({ session: (state) => state.topic })], {
      until: (state) => state.done,
      maxIterations: 100,
    })
    .parallel([toolNode({ id: "a", execute: () => 1 }), [toolNode({ id: "b", execute: () => 2 })]], { strategy: "all" })
    .wait({ prompt: "Continue?" })
    .catch((error) => ({ stateUpdate: { result: error.message } }))
    .end()
    .compile({ checkpointer: new MemorySaver() });
}

interface Feature {
  readonly id: string;
  readonly passes: boolean;
}

const AtomicState = defineState({
  researchDoc: annotation({ default: undefined as string | undefined }),
  specDoc: annotation({ default: undefined as string | undefined }),
  specApproved: annotation({ default: false }),
  featureList: annotation({ default: (): Feature[] => [], reducer: Reducers.mergeById<Feature>("id") }),
  currentFeature: annotation({ default: undefined as Feature | undefined }),
  allFeaturesPassing: annotation({ default: false }),
  prUrl: annotation({ default: undefined as string | undefined }),
  iteration: annotation({ default: 0 }),
});

/** Nodes that are defined before the graph. */
export function createAtomicWorkflow() {
  const { agentNode, customToolNode, decisionNode, waitNode } = nodes(AtomicState);
  const research = agentNode({
    id: "research",
    buildMessage: "Analyze the codebase and existing research documents...",
    outputMapper: ({ content }) => ({ researchDoc: content }),
  });
  const reviewSpec = decisionNode({
    id: "reviewSpec",
    routes: [{ condition: (state) => state.specApproved, target: "createFeatureList" }],
    fallback: "waitForApproval",
  });
  const waitForApproval = waitNode({
    id: "waitForApproval",
    prompt: (ctx) => `Please review the spec:\n\n${ctx.state.specDoc}\n\nApprove? (yes/no)`,
    inputMapper: (answer) => ({ specApproved: answer === "yes" }),
  });
  const createFeatureList = agentNode({
    id: "createFeatureList",
    buildMessage: "Create a feature list from the spec...",
    outputSchema: z.array(z.object({ id: z.string(), passes: z.boolean() })),
    outputMapper: ({ structured }) => ({ featureList: structured, allFeaturesPassing: false }),
  });
  const implementFeature = agentNode({
    id: "implementFeature",
    buildMessage: "Implement the current feature...",
    outputMapper: (_reply, { currentFeature, iteration }) => {
      if (currentFeature === undefined) return {};
      return { featureList: [{ ...currentFeature, passes: true }], iteration: iteration + 1 };
    },
  });
  const createPullRequest = customToolNode({
    id: "createPR",
    toolName: "gh",
    args: (state) => ({ command: "pr", subcommand: "create", body: state.specDoc ?? "" }),
    outputMapper: (output) => ({ prUrl: String(output) }),
  });
  return graph(AtomicState)
    .start(research)
    .then(reviewSpec)
    .then(waitForApproval)
    .then(createFeatureList)
    .loop(implementFeature, { until: (state) => state.allFeaturesPassing, maxIterations: 100 })
    .then(createPullRequest)
    .end()
    .compile();
}

const TaskState = defineState({ ...taskLoopFields, notes: annotation<string[]>([], Reducers.concat) });

export function createTaskWorkflow() {
  return graph(TaskState)
    .start(
      taskLoopNode({
        preIterationNode: clearContextNode({ session: ({ currentTask }) => `task ${currentTask?.id}` }),
        taskNodes: [
          agentNode({
            id: "implement",
            buildMessage: ({ currentTask }) => `Implement: ${currentTask?.name}`,
            outputMapper: ({ content }) => ({ notes: [content] }),
          }),
          waitNode({ id: "look", inputMapper: (answer) => ({ notes: [answer] }) }),
        ],
        until: ({ notes }, tasks) => notes.length > 10 || tasks.every(({ status }) => status === "passing"),
      }),
    )
    .end()
    .compile();
}

import {
  type AgentReply,
  CapabilityMissingError,
  type McpServerStatus,
  messageOf,
  type PermissionMode,
  type ReasoningEffort,
  raceAbort,
  type Session,
  type TurnOutcome,
  withResolvers,
} from "../../contracts/index.ts";
import type { ChatHost } from "../host/chat-host.ts";
import { AgentChoices } from "./agent-choices.ts";
import { AgentConnection } from "./agent-connection.ts";
import type { ChatController, ListedModel, ListedSession } from "./chat-controller.ts";
import type { ChatEntry, NoticeEntry } from "./chat-entry.ts";
import { addNotice, addUserMessage, cutBefore, replaceChat, startTurn } from "./chat-model.ts";
import { type Attachment, describeBusy, initialChatState, type QueuedMessage } from "./chat-state.ts";
import { ChatStore } from "./chat-store.ts";
import { CommentDelivery } from "./comment-delivery.ts";
import { ALREADY_SENT, type LabelledMessage, takeOpenComments } from "./comment-label.ts";
import { CommentStore } from "./comment-store.ts";
import { Compaction, nothingToCompact } from "./compaction.ts";
import { composeMessage, contextOf, shownMessage } from "./compose-message.ts";
import { ConversationRecord } from "./conversation-record.ts";
import { countComments, type DiffComment } from "./diff-comments.ts";
import { placeFinder, withEditPlaces } from "./edit-places.ts";
import { MessageQueue, type Outgoing } from "./message-queue.ts";
import { OpenAsks } from "./open-asks.ts";
import { readContext } from "./read-context.ts";
import { rewindTo } from "./rewind.ts";
import { UserCommands } from "./run-user-command.ts";
import { SideQuestions } from "./side-questions.ts";
import { steerTurn } from "./steer-turn.ts";
import { countOf } from "./stored-entries.ts";
import { TurnEvents } from "./turn-events.ts";

/** The conversation of the chat with the agents of a host. */
export class ChatSession implements ChatController {
  readonly #host: ChatHost;
  readonly #now: () => number;
  readonly #store: ChatStore;
  readonly #asks: OpenAsks;
  readonly #events: TurnEvents;
  readonly #connection: AgentConnection;
  readonly #choices: AgentChoices;
  readonly #queue: MessageQueue;
  readonly #record: ConversationRecord;
  readonly #sideQuestions: SideQuestions;
  readonly #shell: UserCommands;
  readonly #compaction = new Compaction();
  /** Whether another conversation is being opened: messages wait for it. */
  #isReplacing = false;
  /** What the agent has to know with the next message. */
  #context: readonly string[] = [];
  #turn: AbortController | undefined;
  /** The last turn. */
  #running: Promise<unknown> | undefined;

  constructor(host: ChatHost, now: () => number) {
    this.#host = host;
    this.#now = now;
    const { agentType } = host;
    const { model, reasoningEffort, permissionMode = "default" } = host.sessionConfigFor(agentType);
    const choice = { agentType, model, effort: reasoningEffort, mode: permissionMode };
    this.#store = new ChatStore(initialChatState(choice), now);
    this.#queue = new MessageQueue(this.#store, (comments) => this.comments.returnUnsent(comments));
    this.#asks = new OpenAsks({ now, locate: placeFinder(host), onChange: (asks) => this.#store.change({ asks }) });
    this.#events = new TurnEvents({ store: this.#store, delivery: this.#delivery, compaction: this.#compaction });
    this.#connection = new AgentConnection(choice, {
      host,
      asks: this.#asks,
      onEvent: withEditPlaces((event) => this.#events.take(event), { host, store: this.#store }),
    });
    this.#choices = new AgentChoices({
      ...{ host, store: this.#store, connection: this.#connection },
      setContext: (context) => {
        this.#context = context;
      },
    });
    this.#shell = new UserCommands({ host, store: this.#store, now });
    this.#sideQuestions = new SideQuestions({ store: this.#store, connection: this.#connection, now });
    // Nothing is sent before the conversation is open.
    if (host.resumeSessionId !== undefined) this.#store.change({ status: "starting" });
    this.#record = new ConversationRecord(host, { now, onProblem: (text) => this.notice(text, { tone: "warning" }) });
    this.snapshot = this.#store.snapshot;
    this.subscribe = this.#store.subscribe;
    this.onPermissionAsk = this.#asks.onPermissionAsk;
  }

  readonly snapshot: ChatController["snapshot"];
  readonly subscribe: ChatController["subscribe"];
  readonly onPermissionAsk: ChatController["onPermissionAsk"];
  readonly comments = new CommentStore(() => void this.#save());
  readonly #delivery = new CommentDelivery(this.comments);

  async start(): Promise<void> {
    const { resumeSessionId } = this.#host;
    if (resumeSessionId !== undefined) return await this.#open(resumeSessionId);
    await this.#attempt(async () => {
      const { capabilities } = await this.#connection.client();
      this.#store.change({ capabilities });
    });
  }

  session(): Session | undefined {
    return this.#connection.session;
  }

  send(text: string, attachments: readonly Attachment[] = [], comments: readonly DiffComment[] = []): void {
    const message = takeOpenComments({ text, attachments, comments }, this.comments);
    if (message === undefined) return this.notice(ALREADY_SENT);
    if (this.snapshot().status !== "idle") this.#queue.add(message.text, message.attachments, message.comments);
    else this.#start(message);
  }

  #start(message: LabelledMessage): void {
    void this.#run({ ...message, isShown: true, isAnswerShown: true }).catch(() => undefined);
  }

  async sendSilently(text: string, { isHidden = false }: { readonly isHidden?: boolean } = {}): Promise<AgentReply> {
    return await this.#run({ text, attachments: [], isShown: false, isAnswerShown: !isHidden });
  }

  async steer(text: string, attachments: readonly Attachment[] = []): Promise<void> {
    const { status, capabilities } = this.snapshot();
    const session = this.#connection.session;
    if (status !== "working" || session === undefined || capabilities?.steer !== true) {
      return this.send(text, attachments);
    }
    const message = takeOpenComments({ text, attachments }, this.comments);
    if (message === undefined) return this.notice(ALREADY_SENT);
    const services = { session, store: this.#store, comments: this.comments, now: this.#now };
    await this.#attempt(() => steerTurn(message, services));
  }

  async askAside(text: string): Promise<void> {
    await this.#sideQuestions.ask(text);
  }

  async interrupt(): Promise<void> {
    this.#shell.stop();
    this.#sideQuestions.stop();
    // Who stops a turn, or what messages wait for, decides what follows.
    if (this.snapshot().status !== "idle") this.#queue.hold();
    this.#turn?.abort(new DOMException("The user stopped the turn.", "AbortError"));
    await this.#connection.session?.abort().catch(() => undefined);
  }

  sendHeld(): void {
    this.#queue.release();
    this.#sendQueued();
  }

  editQueued(id: string, text: string): void {
    this.#queue.edit(id, text);
  }

  removeQueued(id: string): QueuedMessage | undefined {
    return this.#queue.remove(id);
  }

  takeUnsent(): readonly QueuedMessage[] {
    const { unsent } = this.snapshot();
    this.#store.change({ unsent: [] });
    return unsent;
  }

  notice(text: string, options: Partial<Pick<NoticeEntry, "tone" | "isMarkdown">> = {}): void {
    this.#store.reduce((model) => addNotice(model, { at: this.#now(), text, ...options }));
  }

  async runShell(command: string): Promise<void> {
    const said = await this.#shell.run(command);
    this.#context = [...this.#context, ...said];
  }

  async clear(): Promise<void> {
    await this.#stopWork();
    await this.#attempt(() => this.#connection.close());
    this.#context = [];
    this.#store.change({
      ...{ model: replaceChat(this.snapshot().model), sessionId: undefined, title: undefined },
      ...{ contextUsage: undefined, compactionSummary: undefined },
    });
    const kept = this.#record.isKept ? this.comments.forget() : 0;
    if (kept > 0) this.notice(`Not sent: ${countComments(kept)} of the old conversation. /resume shows it again.`);
  }

  async compact(): Promise<void> {
    const session = this.#connection.session;
    if (session === undefined) return this.notice(nothingToCompact(this.snapshot().agentType, this.#context));
    await this.#hold("compacting", async () => {
      this.#store.change({ compactionSummary: await this.#compaction.run(session) });
      await readContext(this.#connection.session, this.#store);
    });
  }

  async setModel(model: string | undefined, effort?: ReasoningEffort): Promise<void> {
    await this.#hold("starting", () => this.#choices.setModel(model, effort));
  }

  async setMode(mode: PermissionMode): Promise<void> {
    await this.#hold("starting", () => this.#choices.setMode(mode));
  }

  async setAgent(agentType: string): Promise<void> {
    if (agentType === this.snapshot().agentType) return;
    await this.#hold("starting", async () => {
      await this.#choices.setAgent(agentType);
      this.notice(`${agentType} continues. It receives the conversation so far with your next message.`);
    });
  }

  async listModels(): Promise<readonly ListedModel[]> {
    return await this.#choices.listModels();
  }

  async listSessions(): Promise<readonly ListedSession[]> {
    return await this.#record.list(await this.#connection.client());
  }

  async resume(sessionId: string): Promise<void> {
    this.#isReplacing = true;
    await this.#stopWork();
    await this.#open(sessionId);
  }

  /** Opens a stored conversation. Messages wait for it; where it cannot be opened, they are `unsent`. */
  async #open(sessionId: string): Promise<void> {
    this.#store.change({ status: "starting" });
    let entries: readonly ChatEntry[] = [];
    try {
      const stored = await this.#record.load(sessionId);
      entries = stored.entries;
      // Shown at once: to open a conversation can take the agent a while.
      this.#store.change({
        ...{ model: replaceChat(this.snapshot().model, { entries, entryCount: countOf(entries) }) },
        ...{ sessionId, title: stored.title, compactionSummary: undefined },
      });
      const back = this.#record.isKept ? this.comments.restore(stored.comments, this.#host.readFile) : 0;
      if (back > 0) this.notice(`${countComments(back)} that you did not send: in the transcript, below the lines.`);
      const session = await this.#connection.resume(sessionId);
      const { capabilities } = await this.#connection.client();
      this.#context = [];
      this.#store.change({ capabilities, sessionId: session.id });
      if (entries.length === 0) this.notice("The agent has its earlier messages; Atomic has not recorded them.");
      await readContext(this.#connection.session, this.#store);
    } catch (error) {
      this.#tell(error);
      // The next message opens another conversation, which receives this one.
      this.#context = contextOf(entries);
      this.#store.change({ sessionId: this.#connection.session?.id, unsent: this.#queue.takeAll() });
    } finally {
      this.#isReplacing = false;
      this.#store.change({ status: "idle" });
      this.#sendQueued();
    }
  }

  async fork(): Promise<void> {
    await this.#hold("starting", async () => {
      const session = await this.#connection.fork();
      const { title } = this.snapshot();
      this.#store.change({ sessionId: session.id, title: title === undefined ? undefined : `${title} (fork)` });
      this.notice("You are in a copy of the conversation. The original stays as it was.");
      await this.#save();
    });
  }

  async rename(title: string): Promise<void> {
    this.#store.change({ title });
    await this.#save();
  }

  async rewind(entryId: string): Promise<string | undefined> {
    const message = this.snapshot().model.entries.find(({ id }) => id === entryId);
    if (message?.type !== "user") return undefined;
    // An agent that starts is not stopped.
    if (this.#turn !== undefined || this.snapshot().status === "idle") await this.#stopWork();
    await this.#hold("starting", async () => {
      const cut = cutBefore(this.snapshot().model, entryId);
      this.#context = contextOf(cut.entries);
      this.#store.change({ model: cut, sessionId: undefined, title: undefined, contextUsage: undefined });
      const { session, context, notice } = await rewindTo(message, cut.entries, this.#connection);
      this.#context = context;
      this.#store.change({ sessionId: session?.id });
      this.notice(notice);
      await this.#save();
      await readContext(this.#connection.session, this.#store);
    });
    return this.snapshot().model.entries.includes(message) ? undefined : message.text;
  }

  async mcpStatus(): Promise<readonly McpServerStatus[]> {
    return await (await this.#connection.open()).getMcpStatus();
  }

  async stop(): Promise<void> {
    await this.#stopWork();
    this.#queue.takeAll();
    await this.#save();
    await this.#connection.stop();
  }

  /** Ends the turn in progress. The messages that wait for its end stay until the user sends them. */
  async #stopWork(): Promise<void> {
    this.#queue.stop();
    const turn = this.#running;
    await this.interrupt();
    await turn?.catch(() => undefined);
  }

  /** Changes the session between two turns. Messages wait for the end of it. */
  async #hold(status: "starting" | "compacting", work: () => Promise<unknown>): Promise<void> {
    const busy = describeBusy(this.snapshot());
    if (busy !== undefined) return this.notice(busy, { tone: "warning" });
    this.#store.change({ status });
    await this.#attempt(work);
    this.#store.change({ status: "idle" });
    this.#sendQueued();
  }

  /** Starts a turn, or lets the message wait for the end of the one in progress. */
  #run(message: Outgoing): Promise<AgentReply> {
    if (this.snapshot().status === "idle") {
      const turn = this.#runTurn(message);
      this.#running = turn;
      return turn;
    }
    const { promise, resolve } = withResolvers<AgentReply>();
    this.#queue.addHidden(() => resolve(this.#run(message)));
    return promise;
  }

  async #runTurn({ text, attachments, comments = [], isShown, isAnswerShown }: Outgoing): Promise<AgentReply> {
    const turn = new AbortController();
    this.#turn = turn;
    this.#events.startTurn({ isAnswerShown });
    const at = this.#now();
    const shown = { at, ...shownMessage(text, attachments) };
    this.#store.reduce((model) => (isShown ? addUserMessage(model, shown) : startTurn(model, at)));
    this.#store.change({ status: this.#connection.session === undefined ? "starting" : "working" });
    let outcome: TurnOutcome = "failed";
    try {
      // The agent continues to start when the user stops the turn: the next message waits for it.
      const session = await raceAbort(this.#connection.open(), turn.signal);
      const { capabilities } = await this.#connection.client();
      this.#store.change({ status: "working", sessionId: session.id, capabilities });
      const context = this.#context;
      this.#context = [];
      this.#delivery.start(comments);
      const reply = await session.send(composeMessage(text, { attachments, context }), { signal: turn.signal });
      this.#delivery.finish();
      outcome = "completed";
      return reply;
    } catch (error) {
      if (!turn.signal.aborted && !this.#events.sawError) this.#tell(error);
      throw error;
    } finally {
      this.#delivery.end(comments);
      this.#endTurn(turn.signal.aborted ? "aborted" : outcome);
      void readContext(this.#connection.session, this.#store);
      void this.#save();
      this.#sendQueued();
    }
  }

  /** Ends a turn of which the agent reported no end. */
  #endTurn(outcome: TurnOutcome): void {
    const sessionId = this.#connection.session?.id ?? "";
    if (this.snapshot().model.turn !== undefined)
      this.#events.add({ type: "turn-end", sessionId, outcome, at: this.#now() });
    this.#turn = undefined;
    this.#events.endTurn();
    this.#store.change({ status: "idle" });
    this.#store.flush();
  }

  #sendQueued(): void {
    if (!this.#isReplacing) this.#queue.startNext((message) => this.#start(message));
  }

  async #save(): Promise<void> {
    await this.#record.save(this.snapshot(), this.comments.kept());
  }

  async #attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#tell(error);
    }
  }

  #tell(error: unknown): void {
    this.notice(messageOf(error), { tone: error instanceof CapabilityMissingError ? "warning" : "error" });
  }
}

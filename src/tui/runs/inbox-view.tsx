import { useEffect, useRef, useState } from "react";
import { messageOf } from "../../contracts/index.ts";
import { safeLine } from "../../view/index.ts";
import { describeUnreadable } from "../commands/format-run-lists.ts";
import type { QuestionProgress } from "../dialogs/question-form.tsx";
import type { RequestPage } from "../dialogs/request-page.ts";
import { useKeyGuard } from "../dialogs/use-key-guard.ts";
import { describeItem } from "../host/describe-item.ts";
import type { InboxItem, RunsPort } from "../host/runs-port.ts";
import { useKeys, useUi } from "../ui/ui-context.ts";
import type { OpenedQuestion, RunMainView } from "../ui/ui-store.ts";
import { InboxDetail } from "./inbox-detail.tsx";
import { inboxKeys } from "./inbox-keys.ts";
import { layoutInbox } from "./inbox-layout.ts";
import { inboxKey } from "./inbox-lines.ts";
import { EmptyInbox, InboxList } from "./inbox-list.tsx";
import {
  answeredItem,
  answerPart,
  type InboxEffect,
  type InboxKeyOutcome,
  type InboxScreen,
  leavePart,
  OPENED_INBOX,
  pressInboxKey,
  reopenAnswer,
  selectedItem,
} from "./inbox-screen.ts";
import { fitLine, span } from "./line.ts";
import { LineView } from "./lines-view.tsx";
import { keysLine } from "./run-lines.ts";
import type { MatchesAction } from "./run-screen.ts";
import { useMeasure } from "./use-measure.ts";
import { usePolled } from "./use-polled.ts";
import { useRequestPage } from "./use-request-page.ts";
import { useTick } from "./use-tick.ts";

/** Properties of {@link InboxView}. */
export interface InboxViewProps {
  /** The question that is selected first. @default the first of all */
  readonly question?: OpenedQuestion | undefined;
  /** The run that escape returns to. @default the chat */
  readonly back?: RunMainView | undefined;
  /** How often the inbox is read, in milliseconds. @default 2000 */
  readonly pollMs?: number;
}

/** Everything that waits for a person, over all runs of this machine. */
export function InboxView(props: InboxViewProps) {
  const { runs } = useUi().host;
  if (runs !== undefined) return <Inbox runs={runs} {...props} />;
  return (
    <box flexGrow={1} paddingX={2}>
      <LineView line={[span("This program offers no runs.", "muted")]} />
    </box>
  );
}

/** The most columns of a text that was not sent. */
const MAX_UNSENT_COLUMNS = 200;

/** The longest sentence about what was left out, in columns. */
const MAX_PROBLEM = 400;

/** What is said after an answer. */
const ANSWERED = "Answered.";

/** What waits, as far as it could be read. */
interface LoadedInbox {
  readonly items: readonly InboxItem[];
  /** The runs that could not be read. */
  readonly unreadableCount: number;
}

const NOTHING: LoadedInbox = { items: [], unreadableCount: 0 };

/** What waits. What was left out of it is said. */
async function loadItems(runs: RunsPort, say: (text: string) => void): Promise<LoadedInbox> {
  const items = await runs.loadInbox();
  const unreadableCount = (await runs.countUnreadable?.()) ?? 0;
  const problems = (await runs.takeProblems?.()) ?? [];
  if (problems.length > 0) say(problems.map((text) => safeLine(text, MAX_PROBLEM)).join(" "));
  return { items, unreadableCount };
}

function Inbox({ runs, question, back, pollMs = 2_000 }: InboxViewProps & { readonly runs: RunsPort }) {
  const { keymap, glyphs } = useUi();
  const { value, problem, refresh } = usePolled(() => loadItems(runs, (text) => setSaid(text)), pollMs);
  const [screen, setScreen] = useState(OPENED_INBOX);
  const onRejected: OnRejected = (answer, reason) => setScreen((now) => reopenAnswer(now, answer, reason));
  const { answered, said, setSaid, perform } = useAnswers(runs, { refresh, back, onRejected });
  const { size, ...measured } = useMeasure();
  const { items: loaded, unreadableCount } = value ?? NOTHING;
  const items = loaded.filter((item) => !answered.has(inboxKey(item)));
  useTick(items.length > 0);
  const { item, index } = useSelection(items, screen.key ?? keyOfQuestion(items, question));
  useOpenedForm(items, { question, setScreen });
  useGoneNotice({ items, item, answered, isAnswering: screen.isAnswering }, setSaid);
  const layout = layoutInbox(item, { size, count: items.length });
  const { subject, box, page, visible: lines, turn } = useRequestPage(item, layout);
  const guard = useKeyGuard(forget, { isActive: !screen.isAnswering, subject });
  const [text, setText] = useState("");
  const [ofQuestion, setOfQuestion] = useState<QuestionProgress>("ready");
  const show = ({ screen: next, effect }: InboxKeyOutcome): void => {
    setSaid("");
    setScreen(next);
    if (next.isAnswering !== screen.isAnswering) setText("");
    if (effect?.type === "page") turn(effect.by);
    else if (effect !== undefined) perform(effect);
  };
  useKeys((key) => {
    const isAccepted = guard.accepts(key);
    const scene = { items, item, isRead: page.isRead, canShow: page.canShow };
    const matches: MatchesAction = (action, pressed) => keymap.matches(action, pressed);
    const outcome = pressInboxKey(screen, key, { scene, matches });
    if (outcome?.effect?.type === "permission") {
      // A letter that was held or typed for something else is no answer.
      if (isAccepted && !guard.takeTyping(key)) guard.answerAlone(key, () => show(outcome));
    } else if (outcome !== undefined) show(outcome);
    return outcome !== undefined;
  });
  const isGone = screen.isAnswering && answeredItem(screen, item) === undefined;
  const lost = isGone ? describeGone(text) : undefined;
  // An inbox that was never read may have anything.
  const reason = value === undefined ? problem : undefined;
  const isReading = value === undefined && problem === undefined;
  const empty = isReading ? `Reading the runs ${glyphs.ellipsis}` : (reason ?? describeEmpty(unreadableCount));
  const progress = item?.type === "permission" ? progressOf(page) : ofQuestion;
  const message = lost ?? describeLast(screen, { said, problem: reason === undefined ? problem : undefined });
  return (
    <box flexDirection="column" flexGrow={1} overflow="hidden" paddingX={layout.padding} {...measured}>
      {item === undefined ? (
        <EmptyInbox text={empty} isProblem={reason !== undefined} {...{ layout, rows: size.rows - 1 }} />
      ) : (
        <>
          <InboxList {...{ items, index, layout, unreadableCount }} />
          <box
            ref={box}
            flexDirection="column"
            height={layout.detailRows}
            flexShrink={0}
            overflow="hidden"
            // A box without rows cuts nothing off. It is not removed: it keeps what was typed.
            visible={layout.detailRows > 0}
          >
            <InboxDetail
              {...{ item, layout, screen, page, lines }}
              onText={setText}
              onProgress={setOfQuestion}
              onAnswer={(answered, values) => show(answerPart(screen, answered, values))}
              onLeave={() => show({ screen: leavePart(screen) })}
            />
          </box>
        </>
      )}
      <Footer keys={inboxKeys(item, { screen, layout, progress, keymap })} {...{ message, columns: layout.columns }} />
    </box>
  );
}

/** What was said last, or else the problem. An open form has the whole reason of a rejected answer itself. */
function describeLast(
  { isAnswering, rejected }: InboxScreen,
  { said, problem }: { readonly said: string; readonly problem: string | undefined },
): string | undefined {
  return said === "" || (isAnswering && said === rejected?.reason) ? problem : said;
}

function describeEmpty(unreadableCount: number): string {
  const unreadable = describeUnreadable(unreadableCount);
  return unreadable === "" ? "Nothing waits for you." : `Nothing waits for you. ${unreadable}: see the runs.`;
}

/** What a person can do with a permission request. */
function progressOf({ canShow, isLast }: RequestPage): QuestionProgress {
  return canShow ? (isLast ? "ready" : "unread") : "small";
}

/** Receives an answer that was not taken, and why. */
type OnRejected = (answer: Extract<InboxEffect, { readonly type: "answer" }>, reason: string) => void;

/** Sends answers. An item takes one answer: it is gone from the list unless the answer fails. */
function useAnswers(
  runs: RunsPort,
  {
    refresh,
    back,
    onRejected,
  }: {
    readonly refresh: () => void;
    readonly back: RunMainView | undefined;
    readonly onRejected: OnRejected;
  },
) {
  const { ui, glyphs } = useUi();
  const [said, setSaid] = useState("");
  const [answered, setAnswered] = useState<ReadonlySet<string>>(new Set());
  const attempt = (item: InboxItem, action: Promise<void>, onError?: (reason: string) => void): void => {
    const key = inboxKey(item);
    setAnswered((before) => new Set(before).add(key));
    setSaid(`Sending the answer ${glyphs.ellipsis}`);
    action.then(
      () => {
        setSaid(ANSWERED);
        refresh();
      },
      (error: unknown) => {
        setAnswered((before) => new Set([...before].filter((other) => other !== key)));
        const reason = messageOf(error).replace(/\s+/g, " ");
        setSaid(reason);
        onError?.(reason);
      },
    );
  };
  const perform = (effect: InboxEffect): void => {
    switch (effect.type) {
      case "say":
        return setSaid(effect.text);
      // Scrolling is for the screen.
      case "page":
        return;
      case "leave":
        return ui.show(back ?? { type: "chat" });
      case "open":
        return ui.show({ type: "run", runId: effect.runId, from: "inbox" });
      case "answer":
        return attempt(effect.item, runs.answer(effect.item.runId, effect.item.request.id, effect.value), (reason) =>
          onRejected(effect, reason),
        );
      case "permission":
        return attempt(effect.item, runs.answerPermission(effect.item.runId, effect.item.permissionId, effect.answer));
    }
  };
  return { answered, said, setSaid, perform };
}

interface FooterProps {
  readonly keys: readonly string[];
  readonly message: string | undefined;
  readonly columns: number;
}

function Footer({ keys, message, columns }: FooterProps) {
  const { glyphs } = useUi();
  // It stays until the next key, and must not cover what the keys do.
  if (message === ANSWERED) return <LineView line={keysLine([ANSWERED, ...keys], { columns, glyphs })} />;
  if (message !== undefined) return <LineView line={fitLine([span(message, "warning")], [], columns)} />;
  return <LineView line={keysLine(keys, { columns, glyphs })} />;
}

/** The line for a question that vanished while a person was answering it. The next key that they press on purpose is enter. */
function describeGone(text: string): string {
  const unsent = text.trim() === "" ? "" : ` Not sent: "${safeLine(text, MAX_UNSENT_COLUMNS)}".`;
  return `The question is no longer open: enter continues.${unsent}`;
}

/** Says that the selected item is gone when somebody answered it elsewhere. A form that is open says so itself. */
function useGoneNotice(
  {
    items,
    item,
    answered,
    isAnswering,
  }: {
    readonly items: readonly InboxItem[];
    readonly item: InboxItem | undefined;
    readonly answered: ReadonlySet<string>;
    readonly isAnswering: boolean;
  },
  say: (text: string) => void,
): void {
  const shown = useRef<InboxItem | undefined>(undefined);
  useEffect(() => {
    const before = shown.current;
    shown.current = item;
    if (before === undefined || isAnswering) return;
    const key = inboxKey(before);
    const isGone = !answered.has(key) && !items.some((one) => inboxKey(one) === key);
    if (isGone) say(`No longer open: ${safeLine(describeItem(before), MAX_UNSENT_COLUMNS)}`);
  });
}

function forget(): void {}

/** Opens the form of the question that the inbox was opened for, once it is read. */
function useOpenedForm(
  items: readonly InboxItem[],
  {
    question,
    setScreen,
  }: {
    readonly question: OpenedQuestion | undefined;
    readonly setScreen: (change: (now: InboxScreen) => InboxScreen) => void;
  },
): void {
  const isDone = useRef(question?.isOpen !== true);
  const asked = isDone.current ? undefined : items.find((item) => isQuestion(item, question));
  useEffect(() => {
    if (asked === undefined) return;
    isDone.current = true;
    const key = inboxKey(asked);
    // Who selected another item meanwhile wants that one.
    setScreen((now) => (now.key === undefined ? { ...OPENED_INBOX, key, isAnswering: true } : now));
  }, [asked, setScreen]);
}

function isQuestion(item: InboxItem, question: OpenedQuestion | undefined): boolean {
  return item.type === "question" && item.runId === question?.runId && item.request.id === question.requestId;
}

/** The item of a question while it is open, or else the first one of its run. */
function keyOfQuestion(items: readonly InboxItem[], question: OpenedQuestion | undefined): string | undefined {
  const item = items.find((one) => isQuestion(one, question)) ?? items.find(({ runId }) => runId === question?.runId);
  return item === undefined ? undefined : inboxKey(item);
}

/** Which item is selected, and where it is in the list. */
function useSelection(items: readonly InboxItem[], key: string | undefined) {
  const shown = useRef({ key: "", index: 0 });
  const item = selectedItem(items, { key: key ?? shown.current.key }, shown.current.index);
  const index = item === undefined ? shown.current.index : items.indexOf(item);
  shown.current = { key: item === undefined ? "" : inboxKey(item), index };
  return { item, index };
}

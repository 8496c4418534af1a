import { describeDue } from "../../view/index.ts";
import { QuestionForm, type QuestionProgress } from "../dialogs/question-form.tsx";
import { reopenQuestion } from "../dialogs/question-state.ts";
import type { RequestPage } from "../dialogs/request-page.ts";
import type { InboxItem } from "../host/runs-port.ts";
import { useUi } from "../ui/ui-context.ts";
import type { InboxLayout } from "./inbox-layout.ts";
import { compactAnswers, inboxKey, permissionAnswers } from "./inbox-lines.ts";
import { answeredItem, ENLARGE, type InboxScreen, type QuestionItem } from "./inbox-screen.ts";
import { fitLine, type Line, span, textOf } from "./line.ts";
import { LinesView, LineView } from "./lines-view.tsx";
import { notesOf, questionsOf } from "./request-questions.ts";

/** Properties of {@link InboxDetail}. */
export interface InboxDetailProps {
  readonly item: InboxItem;
  readonly layout: InboxLayout;
  readonly screen: InboxScreen;
  /** What is visible of a permission request. */
  readonly page: RequestPage;
  /** The visible lines of a permission request. */
  readonly lines: readonly Line[];
  /** What is typed for a question, after each change. */
  readonly onText: (text: string) => void;
  /** What a person can do with the question, after each change. */
  readonly onProgress: (progress: QuestionProgress) => void;
  /** The answer to one of the request's questions. */
  readonly onAnswer: (item: QuestionItem, values: readonly string[]) => void;
  /** The form no longer wants the keys. */
  readonly onLeave: () => void;
}

/** The selected item in full, with its answers. */
export function InboxDetail({ item, ...props }: InboxDetailProps) {
  return item.type === "question" ? (
    <QuestionDetail item={item} {...props} />
  ) : (
    <PermissionDetail item={item} layout={props.layout} page={props.page} lines={props.lines} />
  );
}

function QuestionDetail({
  item,
  layout,
  screen,
  onText,
  onProgress,
  onAnswer,
  onLeave,
}: InboxDetailProps & { item: QuestionItem }) {
  const { request, dueAt } = item;
  const isActive = answeredItem(screen, item) !== undefined;
  const questions = questionsOf(request);
  const index = isActive ? Math.min(screen.given.length, questions.length - 1) : 0;
  const question = questions[index];
  if (question === undefined) return;
  const rejected = isActive ? screen.rejected : undefined;
  const given = rejected?.given[index];
  const count = questions.length === 1 ? [] : [`Question ${index + 1} of ${questions.length}`];
  return (
    <QuestionForm
      key={`${inboxKey(item)} ${index} ${rejected?.count ?? 0}`}
      {...question.shape}
      question={question.question}
      notes={[...count, ...notesOf(request), ...(dueAt === undefined ? [] : [describeDue(dueAt)])]}
      rejection={rejected?.index === index ? rejected.reason : undefined}
      draft={given === undefined ? undefined : reopenQuestion(given, question.shape)}
      isActive={isActive}
      size={{ columns: layout.columns, rows: layout.detailRows, mostRows: layout.detailRows }}
      onText={onText}
      onProgress={onProgress}
      onAnswer={(values) => onAnswer(item, values)}
      onCancel={onLeave}
      {...(request.autoApproveAt === undefined || dueAt !== undefined ? {} : { deadline: request.autoApproveAt })}
    />
  );
}

interface PermissionDetailProps extends Pick<InboxDetailProps, "layout" | "page" | "lines"> {
  readonly item: Extract<InboxItem, { type: "permission" }>;
}

function PermissionDetail({ item, layout: { columns, canShow, isCompact }, page, lines }: PermissionDetailProps) {
  // "No" is in the last line, and needs no room.
  if (!canShow) return <Remaining page={page} columns={columns} />;
  // What does not work yet is no offer.
  const tone = page.isLast ? "accent" : "muted";
  const answers = isCompact
    ? compactAnswers(item, columns).map((text) => [span(text, tone)])
    : permissionAnswers(item).map(({ key, label, answer }) => [
        span(`  ${key}  `, answer === "no" ? "accent" : tone),
        span(label, answer === "no" || page.isLast ? "text" : "muted"),
      ]);
  return (
    <box flexDirection="column" flexShrink={0}>
      <LinesView lines={lines} rows={lines.length} />
      <Remaining page={page} columns={columns} />
      {answers.map((line) => (
        <LineView key={textOf(line)} line={fitLine(line, [], columns)} />
      ))}
    </box>
  );
}

/** How much of the request is above and below. */
function Remaining({ page, columns }: { readonly page: RequestPage; readonly columns: number }) {
  const { glyphs, keymap } = useUi();
  const { left, offset, isLast, canShow } = page;
  if (!canShow) return <LineView line={fitLine([span(`  ${ENLARGE}`, "warning")], [], columns)} />;
  const isUnread = left > 0 && !isLast;
  const below =
    left === 0 ? [] : [`${countLines(left)} below (${keymap.labelOf("pageDown")})${isUnread ? ", then yes" : ""}`];
  const above = offset === 0 ? [] : [`${countLines(offset)} above`];
  const text = [...below, ...above].join(` ${glyphs.separator} `);
  return (
    <LineView line={fitLine(text === "" ? [] : [span(`  ${text}`, isUnread ? "warning" : "muted")], [], columns)} />
  );
}

function countLines(count: number): string {
  return `${count} ${count === 1 ? "line" : "lines"}`;
}

import { QuestionForm } from "../dialogs/question-form.tsx";
import type { InboxItem } from "../host/runs-port.ts";
import { useUi } from "../ui/ui-context.ts";
import type { InboxLayout } from "./inbox-layout.ts";
import { inboxKey, permissionAnswers } from "./inbox-lines.ts";
import { answeredItem, type InboxScreen, type QuestionItem } from "./inbox-screen.ts";
import { fitLine, span } from "./line.ts";
import { LinesView, LineView } from "./lines-view.tsx";
import { notesOf, questionsOf } from "./request-questions.ts";

/** Properties of {@link InboxDetail}. */
export interface InboxDetailProps {
  readonly item: InboxItem;
  readonly layout: InboxLayout;
  readonly screen: InboxScreen;
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
    <PermissionDetail item={item} layout={props.layout} />
  );
}

function QuestionDetail({ item, layout, screen, onAnswer, onLeave }: InboxDetailProps & { item: QuestionItem }) {
  const { request } = item;
  const isActive = answeredItem(screen, item) !== undefined;
  const questions = questionsOf(request);
  const index = isActive ? Math.min(screen.given.length, questions.length - 1) : 0;
  const question = questions[index];
  if (question === undefined) return;
  const count = questions.length === 1 ? [] : [`Question ${index + 1} of ${questions.length}`];
  return (
    <QuestionForm
      key={`${inboxKey(item)} ${index}`}
      {...question.shape}
      question={question.question}
      notes={[...count, ...notesOf(request)]}
      isActive={isActive}
      size={{ columns: layout.columns, rows: layout.detailRows }}
      onAnswer={(values) => onAnswer(item, values)}
      onCancel={onLeave}
      {...(request.autoApproveAt === undefined ? {} : { deadline: request.autoApproveAt })}
    />
  );
}

interface PermissionDetailProps {
  readonly item: Extract<InboxItem, { type: "permission" }>;
  readonly layout: InboxLayout;
}

function PermissionDetail({ item, layout: { lines, linesBelow, columns, maxOptions } }: PermissionDetailProps) {
  const { glyphs, keymap } = useUi();
  const rest = `  ${keymap.labelOf("pageDown")}: ${linesBelow} more ${linesBelow === 1 ? "line" : "lines"}`;
  const answers = permissionAnswers(item);
  return (
    <box flexDirection="column" flexShrink={0}>
      <LinesView lines={lines} rows={lines.length} />
      <LineView line={fitLine(linesBelow === 0 ? [] : [span(rest, "warning")], [], columns)} />
      {answers.slice(0, maxOptions).map((answer) => (
        <LineView
          key={answer}
          line={fitLine([span(`  ${answer.slice(0, 1)}  `, "accent"), span(answer.slice(2))], [], columns)}
        />
      ))}
      {answers.length <= maxOptions ? undefined : <LineView line={[span(`  ${glyphs.ellipsis}`, "muted")]} />}
    </box>
  );
}

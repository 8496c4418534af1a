import type { InboxItem } from "../host/runs-port.ts";
import { TextField } from "../ui/text-field.tsx";
import { useUi } from "../ui/ui-context.ts";
import type { InboxLayout } from "./inbox-layout.ts";
import { optionLine, permissionAnswers } from "./inbox-lines.ts";
import { type InboxScreen, optionOf } from "./inbox-screen.ts";
import { fitLine, span, windowAround } from "./line.ts";
import { LinesView, LineView } from "./lines-view.tsx";

/** Properties of {@link InboxDetail}. */
export interface InboxDetailProps {
  readonly item: InboxItem;
  readonly layout: InboxLayout;
  readonly screen: InboxScreen;
  readonly onInput: (text: string) => void;
}

/** The selected item in full, with its answers. */
export function InboxDetail({ item, layout, screen, onInput }: InboxDetailProps) {
  const { lines, linesBelow, columns, maxOptions } = layout;
  const { glyphs } = useUi();
  const more =
    linesBelow === 0 ? [] : [span(`  pgdn: ${linesBelow} more ${linesBelow === 1 ? "line" : "lines"}`, "warning")];
  const isQuestion = item.type === "question";
  return (
    <box flexDirection="column" flexShrink={0}>
      <box flexDirection="column" flexShrink={0} paddingLeft={isQuestion ? 2 : 0}>
        <LinesView lines={lines} rows={lines.length} />
      </box>
      <LineView line={fitLine(more, [], columns)} />
      {isQuestion ? (
        <QuestionAnswers item={item} screen={screen} layout={layout} onInput={onInput} />
      ) : (
        permissionAnswers(item)
          .slice(0, maxOptions)
          .map((answer) => (
            <LineView
              key={answer}
              line={fitLine([span(`  ${answer.slice(0, 1)}  `, "accent"), span(answer.slice(2))], [], columns)}
            />
          ))
      )}
      {isQuestion || permissionAnswers(item).length <= maxOptions ? undefined : (
        <LineView line={[span(`  ${glyphs.ellipsis}`, "muted")]} />
      )}
    </box>
  );
}

type QuestionProps = Omit<InboxDetailProps, "item"> & {
  readonly item: Extract<InboxItem, { type: "question" }>;
};

function QuestionAnswers({ item, screen, layout: { columns, maxOptions }, onInput }: QuestionProps) {
  const { glyphs } = useUi();
  const { options = [] } = item.request;
  if (options.length === 0) {
    const isFocused = screen.typed !== undefined;
    return isFocused ? (
      <TextField label={`  ${glyphs.pointer} `} value={screen.typed ?? ""} isFocused onInput={onInput} />
    ) : (
      <LineView line={[span("  enter: type an answer", "muted")]} />
    );
  }
  const selected = optionOf(screen, item);
  const start = windowAround(Math.max(0, selected), { count: options.length, size: maxOptions });
  const visible = options.slice(start, start + maxOptions);
  const lines = visible.map((option, index) =>
    optionLine(option, { index: start + index, isSelected: start + index === selected, glyphs, columns }),
  );
  return <LinesView lines={lines} rows={lines.length} />;
}

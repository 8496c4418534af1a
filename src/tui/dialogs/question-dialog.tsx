import type { AgentQuestionAnswer } from "../../contracts/index.ts";
import { visibleLabel } from "../../view/index.ts";
import type { OpenAsk } from "../chat/chat-state.ts";
import { useChat, useUi } from "../ui/ui-context.ts";
import type { AskProps } from "./ask-props.ts";
import { aboutReplacement, placeInTitle, quietMsOf } from "./ask-row.ts";
import { DialogFrame } from "./dialog-frame.tsx";
import { QuestionForm, questionKeys } from "./question-form.tsx";
import { stopHelp, useAskKeys } from "./use-ask-keys.ts";
import { useIsWhole } from "./use-is-whole.ts";

/** Properties of {@link QuestionDialog}. */
export interface QuestionDialogProps extends AskProps {
  readonly ask: Extract<OpenAsk, { readonly type: "question" }>;
}

/** A question of the agent. Escape declines it. */
export function QuestionDialog(props: QuestionDialogProps) {
  const { ask, otherCount, place, onTyped, onPasted, onInterrupt, onAnswered } = props;
  const { question } = ask;
  const { keymap } = useUi();
  const { agentType } = useChat();
  const { box, isWhole } = useIsWhole();
  const { header, options, isMultiple } = question;
  const shape = { options, isMultiple, acceptsText: true };
  const onFirst = useAskKeys({ onInterrupt, onPasted, hasField: () => true });
  const answer = (given: AgentQuestionAnswer): void => {
    onAnswered();
    ask.answer(given);
  };
  const waiting = otherCount === 0 ? [] : [`${otherCount} more ${otherCount === 1 ? "waits" : "wait"}`];
  const stop = stopHelp(place, keymap.labelOf("quit"));
  const footer = [...waiting, stop, ...questionKeys(shape), `${keymap.labelOf("stop")} decline`];
  const about = header === undefined ? `${agentType} asks` : `${agentType} asks: ${visibleLabel(header)}`;
  const title = isWhole ? `${placeInTitle(place)}${about}` : "Enlarge the window to answer";
  const note = aboutReplacement(place);
  return (
    <DialogFrame title={title} footer={footer} tone="warning" box={box}>
      <QuestionForm
        {...shape}
        question={question.question}
        notes={note === undefined ? [] : [note]}
        quietMs={quietMsOf(place)}
        canAnswer={isWhole}
        onFirst={onFirst}
        onTyped={onTyped}
        onAnswer={(values) => answer({ type: "answer", values })}
        onCancel={() => answer({ type: "decline", reason: "The user declined to answer." })}
      />
    </DialogFrame>
  );
}

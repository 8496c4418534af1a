import { AskDialog } from "../dialogs/ask-dialog.tsx";
import { DialogView } from "../dialogs/dialog-view.tsx";
import { PromptInput, type PromptInputProps } from "../input/prompt-input.tsx";
import { usePromptStore } from "../input/use-prompt-store.ts";
import { InboxView } from "../runs/inbox-view.tsx";
import { RunView } from "../runs/run-view.tsx";
import { RunsView } from "../runs/runs-view.tsx";
import { Conversation } from "../transcript/conversation.tsx";
import { TranscriptView } from "../transcript/transcript-view.tsx";
import { useChat, useScreen, useTheme } from "../ui/ui-context.ts";
import type { MainView } from "../ui/ui-store.ts";
import { StatusLine } from "./status-line.tsx";
import { TitleLine } from "./title-line.tsx";
import { useAppKeys } from "./use-app-keys.ts";

/** The whole screen. */
export function App({ onSubmit }: Pick<PromptInputProps, "onSubmit">) {
  const { colors } = useTheme();
  const { asks } = useChat();
  const { view, dialog } = useScreen();
  const [ask] = asks;
  // Here, because it outlives the input.
  const prompt = usePromptStore();
  useAppKeys();
  return (
    <box flexDirection="column" width="100%" height="100%" backgroundColor={colors.background}>
      <TitleLine />
      <box height={1} flexShrink={0} />
      <View view={view} />
      {dialog === undefined ? undefined : <DialogView dialog={dialog} />}
      {ask === undefined ? undefined : <AskDialog key={ask.id} ask={ask} otherCount={asks.length - 1} />}
      {view.type === "chat" && ask === undefined && dialog === undefined ? (
        <PromptInput isFocused store={prompt} onSubmit={onSubmit} />
      ) : undefined}
      <StatusLine />
    </box>
  );
}

function View({ view }: { readonly view: MainView }) {
  switch (view.type) {
    case "chat":
      return <Conversation />;
    case "transcript":
      return <TranscriptView />;
    case "runs":
      return <RunsView />;
    case "run":
      return <RunView runId={view.runId} />;
    case "inbox":
      return <InboxView />;
  }
}

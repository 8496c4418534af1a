import { useState } from "react";
import type { ModelDisplayInfo, ReasoningEffort } from "../../contracts/index.ts";
import { formatCount, safeText } from "../../view/index.ts";
import type { ListedModel } from "../chat/chat-controller.ts";
import { useChat, useUi } from "../ui/ui-context.ts";
import { Picker, type PickerItem } from "./picker.tsx";
import { MessageDialog } from "./text-dialog.tsx";
import { useAttempt } from "./use-attempt.ts";
import { useLoaded } from "./use-loaded.ts";

/** The id of the effort that the agent chooses itself. */
const OWN_EFFORT = "default";

/** The agent's models, then the efforts that the chosen one supports. */
export function ModelDialog() {
  const { chat, ui } = useUi();
  const { agentType, modelName, effort } = useChat();
  const attempt = useAttempt();
  const loaded = useLoaded(async () => await chat.listModels());
  const [chosen, setChosen] = useState<ModelDisplayInfo | undefined>();
  const title = `Model of ${agentType}`;
  if (loaded.type === "loading") return <MessageDialog title={title} message="Loading the models …" />;
  if (loaded.type === "failed") return <MessageDialog title={title} message={safeText(loaded.message)} isError />;
  if (loaded.value.length === 0) return <MessageDialog title={title} message={`${agentType} reports no models.`} />;

  const apply = (model: string, next?: ReasoningEffort): void => attempt(() => chat.setModel(model, next));
  if (chosen === undefined) {
    const choose = (id: string): void => {
      const model = loaded.value.find(({ model: name }) => name === id);
      if ((model?.reasoningEfforts ?? []).length > 0) setChosen(model);
      else apply(id);
    };
    return (
      <Picker
        key="model"
        title={title}
        items={modelItems(loaded.value, modelName)}
        onChoose={choose}
        onCancel={() => ui.close()}
      />
    );
  }
  const efforts = chosen.reasoningEfforts ?? [];
  const isCurrentModel = chosen.model === modelName;
  const items: readonly PickerItem[] = [
    {
      id: OWN_EFFORT,
      label: OWN_EFFORT,
      detail: "the agent's own choice",
      isCurrent: isCurrentModel && effort === undefined,
    },
    ...efforts.map((name) => ({ id: name, label: name, isCurrent: isCurrentModel && effort === name })),
  ];
  return (
    <Picker
      key="effort"
      title={`Reasoning effort of ${chosen.displayName}`}
      items={items}
      onChoose={(id) =>
        apply(
          chosen.model,
          efforts.find((name) => name === id),
        )
      }
      onCancel={() => setChosen(undefined)}
    />
  );
}

/** The models by their names; the vendor's own spelling where it differs, and the size of the context window. */
export function modelItems(models: readonly ListedModel[], current: string | undefined): readonly PickerItem[] {
  return models.map(({ model, displayName, contextWindowTokens, isCurrent = model === current }) => ({
    id: model,
    label: displayName,
    detail: model === displayName ? undefined : model,
    right: contextWindowTokens === undefined ? undefined : formatCount(contextWindowTokens).replace(".0", ""),
    isCurrent,
  }));
}

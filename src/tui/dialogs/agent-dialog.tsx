import { useChat, useUi } from "../ui/ui-context.ts";
import { Picker } from "./picker.tsx";
import { useAttempt } from "./use-attempt.ts";

/** The agents that the user can change to. */
export function AgentDialog() {
  const { host, chat, ui } = useUi();
  const { agentType } = useChat();
  const attempt = useAttempt();
  const items = host.agentTypes.map((name) => ({ id: name, label: name, isCurrent: name === agentType }));
  const choose = (name: string): void => {
    if (name === agentType) ui.close();
    else attempt(() => chat.setAgent(name));
  };
  return <Picker title="Agent" items={items} onChoose={choose} onCancel={() => ui.close()} />;
}

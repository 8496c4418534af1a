export { smallestSchemaValue, UnsupportedSchemaError } from "../graph/index.ts";
export type { ModelReply, ModelScript, ModelToolCall, ModelUsage } from "./model-server/model-reply.ts";
export type { ModelMessage, ModelProtocol, ModelRequest } from "./model-server/model-request.ts";
export {
  type ConversationOptions,
  ScriptExhaustedError,
  scriptConversation,
} from "./model-server/script-conversation.ts";
export {
  type ModelServer,
  type ModelServerOptions,
  ModelServerStoppedError,
  startModelServer,
} from "./model-server/start-model-server.ts";
export { createScriptedAgent, type ScriptedAgent } from "./scripted-agent/create-scripted-agent.ts";
export type {
  AgentScript,
  ScriptedAction,
  ScriptedActionResult,
  ScriptedAgentOptions,
  ScriptedReply,
  ScriptedTurn,
  ScriptedTurnTools,
} from "./scripted-agent/scripted-turn.ts";

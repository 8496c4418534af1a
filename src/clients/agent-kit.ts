// The second face of the clients: what every client is built on, for the scripted agent of `testkit`, which is to behave
// as the real ones do. It loads no vendor's client.

export { missingCapability } from "./options/capabilities.ts";
export { assertNewSession, readClientConfig, type SessionOrigin } from "./options/read-client-config.ts";
export { PermissionGate } from "./policy/permission-gate.ts";
export { whyDenied } from "./policy/why-denied.ts";
export { AgentTurn } from "./turn/agent-turn.ts";
export { askQuestion } from "./turn/ask-question.ts";
export { collectReply, startReply } from "./turn/collect-reply.ts";
export { EventHub } from "./turn/event-hub.ts";
export { ForwardingClient } from "./turn/forwarding/forwarding-client.ts";
export { TurnRunner, type TurnTask } from "./turn/turn-runner.ts";

import { type AgentCapabilities, type AgentCapability, CapabilityMissingError } from "../../contracts/index.ts";

/** @throws CapabilityMissingError when the scripted agent was made without the capability */
export function requireCapability(capabilities: AgentCapabilities, capability: AgentCapability): void {
  if (!capabilities[capability]) throw new CapabilityMissingError("scripted", capability, []);
}

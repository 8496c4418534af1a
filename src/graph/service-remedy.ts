/** Where a run gets a service from, besides its own `services`. Skills and commands can only be passed. */
const OTHER_WAYS: Readonly<Record<string, string>> = {
  agents: ", or register the agent with getSubagentRegistry()",
  tools: ", or register the tool with getToolRegistry()",
  commands: "",
  skills: "",
};

/** Where a run gets a service from that it lacks, in half a sentence. */
export function serviceRemedy(service: string): string {
  return `Pass it in the run's "services"${OTHER_WAYS[service] ?? ", or run the workflow with the atomic command"}`;
}

/** Where a run gets a service from that it lacks, in half a sentence. Skills and commands can only be passed. */
export function serviceRemedy(service: string): string {
  const remedy = `Pass it in the run's "services"`;
  switch (service) {
    case "agents":
      return `${remedy}, or register the agent with getSubagentRegistry()`;
    case "tools":
      return `${remedy}, or register the tool with getToolRegistry()`;
    case "commands":
    case "skills":
      return remedy;
    default:
      return `${remedy}, or run the workflow with the atomic command`;
  }
}

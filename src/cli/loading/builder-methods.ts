import { GraphBuilder } from "../../graph/index.ts";

/** The methods that a workflow file calls to write its graph down, for suggestions. */
export const BUILDER_METHODS: readonly string[] = Object.getOwnPropertyNames(GraphBuilder.prototype).filter(
  (name) => name !== "constructor",
);

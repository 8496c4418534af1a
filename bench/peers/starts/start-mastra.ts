import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";

const schemas = { inputSchema: z.any(), outputSchema: z.any() };
const add = createStep({ ...schemas, id: "add", execute: async () => 1 });
const workflow = createWorkflow({ ...schemas, id: "work" })
  .then(add)
  .commit();
const run = await workflow.createRun();
const ended = await run.start({ inputData: 0 });
if (ended.status !== "success" || ended.result !== 1) throw new Error(`The run ended ${ended.status}.`);

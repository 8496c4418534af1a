// One turn with Copilot through its SDK alone, as a command: one-turn.ts MODEL_URL FOLDER. The runtime that comes with the
// SDK has no command of its own for a single prompt.
import { join } from "node:path";
import { startDirectCopilot } from "./direct-copilot.ts";

const [modelUrl = "", folder = ""] = process.argv.slice(2);
const driver = await startDirectCopilot({
  modelUrl,
  homeFolder: join(folder, "home"),
  workFolder: join(folder, "work"),
  searchPath: process.env.PATH ?? "",
});
let answer = "";
await driver.send("Say hi.", (text) => {
  answer += text;
});
console.log(answer);
await driver.stop();
process.exit(0);

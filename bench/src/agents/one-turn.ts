// One turn with an agent through its vendor's SDK alone, as a command: one-turn.ts AGENT MODEL_URL FOLDER.
import { join } from "node:path";

const [agent = "", modelUrl = "", folder = ""] = process.argv.slice(2);
const setup = {
  modelUrl,
  homeFolder: join(folder, "home"),
  workFolder: join(folder, "work"),
  searchPath: process.env.PATH ?? "",
};
// Each loads its own SDK only.
const driver =
  agent === "claude"
    ? await (await import("./direct-claude.ts")).startDirectClaude(setup)
    : await (await import("./direct-copilot.ts")).startDirectCopilot(setup);
let answer = "";
await driver.send("Say hi.", (text) => {
  answer += text;
});
console.log(answer);
await driver.stop();
process.exit(0);

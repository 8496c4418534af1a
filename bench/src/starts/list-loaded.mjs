// Preloaded with --import: prints what a program has loaded, its own file left out, as a line of JSON when it ends. Plain
// JavaScript, because it must run before anything is bundled; needs a Node with module.registerHooks().
import { registerHooks } from "node:module";

const urls = new Set();
registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith("file:") && context.format === "module") urls.add(url);
    return nextLoad(url, context);
  },
});
process.on("exit", () => {
  // The first one is the program itself.
  console.log(JSON.stringify([...urls].slice(1)));
});

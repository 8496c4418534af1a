import { expect, test } from "bun:test";
import { parseClaudeScript } from "./claude-scripts.ts";

test.each([
  { text: 'await agent("a"); await parallel([() => agent("b")]);', maxAgents: 2 },
  { text: 'const go = agent; await agent("a"); await go("b");', maxAgents: undefined },
  { text: 'await agent("a"); await ["b", "c"].map(agent);', maxAgents: undefined },
  { text: 'const all = { agent }; await agent("a"); await all.agent("b");', maxAgents: undefined },
  {
    text: 'async function parallel(works) { await works[0](); } await parallel([() => agent("a")]);',
    maxAgents: undefined,
  },
  { text: 'await agent("a"); await workflow("b");', maxAgents: undefined },
  { text: "const about = { agent: 1 }; await agent(String(about.agent));", maxAgents: 1 },
  { text: 'await parallel([() => agent("a"), async () => agent("b")]);', maxAgents: 2 },
  { text: 'const files = ["a", "b"]; await parallel(files.map((f) => () => agent(f)));', maxAgents: 2 },
  { text: 'const files = ["a"]; await parallel(files.map((f) => { log(f); return () => agent(f); }));', maxAgents: 1 },
  {
    text: 'const files = ["a", "b"]; await parallel([...files.map((f) => () => agent(f)), () => agent("c")]);',
    maxAgents: 3,
  },
  { text: 'await Promise.all(["a", "b", "c"].map(async (f) => agent(f)));', maxAgents: 3 },
  {
    text: 'await pipeline(["a", "b"], (f) => agent(f), (r) => parallel([() => agent(r), () => agent(r)]));',
    maxAgents: 6,
  },
  {
    text: 'const files = ["a"]; log(`${files} ${files.length}`); await pipeline(files, (f) => agent(f));',
    maxAgents: 1,
  },
  { text: "await pipeline(args, (f) => agent(f));", maxAgents: undefined },
  { text: 'await pipeline(["a", ...args], (f) => agent(f));', maxAgents: undefined },
  { text: 'for (const f of ["a", "b"]) await agent(f);', maxAgents: undefined },
  { text: 'for (;;) await parallel(["a"].map((f) => () => agent(f)));', maxAgents: undefined },
  { text: 'let files = ["a"]; files = args; await pipeline(files, (f) => agent(f));', maxAgents: undefined },
  { text: 'const files = ["a"]; files.push("b"); await pipeline(files, (f) => agent(f));', maxAgents: undefined },
  { text: 'const files = ["a"]; files.length = 9; await pipeline(files, (f) => agent(f));', maxAgents: undefined },
  { text: 'const files = ["a"]; files[1] = "b"; await pipeline(files, (f) => agent(f));', maxAgents: undefined },
  { text: 'const files = ["a"]; const all = { files }; await pipeline(files, (f) => agent(f));', maxAgents: undefined },
  {
    text: 'const f = ["a"]; f.map((x, i, all) => all.push(x)); await pipeline(f, (x) => agent(x));',
    maxAgents: undefined,
  },
  { text: 'const f = ["a"]; { const f = args; await pipeline(f, (x) => agent(x)); }', maxAgents: undefined },
  {
    text: 'const f = ["a"]; const go = async (f) => pipeline(f, (x) => agent(x)); await go(args);',
    maxAgents: undefined,
  },
  { text: 'const [files] = [["a"], args]; await pipeline(files, (f) => agent(f));', maxAgents: undefined },
  { text: 'const works = ["a"].map((f) => () => agent(f)); for (;;) await parallel(works);', maxAgents: undefined },
  { text: 'await parallel([async function go() { await agent("a"); await go(); }]);', maxAgents: undefined },
  { text: 'await globalThis.agent("a"); await agent("b");', maxAgents: undefined },
  { text: 'Array.prototype.map = () => []; await agent("b");', maxAgents: undefined },
  { text: "const pipe = pipeline; await pipe(args, agent);", maxAgents: undefined },
  {
    text: 'const pipeline = async (all, work) => work(await work()); await pipeline(["a"], () => agent("a"));',
    maxAgents: undefined,
  },
])("the number of agents is known only where the text shows every call: $text", async ({ text, maxAgents }) => {
  const { body } = await parseClaudeScript("/p/a.js", `export const meta = { name: "a" };\n${text}`);
  expect(body?.outline.maxAgents).toBe(maxAgents);
});

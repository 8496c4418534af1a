/**
 * What a function of the state threw, with what to write instead where it took the state for the context of a node:
 * `(ctx) => ctx.state.ok`. Only JavaScriptCore, Bun's engine, tells what was evaluated.
 */
export function explainStateHabit(error: unknown, state: object): unknown {
  if (!(error instanceof TypeError) || "state" in state) return error;
  // Bun 1.4.5 prints "undefined is not an object (evaluating 'ctx.state.ok')" and has no field for it. V8 prints only the key.
  const read = /\(evaluating '(?:[\w$]+\.)?state\.([\w$]+)/.exec(error.message);
  if (read === null) return error;
  const text = `${error.message}. The function is given the state itself, not a context: write (state) => state.${read[1]}`;
  // With the place of the author's code.
  return Object.assign(new TypeError(text), { stack: error.stack });
}

/**
 * An error of a function of the state. If the function took the state for a node's context, as in `(ctx) => ctx.state.ok`,
 * the message says what to write instead. Only JavaScriptCore, Bun's engine, reports the evaluated expression.
 */
export function explainStateHabit(error: unknown, state: object): unknown {
  if (!(error instanceof TypeError) || "state" in state) return error;
  // Bun 1.4.5 prints "undefined is not an object (evaluating 'ctx.state.ok')" and has no field for it. V8 prints only the key.
  const read = /\(evaluating '(?:[\w$]+\.)?state\.([\w$]+)/.exec(error.message);
  if (read === null) return error;
  const text = `${error.message}. The function is given the state itself, not a context: write (state) => state.${read[1]}`;
  // Keeps the location in the author's code.
  return Object.assign(new TypeError(text), { stack: error.stack });
}

import type { Node } from "acorn";
import { identifierOf, isPropertyName, nodeIn, nodesIn, type PlacedNode } from "./walk-script.ts";

/** The lengths of the constants that are lists of a script's text, by name. */
export type ListLengths = ReadonlyMap<string, number>;

const LOOPS: ReadonlySet<string> = new Set([
  ...["ForStatement", "ForOfStatement", "ForInStatement", "WhileStatement", "DoWhileStatement"],
]);

/** Methods that call a function once for each element. */
const EACH: ReadonlySet<string> = new Set(["map", "flatMap", "forEach"]);

/** Methods that leave their list as it is, and return no reference to it. */
const READS: ReadonlySet<string> = new Set([...EACH, "join", "includes", "indexOf", "slice", "concat", "at"]);

/**
 * How often the code at a place runs at most: a number only where the text shows it. Code in functions counts where these are
 * branches of `parallel`, stages of a `pipeline`, or what `map` does with the elements of a literal list.
 *
 * @returns undefined in a loop, and in a function that may be called any number of times
 */
export function countCalls(placed: PlacedNode, lists: ListLengths): number | undefined {
  let count = 1;
  for (let current = placed.around; current !== undefined; current = current.around) {
    const { type } = current.node;
    if (LOOPS.has(type)) return undefined;
    if (!type.includes("Function")) continue;
    // Another function may call itself.
    const times = type === "ArrowFunctionExpression" ? callsOf(current, lists) : undefined;
    if (times === undefined) return undefined;
    count *= times;
  }
  return count;
}

/** Finds the constants of a script that are literal lists and stay as long as they are written. */
export function findListLengths(placed: readonly PlacedNode[]): ListLengths {
  const lengths = new Map<string, number>();
  const unclear = new Set<string>();
  for (const one of placed) {
    const name = identifierOf(one.node);
    if (name === undefined || isNameOnly(one)) continue;
    const length = declaredLength(one);
    if (length !== undefined && !lengths.has(name)) lengths.set(name, length);
    else if (length !== undefined || !isRead(one)) unclear.add(name);
  }
  for (const name of unclear) lengths.delete(name);
  return lengths;
}

/** How often a function is called by what it is passed to. */
function callsOf(arrow: PlacedNode, lists: ListLengths): number | undefined {
  const { around } = arrow;
  if (around?.node.type === "ArrayExpression") return isListOf("parallel", around) ? 1 : undefined;
  if (around?.node.type === "CallExpression") return callsByArgument(arrow, around, lists);
  // The function that a function of `map` returns, in the list of a parallel().
  const mapper = returningFunction(arrow);
  const map = mapper?.around;
  if (mapper === undefined || map === undefined || eachElement(mapper, map, lists) === undefined) return undefined;
  return isListOf("parallel", map) || (isSpread(map) && isListOf("parallel", map.around?.around)) ? 1 : undefined;
}

function callsByArgument(arrow: PlacedNode, call: PlacedNode, lists: ListLengths): number | undefined {
  const [list, ...stages] = nodesIn(call.node, "arguments");
  if (identifierOf(nodeIn(call.node, "callee")) !== "pipeline") return eachElement(arrow, call, lists);
  return stages.includes(arrow.node) ? lengthOf(list, lists) : undefined;
}

/** The length of the list whose method a call is, where that passes each element to the function. */
function eachElement({ node }: PlacedNode, call: PlacedNode, lists: ListLengths): number | undefined {
  if (call.node.type !== "CallExpression" || nodesIn(call.node, "arguments")[0] !== node) return undefined;
  const callee = nodeIn(call.node, "callee");
  const isEach = callee?.type === "MemberExpression" && EACH.has(methodOf(callee) ?? "");
  return isEach ? lengthOf(nodeIn(callee, "object"), lists) : undefined;
}

/** The function that returns this one, as its whole body or in a `return`. */
function returningFunction({ around, field }: PlacedNode): PlacedNode | undefined {
  if (around?.node.type === "ArrowFunctionExpression") return field === "body" ? around : undefined;
  if (around?.node.type !== "ReturnStatement") return undefined;
  let current: PlacedNode | undefined = around;
  while (current !== undefined && !current.node.type.includes("Function")) current = current.around;
  // The promise of a function is no function.
  return current?.node.type === "ArrowFunctionExpression" ? current : undefined;
}

/** Whether an expression is the list that a call of this function takes. */
function isListOf(name: string, list: PlacedNode | undefined): boolean {
  const call = list?.around?.node;
  if (call?.type !== "CallExpression" || identifierOf(nodeIn(call, "callee")) !== name) return false;
  return nodesIn(call, "arguments")[0] === list?.node;
}

function isSpread({ around }: PlacedNode): boolean {
  return around?.node.type === "SpreadElement" && around.around?.node.type === "ArrayExpression";
}

function lengthOf(list: Node | undefined, lists: ListLengths): number | undefined {
  return literalLength(list) ?? lists.get(identifierOf(list) ?? "");
}

function literalLength(list: Node | undefined): number | undefined {
  if (list?.type !== "ArrayExpression") return undefined;
  const elements = nodesIn(list, "elements");
  return elements.some(({ type }) => type === "SpreadElement") ? undefined : elements.length;
}

/** The length of the list that a declaration of a constant has. */
function declaredLength({ around, field }: PlacedNode): number | undefined {
  if (around?.node.type !== "VariableDeclarator" || field !== "id") return undefined;
  const declaration = around.around?.node;
  const isConstant = declaration !== undefined && "kind" in declaration && declaration.kind === "const";
  return isConstant ? literalLength(nodeIn(around.node, "init")) : undefined;
}

/** Whether an identifier names a property. That of `{ name }` is also a variable. */
function isNameOnly(placed: PlacedNode): boolean {
  const { node } = placed.around ?? placed;
  return isPropertyName(placed) && !("shorthand" in node && node.shorthand === true);
}

/** Whether a list is read here in a way that cannot change it. */
function isRead({ node, around, field }: PlacedNode): boolean {
  if (around === undefined) return false;
  const { node: user } = around;
  if (user.type === "TemplateLiteral" || user.type === "SpreadElement") return true;
  if (user.type === "ForOfStatement") return field === "right";
  if (user.type === "CallExpression") {
    return identifierOf(nodeIn(user, "callee")) === "pipeline" && nodesIn(user, "arguments")[0] === node;
  }
  if (user.type !== "MemberExpression" || field !== "object") return false;
  const method = methodOf(user);
  const call = around.around?.node;
  if (method === undefined || call === undefined) return false;
  if (call.type !== "CallExpression" || nodeIn(call, "callee") !== user) {
    return method === "length" && call.type !== "AssignmentExpression" && call.type !== "UpdateExpression";
  }
  // The third value that a function of `map` gets is the list itself.
  return READS.has(method) && (!EACH.has(method) || takesElements(nodesIn(call, "arguments")));
}

function takesElements(passed: readonly Node[]): boolean {
  const [mapper] = passed;
  if (mapper?.type !== "ArrowFunctionExpression") return false;
  const parameters = nodesIn(mapper, "params");
  return parameters.length <= 2 && parameters.every(({ type }) => type !== "RestElement");
}

function methodOf(member: Node): string | undefined {
  const isComputed = "computed" in member && member.computed === true;
  return isComputed ? undefined : identifierOf(nodeIn(member, "property"));
}

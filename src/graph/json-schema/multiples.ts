/** The smallest number that is a multiple of both steps; NaN when it cannot be determined exactly. */
export function leastCommonMultiple(left: number, right: number): number {
  const scale = 10 ** Math.max(decimalsOf(left), decimalsOf(right));
  const [first, second] = [Math.round(left * scale), Math.round(right * scale)];
  const multiple = (first / greatestCommonDivisor(first, second)) * second;
  return Number.isSafeInteger(multiple) ? multiple / scale : Number.NaN;
}

/** A multiple of a step without rounding errors of binary fractions: three times 0.1 is 0.3. */
export function multiplyStep(step: number, count: number): number {
  return Number((step * count).toFixed(Math.min(decimalsOf(step), 100)));
}

function greatestCommonDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestCommonDivisor(right, left % right);
}

/** The number of decimals in a number's notation. */
function decimalsOf(value: number): number {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const decimals = mantissa.split(".")[1]?.length ?? 0;
  return Math.max(0, decimals - Number(exponent));
}

import type { RiskyArguments, RiskyProgram } from "../programs/risky-program.ts";
import type { ShellWord } from "../shell/shell-line.ts";
import { mayBeOption } from "../shell/simple-command.ts";
import { type CommandRisk, riskOf, UNKNOWN } from "./command-risk.ts";

type ArgumentRules = RiskyArguments & Pick<RiskyProgram, "stopsAtScript" | "hasBareOptions">;

/** Reads the arguments of one program, or subcommand, in order. */
export class ArgumentReader {
  readonly #name: string;
  readonly #rules: ArgumentRules;
  readonly #options: readonly (readonly [string, string])[];
  /** The table has long options with one dash. */
  readonly #hasWords: boolean;

  constructor(name: string, rules: ArgumentRules) {
    this.#name = name;
    this.#rules = rules;
    this.#options = Object.entries(rules.options ?? {});
    this.#hasWords = this.#options.some(([option]) => /^-[^-]./.test(option));
  }

  read(words: readonly ShellWord[]): readonly CommandRisk[] {
    const { everything, operands, commands, settings } = this.#rules;
    if (everything !== undefined) return this.#readEverything(words, everything);
    if (this.#options.length === 0 && operands === undefined && commands === undefined && settings === undefined)
      return [];
    const risks: CommandRisk[] = [];
    const { stopsAtScript = false, hasBareOptions = false, groups } = this.#rules;
    let isCommand = true;
    for (const [index, word] of words.entries()) {
      const isBehindOption = words[index - 1]?.value.startsWith("-") ?? false;
      if (word.value === "--" && word.isLiteral && !isBehindOption && (commands === undefined || !isCommand)) {
        risks.push(...words.slice(index + 1).flatMap((operand) => this.#operandRisk(operand, false)));
        break;
      }
      if (index === 0 && hasBareOptions && !word.value.startsWith("-"))
        risks.push(...this.#clusterRisk(word, `-${word.value}`, ""));
      if (mayBeOption(word)) {
        risks.push(...this.#optionRisk(word, words[index + 1]));
        if (operands?.isWithinOptions) risks.push(...this.#operandRisk(word, false));
      } else {
        const isExempt = index === 0 && this.#isExempt(words);
        if (!isExempt) risks.push(...this.#operandRisk(word, isCommand));
        if (!isBehindOption && groups?.test(word.value) !== true) isCommand = false;
        if (stopsAtScript && !isBehindOption) return risks;
      }
    }
    return stopsAtScript ? [...risks, ...this.#standardInputRisk(words)] : risks;
  }

  /** An interpreter without a script, or with `-`, takes its code from the standard input. */
  #standardInputRisk(words: readonly ShellWord[]): readonly CommandRisk[] {
    const last = words.at(-1);
    const isQuery = words.every(({ value }) => /^(?:-[vVh]|--version|--help|--test|--list)$/.test(value));
    const hasScript = words.some(({ value, isLiteral }) => isLiteral && !/^-|^\/(?:dev|proc)\//.test(value));
    if (last === undefined || isQuery || hasScript) return [];
    return [riskOf(last, this.#name, "without a script it runs the code of its standard input")];
  }

  #readEverything(
    words: readonly ShellWord[],
    { reason, exempt }: NonNullable<RiskyArguments["everything"]>,
  ): readonly CommandRisk[] {
    const text = words.map(({ value, raw, isLiteral }) => (isLiteral ? value : raw)).join(" ");
    if (words.length === 0 || (exempt?.test(text) && words.every((word) => word.isLiteral || !mayBeOption(word))))
      return [];
    return words.map((word) => riskOf(word, this.#name, reason));
  }

  #operandRisk(word: ShellWord, isCommand: boolean): readonly CommandRisk[] {
    const { operands, commands } = this.#rules;
    if (operands?.pattern.test(word.value)) return [riskOf(word, this.#name, operands.reason)];
    if (this.#rules.stopsAtScript === true && /^\/(?:dev|proc)\//.test(word.value)) {
      return [riskOf(word, this.#name, "it runs code that another program passes on")];
    }
    if (!isCommand || commands === undefined) return [];
    if (!word.isLiteral) return [riskOf(word, this.#name, UNKNOWN)];
    return commands.pattern.test(word.value) ? [riskOf(word, this.#name, commands.reason)] : [];
  }

  /** Whether the subcommand, the first word, is harmless with all that follows it. */
  #isExempt(words: readonly ShellWord[]): boolean {
    const { exempt } = this.#rules.commands ?? {};
    if (exempt === undefined || !words.every(({ isLiteral }) => isLiteral)) return false;
    return exempt.test(words.map(({ value }) => value).join(" "));
  }

  #optionRisk(word: ShellWord, next: ShellWord | undefined): readonly CommandRisk[] {
    const { value, isLiteral } = word;
    const setting = this.#settingRisk(word, next);
    if (setting !== undefined) return setting;
    const { hasOnlyWords = false, valued = "" } = this.#rules;
    if (hasOnlyWords && word.isGlob) return this.#globRisk(word);
    if (!isLiteral && !this.#isNamed(word)) return [riskOf(word, this.#name, UNKNOWN)];
    if (this.#isHarmless(word)) return [];
    const risks = value.startsWith("--") || this.#hasWords ? this.#longRisk(word) : [];
    if (risks.length > 0 || value.startsWith("--") || hasOnlyWords) return risks;
    return this.#clusterRisk(word, value, valued);
  }

  /** An option that has the prefix of one in the table but is another. */
  #isHarmless({ value }: ShellWord): boolean {
    return this.#rules.harmless?.includes(/^[^=]*/.exec(value)?.[0] ?? "") === true;
  }

  /** Whether the name of the option is literal, though its value is not. */
  #isNamed({ value, literalLength, mayDivide }: ShellWord): boolean {
    if (mayDivide) return false;
    const name = value.slice(0, literalLength);
    return (
      /^--[A-Za-z0-9-]+=/.test(name) ||
      (/^-[A-Za-z0-9]/.test(name) && (this.#rules.valued ?? "").includes(name.charAt(1)))
    );
  }

  #longRisk(word: ShellWord): readonly CommandRisk[] {
    const { hasAbbreviatedWords = false } = this.#rules;
    const [name = "", separator = "="] = /^([^=:]*)([=:]?)/.exec(word.value)?.slice(1) ?? [];
    const read = withDashes(name);
    const found = this.#options.find(([key]) => {
      const option = withDashes(key);
      if (option === read || (this.#hasWords && `-${option}` === read)) return true;
      if (option.startsWith("--")) return read.length > 2 && option.startsWith(read);
      if (!this.#hasWords) return false;
      if (option.length > 2) return hasAbbreviatedWords && read.length > 2 && option.startsWith(read);
      return /^-[A-Z]/.test(option) && read.startsWith(option);
    });
    return found === undefined ? [] : [this.#leadingRisk(word, `${name}${separator}`, found[1])];
  }

  /** An option with its value in the same word: a rule has to spell out the option only. */
  #leadingRisk(word: ShellWord, option: string, reason: string): CommandRisk {
    const risk = riskOf(word, this.#name, reason);
    return word.raw.startsWith(option) ? { ...risk, end: word.start + option.length, text: option } : risk;
  }

  /** `letters` begin with a dash. */
  #clusterRisk(word: ShellWord, letters: string, valued: string): readonly CommandRisk[] {
    let read = "-";
    for (const letter of letters.slice(1)) {
      read += letter;
      const found = this.#options.find(([option]) => option === `-${letter}`);
      if (found !== undefined) return [this.#leadingRisk(word, read, found[1])];
      if (valued.includes(letter)) return [];
    }
    return [];
  }

  /** A glob among exact words is harmless when it matches none of them. */
  #globRisk(word: ShellWord): readonly CommandRisk[] {
    const tail = /[^*?]*$/.exec(word.value)?.[0] ?? "";
    const matches = tail === "" || this.#options.some(([option]) => option.endsWith(tail));
    return matches ? [riskOf(word, this.#name, UNKNOWN)] : [];
  }

  /** Undefined when the word is not an option that sets something by name. */
  #settingRisk(word: ShellWord, next: ShellWord | undefined): readonly CommandRisk[] | undefined {
    const { settings } = this.#rules;
    if (settings === undefined || !word.isLiteral) return undefined;
    const equals = `${word.value}=`.indexOf("=");
    const name = word.value.slice(0, equals);
    const long = settings.options.find((one) => one.startsWith("--") && name.length > 3 && one.startsWith(name));
    const { hasOnlyWords = false } = this.#rules;
    const short = settings.options.find(
      (one) =>
        !one.startsWith("--") && (hasOnlyWords ? one === name || `-${one}` === name : word.value.startsWith(one)),
    );
    const option = long ?? short ?? (hasOnlyWords ? undefined : this.#joinedSetting(word.value));
    if (option === undefined) return undefined;
    const glued =
      long === undefined ? word.value.slice(word.value.indexOf(option.slice(-1)) + 1) : word.value.slice(equals + 1);
    const setting = glued === "" ? next : undefined;
    const known = setting === undefined ? glued : setting.value.slice(0, setting.literalLength);
    const set = settings.isValue ? known : (known.split(/[=\s]/)[0] ?? "");
    const isWhole = setting === undefined || setting.isLiteral || (settings.isValue !== true && known.includes("="));
    const isOneLine = !glued.includes("\n") && !next?.value.includes("\n");
    if (isWhole && isOneLine && settings.harmless.test(set)) return [];
    const { start } = word;
    if (setting === undefined) return [riskOf(word, this.#name, settings.reason)];
    return [
      { ...riskOf(word, this.#name, settings.reason), start, text: `${word.raw} ${setting.raw}` },
      riskOf(setting, this.#name, settings.reason),
    ];
  }

  /** A short option that sets something, after others in the same word. */
  #joinedSetting(value: string): string | undefined {
    if (!/^-[^-]/.test(value)) return undefined;
    for (const letter of value.slice(1)) {
      if (this.#rules.settings?.options.includes(`-${letter}`)) return `-${letter}`;
      if (this.#options.some(([option]) => option === `-${letter}`)) return undefined;
      if (this.#rules.valued?.includes(letter)) return undefined;
    }
    return undefined;
  }
}

/** Some programs read `_` in the name of an option as `-`. */
function withDashes(name: string): string {
  return name.replaceAll("_", "-");
}

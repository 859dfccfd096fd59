let loaded: Promise<ReadonlySet<string>> | undefined;
/** 49,233 passwords of leaked lists in lower case. They take 26 MB, so a process loads them when one is chosen. */
const commonPasswords = (): Promise<ReadonlySet<string>> =>
  (loaded ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
    (error: unknown) => {
      loaded = undefined;
      throw error;
    },
  ));

/** Shorter parts say nothing about the whole. */
const PART_LENGTH_MIN = 4;

/**
 * Returns whether a password is a commonly used one in any letter case, also repeated, and also with digits or signs before
 * or behind it, as in `Sunshine-2026!`: attackers try these first.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  const common = await commonPasswords();
  const text = password.toLowerCase();
  const letters = withoutAffixes(text);
  return [text, repeatedPart(text), letters, repeatedPart(letters)].some(
    (part) => part.length >= PART_LENGTH_MIN && common.has(part),
  );
}

const isLetter = (character: string | undefined): boolean => character !== undefined && /\p{L}/u.test(character);

/** Returns what lies between the first and the last letter. */
function withoutAffixes(text: string): string {
  const characters = Array.from(text);
  return characters.slice(characters.findIndex(isLetter), characters.findLastIndex(isLetter) + 1).join('');
}

/** Returns the shortest part of which a text is a repetition: the text itself when it is none. */
function repeatedPart(text: string): string {
  for (let length = 1; length <= text.length / 2; length++) {
    const part = text.slice(0, length);
    if (text.length % length === 0 && part.repeat(text.length / length) === text) return part;
  }
  return text;
}

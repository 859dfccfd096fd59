/**
 * Characters that change how text around them is read, or that show nothing: controls, format characters such as marks of
 * direction and zero-width ones, line separators, and halves of pairs. Tab and line feed are left to the styles.
 */
const INVISIBLE = /(?![\t\n])\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Cs}/gu;

/** Text of a merchant or receiver with every invisible character named, as in `abc[U+202E]fdp`. */
export function visibleText(text: string): string {
  return text.replaceAll(INVISIBLE, (char) => {
    const point = char.codePointAt(0) ?? 0;
    return `[U+${point.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}

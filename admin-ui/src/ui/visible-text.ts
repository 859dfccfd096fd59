/**
 * Characters that change how text around them is read, or that show nothing: controls, marks of direction, zero-width
 * ones, and halves of pairs. Tab and line feed are left to the styles.
 */
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Text of a merchant or receiver with every invisible character named, as in `abc[U+202E]fdp`. */
export function visibleText(text: string): string {
  return text.replaceAll(INVISIBLE, (char) => `[U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`);
}

import { visibleText } from '../../admin-ui/src/ui/visible-text.js';

describe('text of merchants, payers and receivers in the console', () => {
  it.each([
    ['a mark of direction', 'abc\u202efdp.exe', 'abc[U+202E]fdp.exe'],
    ['an isolate', '\u2066x\u2069', '[U+2066]x[U+2069]'],
    ['NUL and other controls', 'a\u0000b\u001bc', 'a[U+0000]b[U+001B]c'],
    ['zero-width characters', 'pay\u200bpal', 'pay[U+200B]pal'],
    ['half of a pair', 'x\ud83dy', 'x[U+D83D]y'],
  ])('has %s shown by name', (_what, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });

  it.each(['<img src=x onerror=alert(1)>', 'नमस्ते', 'مرحبا', '😀', 'two\nlines\tand a tab'])(
    'is left as it is otherwise: %p',
    (text) => {
      expect(visibleText(text)).toBe(text);
    },
  );
});

import * as fc from 'fast-check';
import { hasForbiddenText } from './text.js';

describe('hasForbiddenText', () => {
  it.each(['a\0b', '\0', '\ud800', 'x\udc00', '\udc00\ud800', '\ud83d \ude00'])('[A-6] finds it in %j', (text) => {
    expect(hasForbiddenText(text)).toBe(true);
  });

  it.each(['', 'plain', "'; DROP TABLE intent;--", '\u202eright to left', '😀', '\ufeff', '\u0001\n\t'])(
    '[A-6] lets %j pass',
    (text) => {
      expect(hasForbiddenText(text)).toBe(false);
    },
  );

  it('[A-6] accepts exactly the texts that survive UTF-8 and have no NUL', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) }), (text) => {
        const survives = Buffer.from(text, 'utf8').toString('utf8') === text && !text.includes('\0');
        expect(hasForbiddenText(text)).toBe(!survives);
      }),
    );
  });
});

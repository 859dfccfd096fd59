import { inspect } from 'node:util';
import { SecretBox, SecretBoxError, type SecretPlace } from './secret-box.js';

const KEY = '0123456789abcdef'.repeat(4);
const PLACE: SecretPlace = { purpose: 'webhook-secret', rowId: 'we_1' };

describe('SecretBox', () => {
  const box = new SecretBox(KEY);

  it('opens its boxes, byte for byte, and never seals the same secret to the same bytes', () => {
    const secret = Buffer.from([0, 255, 10, 13, 128]);
    const sealed = box.seal(PLACE, secret);
    expect(box.open(PLACE, sealed)).toEqual(secret);
    expect(box.seal(PLACE, secret)).not.toEqual(sealed);
    expect(box.open(PLACE, box.seal(PLACE, '')).length).toBe(0);
    expect(sealed.length).toBe(1 + 12 + 16 + secret.length);
    expect(sealed[0]).toBe(1);
  });

  it('refuses a box with any bit changed, and one cut at any length', () => {
    const sealed = box.seal(PLACE, 'whsec_secret');
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => box.open(PLACE, changed)).toThrow(SecretBoxError);
      expect(() => box.open(PLACE, sealed.subarray(0, index))).toThrow(SecretBoxError);
    }
  });

  it('refuses a box of another row, of another purpose and of another key', () => {
    const sealed = box.seal(PLACE, 'whsec_secret');
    expect(() => box.open({ ...PLACE, rowId: 'we_2' }, sealed)).toThrow(SecretBoxError);
    expect(() => box.open({ ...PLACE, purpose: 'idempotent-answer' }, sealed)).toThrow(SecretBoxError);
    expect(() => new SecretBox('f'.repeat(64)).open(PLACE, sealed)).toThrow(SecretBoxError);
  });

  it('refuses a key of another length, and does not show its key when it is printed', () => {
    for (const key of ['', KEY.slice(2), `${KEY}00`, 'z'.repeat(64)])
      expect(() => new SecretBox(key)).toThrow(/32 bytes/);
    expect(inspect(box, { showHidden: true, depth: 5 }) + JSON.stringify(box)).not.toMatch(/0123456789abcdef|01 23 45/);
  });

  it('opens boxes of the previous key too, and seals nothing under it [L-157]', () => {
    const [before, after] = [new SecretBox('f'.repeat(64)), new SecretBox(KEY, 'f'.repeat(64))];
    const old = before.seal(PLACE, 'whsec_secret');
    expect(after.open(PLACE, old).toString()).toBe('whsec_secret');
    expect(() => box.open(PLACE, old)).toThrow(SecretBoxError);
    expect(() => before.open(PLACE, after.seal(PLACE, 'whsec_secret'))).toThrow(SecretBoxError);
    const renewed = after.renewed(PLACE, old);
    expect(box.open(PLACE, renewed).toString()).toBe('whsec_secret');
    expect(after.renewed(PLACE, renewed)).toBe(renewed);
    expect(() => after.renewed({ ...PLACE, rowId: 'we_2' }, old)).toThrow(SecretBoxError);
    expect(() => new SecretBox(KEY, 'f')).toThrow(/32 bytes/);
  });
});

import { SecretBox, type SecretPlace } from './secret-box.js';
import { renewSecrets, type SealedRow, type SealedRows } from './secret-renewal.js';

const [OLD, NEW, OTHER] = ['0a'.repeat(32), '0b'.repeat(32), '0c'.repeat(32)];

/** Rows in memory, ten at a time; a read or a replacement can be made to fail, like a kill. */
class Shelf implements SealedRows<SealedRow> {
  constructor(
    public rows: SealedRow[],
    private replacedMax = Infinity,
  ) {}

  read(after: SealedRow | null): Promise<readonly SealedRow[]> {
    const start = after === null ? 0 : this.rows.findIndex(({ place }) => place.rowId === after.place.rowId) + 1;
    return Promise.resolve(this.rows.slice(start, start + 10));
  }

  replace(row: SealedRow, boxes: readonly Buffer[]): Promise<boolean> {
    if (this.replacedMax-- === 0) return Promise.reject(new Error('killed'));
    this.rows = this.rows.map((known) => (known === row ? { ...row, boxes } : known));
    return Promise.resolve(true);
  }
}

const placeOf = (n: number): SecretPlace => ({ purpose: 'webhook-secret', rowId: `we_${n}` });
const secretsOf = (n: number): string[] => [`whsec_${n}`, `whsec_before_${n}`];

function sealedUnder(key: string, count: number): SealedRow[] {
  const box = new SecretBox(key);
  return Array.from({ length: count }, (_, n) => ({
    place: placeOf(n),
    boxes: secretsOf(n).map((secret) => box.seal(placeOf(n), secret)),
  }));
}

const openedBy = (box: SecretBox, rows: readonly SealedRow[]): string[][] =>
  rows.map(({ place, boxes }) => boxes.map((sealed) => box.open(place, sealed).toString()));

describe('the renewal of secrets', () => {
  it('that is interrupted anywhere leaves all secrets readable with both keys, and another run completes it [L-157]', async () => {
    const both = new SecretBox(NEW, OLD);
    const expected = Array.from({ length: 25 }, (_, n) => secretsOf(n));
    for (const replaced of [0, 1, 9, 10, 11, 24]) {
      const shelf = new Shelf(sealedUnder(OLD, 25), replaced);
      await expect(renewSecrets(both, shelf)).rejects.toThrow('killed');
      expect(openedBy(both, shelf.rows)).toEqual(expected);
      const again = await renewSecrets(both, new Shelf(shelf.rows));
      expect(again).toEqual({ renewed: 25 - replaced, current: replaced, passedOver: 0, unreadable: 0 });
    }
    const whole = new Shelf(sealedUnder(OLD, 25));
    await renewSecrets(both, whole);
    expect(openedBy(new SecretBox(NEW), whole.rows)).toEqual(expected);
  });

  it('does not change unreadable rows, continues with the others, and counts them', async () => {
    const shelf = new Shelf([...sealedUnder(OTHER, 1), ...sealedUnder(OLD, 3).slice(1)]);
    const before = shelf.rows[0]?.boxes;
    expect(await renewSecrets(new SecretBox(NEW, OLD), shelf)).toMatchObject({ renewed: 2, unreadable: 1 });
    expect(shelf.rows[0]?.boxes).toBe(before);
    expect(await renewSecrets(new SecretBox(NEW), shelf)).toMatchObject({ current: 2, unreadable: 1 });
  });

  it('skips a row that was changed in the meantime', async () => {
    const shelf = new Shelf(sealedUnder(OLD, 1));
    shelf.replace = () => Promise.resolve(false);
    expect(await renewSecrets(new SecretBox(NEW, OLD), shelf)).toMatchObject({ renewed: 0, passedOver: 1 });
  });
});

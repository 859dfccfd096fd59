import { eventually } from './eventually.js';

describe('waiting for a condition', () => {
  it('returns the first value that is truthy, or for which the condition holds', async () => {
    let n = 0;
    expect(await eventually(() => (++n === 3 ? n : null))).toBe(3);
    expect(
      await eventually(
        async () => ++n,
        (seen) => seen >= 5,
      ),
    ).toBe(5);
    expect(
      await eventually(
        () => 0,
        (seen) => seen === 0,
      ),
    ).toBe(0);
  });

  it('shows the last value after the timeout, not the source of the probe', async () => {
    let n = 0;
    const pages = () => ({ page: { sizes: [++n > 0, 7] } });
    const wait = eventually(pages, ({ page }) => page.sizes.length === 3, 1);
    await expect(wait).rejects.toThrow('Not so within 1 ms. Last seen: { page: { sizes: [ true, 7 ] } }');
    await expect(eventually(() => null, 1)).rejects.toThrow('Not so within 1 ms. Last seen: null');
  });

  it('fails with the last error of the probe or the condition', async () => {
    let n = 0;
    const failing = () => {
      n++;
      return expect([n, 'seen']).toEqual('more');
    };
    await expect(eventually(failing, 1)).rejects.toThrow(/Expected: "more"\s+Received: \[[1-9]\d*, "seen"\]/);
    const refuse = () => {
      throw new Error('no condition');
    };
    await expect(eventually(() => 1, refuse, 1)).rejects.toThrow('no condition');
  });
});

import { admitted as admittedBy, type FoundAccount } from './admitted-accounts.js';

const WHOLE = 20n;
const admitted = (...[found, known]: [Parameters<typeof admittedBy>[0], Parameters<typeof admittedBy>[1]]) =>
  admittedBy(found, known, () => WHOLE);

const found = (account: string, units: bigint, change: Partial<FoundAccount> = {}): FoundAccount => {
  return { account, units, addressId: '1', owner: 'a', token: 'usdc', obstacle: null, ...change };
};
const named = (accounts: readonly { readonly account: string }[]) => accounts.map(({ account }) => account);

describe('accounts that were found', () => {
  it('are credited when they hold funds on which no other key may act, unless they are credited already', () => {
    const all = [found('known', 9n), found('empty', 0n), found('frozen', 8n, { obstacle: 'frozen' }), found('new', 7n)];
    const { taken, refused } = admitted(all, [{ account: 'known', addressId: '1', token: 'usdc', units: '2' }]);
    expect(named(taken)).toEqual(['new']);
    expect(refused.map(({ account, obstacle }) => [account, obstacle])).toEqual([['frozen', 'frozen']]);
  });

  it('are refused for what they hold above the books once they have an obstacle, and only for that', () => {
    const known = { account: 'known', addressId: '1', token: 'usdc', units: '4' };
    const frozen = found('known', 9n, { obstacle: 'frozen' });
    expect(admitted([frozen], [known])).toMatchObject({ taken: [], refused: [{ units: 5n, obstacle: 'frozen' }] });
    expect(admitted([frozen], [{ ...known, units: '9' }])).toEqual({ taken: [], refused: [] });
  });

  it('are credited for each address and token that has owned them', () => {
    const known = { account: 'a', addressId: '1', token: 'usdc', units: '0' };
    const [second, other] = [found('a', 7n, { addressId: '2' }), found('a', 6n, { token: 'usdt' })];
    expect(admitted([second, other, found('a', 5n)], [known]).taken).toEqual([second, other]);
  });

  it('are credited up to a number of each address, the largest first, so that no payer can make reading dear', () => {
    const known = [{ account: 'known', addressId: '1', token: 'usdc', units: '0' }];
    const dust = Array.from({ length: 1_000 }, (_, nth) => found(`dust ${nth}`, 1n));
    const { taken, refused } = admitted([...dust, found('paid', 25n), found('other', 1n, { addressId: '2' })], known);
    expect(named(taken).slice(0, 2)).toEqual(['paid', 'dust 0']);
    expect(taken.filter(({ addressId }) => addressId === '1')).toHaveLength(4);
    expect(named(taken)).toContain('other');
    expect(refused).toHaveLength(100);
    expect(new Set(refused.map(({ obstacle }) => obstacle))).toEqual(new Set(['too_many']));
  });

  it('are credited beside five with dust when they hold a whole token, up to ten in all', () => {
    const dust = Array.from({ length: 5 }, (_, nth) => {
      return { account: `dust ${nth}`, addressId: '1', token: 'usdc', units: '1' };
    });
    const paid = Array.from({ length: 7 }, (_, nth) => found(`paid ${nth}`, WHOLE + BigInt(7 - nth)));
    const { taken, refused } = admitted([...paid, found('less', WHOLE - 1n)], dust);
    expect(named(taken)).toEqual(['paid 0', 'paid 1', 'paid 2', 'paid 3', 'paid 4']);
    expect(named(refused)).toEqual(['paid 5', 'paid 6', 'less']);
    const later = [...dust, ...taken.slice(0, 4).map((account) => ({ ...account, units: '0' }))];
    expect(named(admitted([found('one more', WHOLE)], later).taken)).toEqual(['one more']);
    expect(named(admitted([found('one more', WHOLE - 1n)], later).taken)).toEqual([]);
  });
});

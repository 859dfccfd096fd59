import { admitted, type FoundAccount } from './admitted-accounts.js';

const found = (account: string, units: bigint, change: Partial<FoundAccount> = {}): FoundAccount => {
  return { account, units, addressId: '1', owner: 'a', token: 'usdc', obstacle: null, ...change };
};
const named = (accounts: readonly { readonly account: string }[]) => accounts.map(({ account }) => account);

describe('accounts that were found', () => {
  it('are read when they hold funds that nobody else can take, unless they are read already', () => {
    const all = [found('known', 9n), found('empty', 0n), found('frozen', 8n, { obstacle: 'frozen' }), found('new', 7n)];
    const { taken, refused } = admitted(all, [{ account: 'known', addressId: '1' }]);
    expect(named(taken)).toEqual(['new']);
    expect(refused.map(({ account, obstacle }) => [account, obstacle])).toEqual([['frozen', 'frozen']]);
  });

  it('are read up to a number of each address, the largest first, so that nobody can make reading dear', () => {
    const known = [{ account: 'known', addressId: '1' }];
    const dust = Array.from({ length: 1_000 }, (_, nth) => found(`dust ${nth}`, 1n));
    const { taken, refused } = admitted([...dust, found('paid', 25n), found('other', 1n, { addressId: '2' })], known);
    expect(named(taken).slice(0, 2)).toEqual(['paid', 'dust 0']);
    expect(taken.filter(({ addressId }) => addressId === '1')).toHaveLength(4);
    expect(named(taken)).toContain('other');
    expect(refused).toHaveLength(997);
    expect(new Set(refused.map(({ obstacle }) => obstacle))).toEqual(new Set(['too_many']));
  });
});

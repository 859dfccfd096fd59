import type { AccountClient } from '../../../chains/accounts.js';
import type { BlockHeader } from '../../../chains/chain.js';
import type { NodeSession } from '../../../chains/nodes/chain-nodes.js';
import { AccountFinality, type PlacedDeposit } from './account-finality.js';

/** Final blocks by height; null = none there. A height that is missing is unknown to the node. */
type Chain = Readonly<Record<number, string | null>>;

const blockOf = (height: number, hash: string): BlockHeader => ({ height, hash, parentHash: '', time: new Date(0) });

const clientOf = (chain: Chain): AccountClient => {
  const client: Pick<AccountClient, 'finalBlocksAt'> = {
    finalBlocksAt: async (heights) =>
      new Map(
        heights.flatMap((height): [number, BlockHeader | null][] => {
          const hash = chain[height];
          return hash === undefined ? [] : [[height, hash === null ? null : blockOf(height, hash)]];
        }),
      ),
  };
  return client as AccountClient;
};

/** A step through the first node, beside the others. */
function session(first: Chain, others: readonly Chain[] = [], replacesLaggard = false): NodeSession<AccountClient> {
  return {
    label: 'first',
    client: clientOf(first),
    isAlone: others.length === 0,
    replacesLaggard,
    verify: async () => undefined,
    assertCaughtUp: () => undefined,
    askOthers: async (question) => {
      const answers = await Promise.all(others.map((chain) => question(clientOf(chain))));
      return answers.flatMap((answer, n) => (answer === null ? [] : [{ label: `other ${n}`, answer }]));
    },
  };
}

const deposit = (height: number, blockHash: string): PlacedDeposit => ({
  id: `dep_${height}`,
  account: 'account',
  intentId: null,
  txHash: `tx ${height}`,
  position: 1,
  height,
  blockHash,
});

const DEPOSITS = [deposit(5, 'five'), deposit(6, 'six'), deposit(7, 'seven')];
const idsOf = (deposits: readonly PlacedDeposit[]): string[] => deposits.map(({ id }) => id);

let finality: AccountFinality;
let nowMs = 0;
beforeEach(() => {
  finality = new AccountFinality(() => (nowMs += 2_000));
});

/** Checks the deposits with the newest final height 9. */
async function check(through: NodeSession<AccountClient>, former: string | null = null, deposits = DEPOSITS) {
  const { final, replaced, doubt } = await finality.check(through, deposits, { finalizedHeight: 9, former });
  return { final: idsOf(final), replaced: idsOf(replaced), doubt };
}

describe('the finality of deposits', () => {
  it('follows the hash of the final block at their height, and waits where the node knows nothing', async () => {
    expect(await check(session({ 5: 'five', 6: 'another', 9: 'nine' }))).toEqual({
      final: ['dep_5'],
      replaced: ['dep_6'],
      doubt: null,
    });
    expect((await check(session({ 7: null }))).replaced).toEqual(['dep_7']);
  });

  it('needs no other node that is silent, but one where the node replaces another that lags', async () => {
    const chain = { 5: 'five', 9: 'nine' };
    expect((await check(session(chain, [{}]))).final).toEqual(['dep_5']);
    expect((await check(session(chain, [{}], true))).final).toEqual([]);
    expect((await check(session(chain, [chain], true))).final).toEqual(['dep_5']);
  });

  it.each([
    ['another block', { 5: 'other' }, 'Final block 5 is five at first and other at other 0.'],
    ['no block', { 5: null }, 'Final block 5 is five at first and none at other 0.'],
    ['another newest final block', { 9: 'other' }, 'Final block 9 is nine at first and other at other 0.'],
  ])('is none while another node has %s', async (_what, other, doubt) => {
    const chain = { 5: 'five', 6: 'six', 9: 'nine' };
    expect(await check(session(chain, [other]))).toEqual({ final: [], replaced: [], doubt });
  });

  it('is checked also while no deposit waits', async () => {
    expect((await check(session({ 9: 'nine' }, [{ 9: 'other' }]), null, [])).doubt).not.toBeNull();
  });
});

describe('a disagreement', () => {
  const chain = { 5: 'five', 9: 'nine' };

  it('ends when the nodes agree on the block that they disagreed on, not by silence nor on another block', async () => {
    const { doubt } = await check(session(chain, [{ 5: 'other' }]));
    expect(await check(session(chain, [{}]), doubt)).toEqual({ final: [], replaced: [], doubt });
    expect(await check(session(chain, [{ 9: 'nine' }]), doubt)).toEqual({ final: [], replaced: [], doubt });
    expect(await check(session(chain, [{ 5: 'five' }]), doubt)).toEqual({
      final: ['dep_5'],
      replaced: [],
      doubt: null,
    });
  });

  it('that another process found ends when the nodes agree on the newest final block, or one is left alone', async () => {
    expect((await check(session(chain, [{ 5: 'five' }]), 'found before')).doubt).toBe('found before');
    expect((await check(session(chain, [{ 9: 'nine' }]), 'found before')).doubt).toBeNull();
    expect((await check(session(chain), 'found before')).doubt).toBeNull();
  });
});

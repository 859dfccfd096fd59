import type { TransactionReceipt } from '../../chains/outgoing.js';
import { sessionOn } from '../../../test/support/lone-node.js';
import { MemoryChain } from '../../../test/support/memory-chain.js';
import { crossCheckReceipts, type PendingTransaction } from './checked-receipts.js';

const hash = (byte: string): string => `0x${byte.repeat(32)}`;
const PAYEE = `0x${'7a'.repeat(20)}`;

/** A payment in coins, which needs no logs. */
const SENT: PendingTransaction = {
  id: 'ctx_1',
  chainRef: 'sandbox-polygon',
  purpose: 'withdrawal',
  sender: `0x${'ab'.repeat(20)}`,
  nonce: 0,
  hashes: [hash('01')],
  to: PAYEE,
  value: 5n,
  data: '0x',
};

function receiptIn(blockHash: string, succeeded: boolean): TransactionReceipt {
  const gas = { gasUsed: 21_000n, effectiveGasPrice: 1n };
  return { txHash: hash('01'), blockHash, height: 100, succeeded, logs: [], ...gas };
}

describe('the receipt of a payment', () => {
  const client = new MemoryChain({ height: 100, hash: hash('aa') }, 0);

  it.each([true, false])('counts when its block is on the chain: it succeeded = %s', async (succeeded) => {
    const receipt = receiptIn(hash('aa'), succeeded);
    const { mined, disputed } = await crossCheckReceipts(sessionOn(client), [[SENT, receipt]]);
    expect([[...mined.values()], disputed.size]).toEqual([[receipt], 0]);
  });

  it.each([true, false])(
    'does not count when a reorg took its block back, though the node still shows it: it succeeded = %s [I-115]',
    async (succeeded) => {
      const { mined, disputed } = await crossCheckReceipts(sessionOn(client), [
        [SENT, receiptIn(hash('bb'), succeeded)],
      ]);
      expect([mined.size, disputed.size]).toEqual([0, 0]);
    },
  );

  it('does not count when the node has no block at its height', async () => {
    const above = { ...receiptIn(hash('aa'), true), height: 101 };
    const { mined, disputed } = await crossCheckReceipts(sessionOn(client), [[SENT, above]]);
    expect([mined.size, disputed.size]).toEqual([0, 0]);
  });
});

import { FakeNode } from '../../../test/support/fake-node.js';
import { SolanaPayerLab } from '../../../test/support/solana-payer-lab.js';
import { ChainUnavailable } from '../chain.js';
import { SolanaClient } from './solana-client.js';

const HASH = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

describe('the conditions of payments on solana', () => {
  it('are those of the newest confirmed block of a chain, and a row keeps them as they are', async () => {
    const lab = await SolanaPayerLab.open();
    const at = await lab.client.conditions();
    const head = await lab.client.head();
    const height = Number(await lab.lab.rpc.getBlockHeight({ commitment: 'confirmed' }).send());
    expect(at).toMatchObject({
      slot: head.height,
      blockhash: head.hash,
      lastValidBlockHeight: height + 150,
      lamportsPerSignature: '5000',
      rentOfTokenAccount: '1488440',
      rentOfWallet: '650240',
    });
    expect(JSON.parse(JSON.stringify(at))).toEqual(at);
    await lab.close();
  });

  describe('from a node', () => {
    let node: FakeNode;
    let client: SolanaClient;
    beforeEach(async () => {
      node = await FakeNode.start();
      client = new SolanaClient({ profile: { network: 'solana' }, rpcUrl: node.url });
    });
    afterEach(async () => {
      await client.close();
      await node.stop();
    });

    const context = { slot: 90 };
    const fees = [0, 30, 10, 20, 500, 40, 50, 60, 70, 80, 90].map((prioritizationFee, slot) => {
      return { slot, prioritizationFee };
    });
    const sound = {
      getLatestBlockhash: { context, value: { blockhash: HASH, lastValidBlockHeight: 230 } },
      getBlock: { blockhash: HASH, blockHeight: 80 },
      getRecentPrioritizationFees: fees,
      getMinimumBalanceForRentExemption: 7,
      getFeeForMessage: { context, value: 5_000 },
    };
    const read = (changed: Partial<Record<keyof typeof sound, unknown>>) => {
      const answers = Object.entries({ ...sound, ...changed });
      node.methods = Object.fromEntries(answers.map(([method, answer]) => [method, () => answer]));
      return client.conditions();
    };

    it('have the median and the 90th percentile of what the last blocks took', async () => {
      expect(await read({})).toMatchObject({ priceStandard: '50', priceFast: '90' });
      expect(await read({ getRecentPrioritizationFees: [] })).toMatchObject({ priceStandard: '0', priceFast: '0' });
    });

    it.each<[string, Parameters<typeof read>[0]]>([
      ['has not got its newest block', { getBlock: null }],
      ['has another block there', { getBlock: { blockhash: 'other', blockHeight: 80 } }],
      ['overstates how long it is valid', { getBlock: { blockhash: HASH, blockHeight: 79 } }],
      ['does not know the fee', { getFeeForMessage: { context, value: null } }],
      ['has a negative rent', { getMinimumBalanceForRentExemption: -1 }],
      ['has no prices', { getRecentPrioritizationFees: null }],
      ['has half a price', { getRecentPrioritizationFees: [{ slot: 1, prioritizationFee: 0.5 }] }],
    ])('that %s are none to sign with', async (_what, changed) => {
      await expect(read(changed)).rejects.toThrow(ChainUnavailable);
    });
  });
});

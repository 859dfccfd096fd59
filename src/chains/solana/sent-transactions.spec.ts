import { generateKeyPairSigner } from '@solana/kit';
import { ProxyNode, type Lie } from '../../../test/support/proxy-node.js';
import { SolanaPayerLab } from '../../../test/support/solana-payer-lab.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { ChainUnavailable } from '../chain.js';
import { SolanaClient } from './solana-client.js';

let lab: SolanaPayerLab;
beforeEach(async () => {
  lab = await SolanaPayerLab.open();
});
afterEach(() => lab.close());

/** Pays once in a block of its own. Returns its id. */
async function pay(): Promise<string> {
  const { address } = await generateKeyPairSigner();
  const signed = await lab.sign(lab.payment(address, NATIVE_COIN, 1_000_000n));
  await lab.land(signed);
  return signed.txHash;
}

const finalSlot = (): Promise<number> => lab.client.finalizedHeight();

const pagesOf =
  (limit: number): Lie =>
  async ({ method, params }, ask) => {
    const [account, options] = params;
    const asked = method === 'getSignaturesForAddress' ? [account, { ...Object(options), limit }] : params;
    return (await ask({ method, params: asked }))['result'];
  };

describe('the transactions that an address has sent', () => {
  it('are those whose fee it paid, in final blocks above a height', async () => {
    const start = await finalSlot();
    const first = await pay();
    await lab.fund(lab.hotWallet, null, 5n);
    const second = await pay();
    await lab.lab.settle();
    const pending = await pay();
    const { sent, completeUpTo } = await lab.client.sentBy(lab.hotWallet, start);
    expect(completeUpTo).toBe(await finalSlot());
    expect(sent.map(({ txHash }) => txHash)).toEqual([second, first]);
    expect(sent.map(({ txHash }) => txHash)).not.toContain(pending);
    const later = await lab.client.sentBy(lab.hotWallet, sent[1]?.height ?? 0);
    expect(later.sent).toEqual([sent[0]]);
    expect((await lab.client.sentBy(lab.hotWallet, completeUpTo)).sent).toEqual([]);
  });

  it('include one that failed', async () => {
    const { address } = await generateKeyPairSigner();
    const signed = await lab.sign(lab.payment(address, NATIVE_COIN, 10n ** 15n));
    await lab.land(signed);
    await lab.lab.settle();
    expect((await lab.client.sentBy(lab.hotWallet, 0)).sent).toMatchObject([{ txHash: signed.txHash }]);
  });

  it('are not said to be complete when the node has dropped a part of its history', async () => {
    const start = await finalSlot();
    const dropped = await pay();
    await lab.lab.controls.mine(5);
    const kept = await pay();
    await lab.lab.settle();
    const { sent } = await lab.client.sentBy(lab.hotWallet, start);
    expect(sent.map(({ txHash }) => txHash)).toEqual([kept, dropped]);
    await lab.lab.controls.truncateHistory(sent[0]?.height ?? 0);
    expect(await lab.client.sentBy(lab.hotWallet, start)).toEqual({
      sent: [sent[0]],
      towards: [],
      completeUpTo: start,
      hasMore: false,
    });
    // From the last height before the blocks that are left, nothing is missing.
    const last = (sent[0]?.height ?? 0) - 1;
    expect(await lab.client.sentBy(lab.hotWallet, last)).toEqual({
      sent: [sent[0]],
      towards: [],
      completeUpTo: await finalSlot(),
      hasMore: false,
    });
  });

  it('are read page by page', async () => {
    const start = await finalSlot();
    const ids = [await pay(), await pay(), await pay()];
    await lab.lab.settle();
    const proxy = await ProxyNode.start(lab.lab.chain.url);
    const liar = new SolanaClient({ profile: { network: 'solana' }, rpcUrl: proxy.url });
    // A node with a limit of its own below the one that is asked for.
    proxy.lie = pagesOf(2);
    await expect(liar.sentBy(lab.hotWallet, start)).resolves.toMatchObject({
      sent: ids.toReversed().map((txHash) => ({ txHash })),
    });
    proxy.lie = async (question, ask) =>
      question.method === 'getTransaction' ? null : (await ask(question))['result'];
    await expect(liar.sentBy(lab.hotWallet, start)).rejects.toThrow(ChainUnavailable);
    await liar.close();
    await proxy.stop();
  });
});

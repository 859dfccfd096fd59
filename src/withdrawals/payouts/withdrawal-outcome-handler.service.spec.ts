import { keccak256 } from 'ethers';
import type { SeededChain } from '../../../test/support/factories.js';
import { FakeNode } from '../../../test/support/fake-node.js';
import { forEveryPurpose } from '../../../test/support/outcomes.js';
import { type Ordered, type OrderTraits, PayoutScene } from '../../../test/support/payout-scene.js';
import { RecordingQueue } from '../../../test/support/recording-queue.js';
import { genesisOf, runtimeServing, sourceOf } from '../../../test/support/served-chains.js';
import { vaultServices } from '../../../test/support/vault-services.js';
import { expectPayoutsInOrder, payoutOf, withdrawalEvents } from '../../../test/withdrawals/payouts.js';
import type { Tenant } from '../../domain/tenant.js';
import { PocketReader } from '../../ledger/pocket-reader.service.js';
import { createLogger } from '../../platform/logging.js';
import { Broadcaster } from '../../treasury/transactions/broadcaster.service.js';
import { TreasuryChains } from '../../treasury/treasury-chains.service.js';
import type { WithdrawalOutcomeHandler } from './withdrawal-outcome-handler.service.js';

const silent = createLogger('silent');

let scene: PayoutScene;
let outcomes: WithdrawalOutcomeHandler;
let tenant: Tenant;
let replaced: SeededChain;

beforeAll(async () => {
  scene = await PayoutScene.open();
  ({ withdrawalOutcomes: outcomes } = vaultServices(scene.database, new RecordingQueue().queue));
});
afterAll(() => scene.close());
beforeEach(async () => {
  tenant = await scene.merchant();
  replaced = await scene.addChain('polygon');
});

async function signed(traits: OrderTraits): Promise<Ordered> {
  const ordered = await scene.order(tenant, { chain: replaced, ...traits });
  await scene.signer.sign(scene.vault, ordered.id);
  return ordered;
}

async function bytesOf({ id }: Ordered): Promise<string> {
  const payout = await payoutOf(scene.database, id);
  return payout?.attempts[0]?.raw ?? '';
}

async function endOf({ id, pocketId }: Ordered) {
  const [row] = await scene.query<{ status: string; failure_code: string | null }>(
    `select status, failure_code from withdrawal where id = $1`,
    [id],
  );
  const { available_cents: available, held_cents: held } = await new PocketReader(scene.database).get(tenant, pocketId);
  return { ...row, available, held, events: await withdrawalEvents(scene.database, id) };
}

const REFUNDED = {
  status: 'failed',
  failure_code: 'chain_gone',
  available: 2501,
  held: 0,
  events: ['withdrawal.failed'],
};

/** Sends every signed transaction to the network's only node, and returns the bytes that the node received. */
async function broadcast(chain: SeededChain): Promise<unknown[]> {
  const genesis = await genesisOf(scene.database, chain.chainRef);
  const node = await FakeNode.start({
    eth_chainId: () => '0x7a69',
    eth_getBlockByNumber: () => ({ hash: genesis }),
    eth_sendRawTransaction: (raw) => keccak256(String(raw)),
  });
  const chains = new TreasuryChains(scene.database, runtimeServing([sourceOf('polygon', node.url)]), silent);
  await scene.query(`update chain_transaction set due_at = now() - interval '1 second' where status = 'signed'`);
  await new Broadcaster(scene.database, chains, forEveryPurpose(outcomes), silent).sendDue();
  await chains.beforeApplicationShutdown();
  await node.stop();
  const questions = node.requests.flatMap((request) => request.questions);
  return questions.filter(({ method }) => method === 'eth_sendRawTransaction').map(({ params }) => params[0]);
}

describe('on a replaced development chain', () => {
  it('open withdrawals are refunded, and signed transactions are abandoned and never sent again', async () => {
    const sent = await signed({ token: 'USDC' });
    const unsigned = await scene.order(tenant, { chain: replaced, token: 'USDT' });
    expect(await broadcast(replaced)).toEqual([await bytesOf(sent)]);
    await outcomes.failOnReplacedChains();
    expect([await endOf(sent), await endOf(unsigned)]).toMatchObject([{ events: [] }, { events: [] }]);

    const begunAnew = await scene.addChain('polygon');
    // Before the refund, and after it.
    expect(await broadcast(begunAnew)).toEqual([]);
    await outcomes.failOnReplacedChains();
    await outcomes.failOnReplacedChains();
    expect([await endOf(sent), await endOf(unsigned)]).toEqual([REFUNDED, REFUNDED]);
    expect(await payoutOf(scene.database, sent.id)).toMatchObject({ status: 'abandoned', minedHash: null });
    expect(await broadcast(begunAnew)).toEqual([]);
    await expectPayoutsInOrder(scene.database);
  });

  it('the same payment can be ordered once more, although its bytes equal those of the earlier one', async () => {
    // The nonces start again as well, and the token has the same contract on both chains.
    const before = await signed({ token: 'USDT' });
    const begunAnew = await scene.addChain('polygon');
    await outcomes.failOnReplacedChains();
    const again = await signed({ token: 'USDT', chain: begunAnew });
    expect(await scene.waitsFor(again.id)).toBeNull();
    expect(await bytesOf(again)).toBe(await bytesOf(before));
    expect(await broadcast(begunAnew)).toEqual([await bytesOf(again)]);
    await outcomes.failOnReplacedChains();
    expect(await endOf(again)).toMatchObject({ status: 'broadcasting', held: 2501 });
  });

  it('a withdrawal that cannot be refunded delays no other', async () => {
    // Nothing is held for it, so nothing can be refunded.
    await scene.order(tenant, { chain: replaced, held: 0n });
    const fine = await scene.order(tenant, { chain: replaced, token: 'USDT' });
    await scene.addChain('polygon');
    await outcomes.failOnReplacedChains().catch(() => undefined);
    expect(await endOf(fine)).toEqual(REFUNDED);
  });
});
